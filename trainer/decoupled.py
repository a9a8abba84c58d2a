"""An update that starts from newer weights than those that played: the decoupled objective.

PPO's clip holds a policy near the one that played. Where that is older than the one an update
starts from, part of the way is used up before the first step. So the clip is put around where the
update starts, and what the rollout is off by is a weight of each row (arXiv 2110.00641, section 3).
Knows no environment. Tested by `tests/trainer/test_decoupled.py`.
"""

import math
from typing import Final

import torch
from torch import Tensor

from trainer.networks import ActorCritic
from trainer.rollout_tensors import RolloutTensors
from trainer.sampling import chosen, masked_log_probs

MAX_WEIGHT: Final = 2.0
"""Of a row. Weights of one update are near 1; a single row must never outvote all others."""


@torch.no_grad()
def decouple(model: ActorCritic, rollout: RolloutTensors, most: int) -> Tensor:
    """Let `rollout` start from `model`: its log-probabilities become those of `model`, in place.

    Those of its valid rows: the others stay as they are, and weigh 1.

    Args:
        model: What an update starts from.
        rollout: Played by other weights, on the device of `model`; at least one row is valid.
        most: Rows of one forward pass, which changes memory and speed only.

    Returns:
        (T, N) weights, which the advantages are to be multiplied by.
    """
    # L = −mean(w·min(ρ·A, clip(ρ, 1−ε, 1+ε)·A)),  w = π_start / π_played,  ρ = π / π_start
    taken = rollout.valid_rows()
    fields = (rollout.obs, rollout.masks, rollout.actions)
    # (T, N, ...) -> (T*N, ...)
    rows = [field.flatten(0, 1) for field in fields]
    parts = taken.tensor_split(math.ceil(len(taken) / most))
    start = torch.cat([_log_probs(model, *(field[part] for field in rows)) for part in parts])
    played = rollout.log_probs.flatten()
    weights = torch.ones_like(played)
    weights[taken] = (start - played[taken]).exp().clamp(max=MAX_WEIGHT)
    rollout.log_probs.copy_(played.index_copy(0, taken, start).view_as(rollout.log_probs))
    return weights.view_as(rollout.log_probs)


def _log_probs(model: ActorCritic, obs: Tensor, masks: Tensor, actions: Tensor) -> Tensor:
    """(M,) of (M,) `actions` seen through (M, D) `obs` among what (M, A) `masks` allow."""
    return chosen(masked_log_probs(model.logits(obs), masks), actions)
