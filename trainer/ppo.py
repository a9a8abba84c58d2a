"""The update of both networks by proximal policy optimisation (arXiv 1707.06347).

All of it happens on the networks' device, and what was measured is read back at its end. Knows no
environment; a step is in `batch_step.py`, the losses in `losses.py`. Tested by
`tests/trainer/test_ppo.py`; that it learns, by `tests/trainer/test_learnability.py`.
"""

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import torch
from torch import Tensor

from trainer.batch_step import LOSSES, step_names
from trainer.config_ppo import PPOConfig
from trainer.finite import require_finite_steps, require_finite_weights, rows_words
from trainer.graphs import Steps
from trainer.losses import Rows
from trainer.networks import ActorCritic, parameter_vector
from trainer.plasticity import plasticity
from trainer.rollout_tensors import RolloutTensors
from trainer.schedules import Coefficients, kl_exceeded
from trainer.stopwatch import UPDATE_PHASES, Stopwatch

STD_EPS = 1e-8
"""Added to the standard deviation that advantages are divided by."""
KL_INDEX = LOSSES.index("Loss/approx_kl")
PLASTICITY_ROWS = 1024
"""Observations by which units are called dormant, spread evenly over the rollout."""


def update(
    steps: Steps,
    rollout: RolloutTensors,
    advantages: Tensor,
    targets: Tensor,
    config: PPOConfig,
    now: Coefficients,
    rng: np.random.Generator,
    on_batch: Callable[[], None],
    watch: Stopwatch | None = None,
) -> dict[str, float]:
    """Several epochs over the valid rows of a rollout, in shuffled batches of equal size.

    Nothing depends on the other rows, whatever they hold, nor on how many they are.

    Args:
        steps: Of the networks, which are changed in place.
        rollout: On their device, as are `advantages` and `targets`; at least one row is valid.
        advantages: (T, N), not standardised; those of rows that are not valid are not looked at.
        targets: (T, N), as well.
        config: Sizes and limits.
        now: Learning rates and coefficients of this iteration.
        rng: Shuffles.
        on_batch: Called after each optimizer step.
        watch: Is told which of `UPDATE_PHASES` has ended.

    Returns:
        What was measured, by metric name.

    Raises:
        NonFiniteError: When a step would have spoiled the weights with nan or infinity, which are
            then those of before it, or when one has spoiled them.
    """
    watch = watch or Stopwatch(phases=UPDATE_PHASES)
    model = steps.learnable.model
    before = {name: parameter_vector(part) for name, part in model.parts.items()}
    taken = rollout.valid_rows()
    rows = _rows(rollout, _standardised(advantages, taken), targets)
    watch.lap("advantages")
    steps.begin(config, now)
    batches: list[Tensor] = []
    found: list[Tensor] = []
    kls: list[float] = []
    stopped = False
    for is_first, indices in _epochs(taken, config, rng):
        stopped = kl_exceeded(config, kls)
        if stopped:
            break
        batches.append(indices)
        found.append(steps.take(rows, indices))
        if config.kl_stop:
            kls = ([] if is_first else kls) + [float(found[-1][KL_INDEX])]
        on_batch()
    names, measured = step_names(model), torch.stack(found).cpu()
    watch.lap("steps")
    require_finite_steps(names, measured, lambda step: rows_words(rows.take(batches[step])))
    moved = _magnitudes(model, before)
    require_finite_weights(model, moved.values())
    metrics = (
        _step_metrics(measured, names, config.max_grad_norm)
        | {"Update/stopped_early": float(stopped)}
        | now.metrics
        | moved
        | plasticity(model, rows.obs[taken[:: max(1, len(taken) // PLASTICITY_ROWS)]])
        | _advantage_metrics(
            *(field.flatten()[taken] for field in (rollout.values, advantages, targets))
        )
    )
    watch.lap("measures")
    return metrics


def standardise(advantages: Tensor) -> Tensor:
    """Zero mean and unit (population) standard deviation over all of them."""
    return (advantages - advantages.mean()) / (advantages.std(correction=0) + STD_EPS)


def _standardised(advantages: Tensor, taken: Tensor) -> Tensor:
    """(T, N) `advantages` over the rows numbered `taken`; the others are 0."""
    scaled = standardise(advantages.flatten()[taken])
    all_rows = torch.zeros_like(advantages).flatten()
    return all_rows.index_copy(0, taken, scaled).view_as(advantages)


def _rows(rollout: RolloutTensors, advantages: Tensor, targets: Tensor) -> Rows:
    played = (rollout.obs, rollout.masks, rollout.actions, rollout.log_probs)
    fields = (*played, advantages, rollout.values, targets)
    # (T, N, ...) -> (T*N, ...)
    return Rows(*(field.flatten(0, 1) for field in fields))


def shuffled_batches(
    taken: Tensor, batch_size: int, rng: np.random.Generator
) -> tuple[Tensor, ...]:
    """Each of (M,) `taken` once, in batches of equal size (give or take one) near `batch_size`."""
    order = torch.from_numpy(rng.permutation(len(taken))).to(taken.device)
    return taken[order].tensor_split(max(1, round(len(taken) / batch_size)))


def _epochs(
    taken: Tensor, config: PPOConfig, rng: np.random.Generator
) -> Iterator[tuple[bool, Tensor]]:
    """The rows of every batch of every epoch, and whether it is its epoch's first."""
    for _ in range(config.epochs):
        for index, indices in enumerate(shuffled_batches(taken, config.batch_size, rng)):
            yield index == 0, indices


def _step_metrics(measured: Tensor, names: list[str], max_grad_norm: float) -> dict[str, float]:
    """Means over the optimizer steps, from a (steps, len(names)) tensor on the CPU."""
    table = measured.double()
    means = dict(zip(names, table.mean(0).tolist(), strict=True))
    return means | {
        "Update/grad_clip_share": float((table[:, len(LOSSES) :] > max_grad_norm).double().mean()),
        "Update/optimizer_steps": len(table),
    }


def _magnitudes(model: ActorCritic, before: Mapping[str, Tensor]) -> dict[str, float]:
    """L2 norm of how far the parameters of each network moved, read back at once."""
    moved = [(parameter_vector(part) - before[name]).norm() for name, part in model.parts.items()]
    names = [f"Update/{name}_magnitude" for name in model.parts]
    return dict(zip(names, torch.stack(moved).tolist(), strict=True))


def _advantage_metrics(values: Tensor, advantages: Tensor, targets: Tensor) -> dict[str, float]:
    """Read back at once."""
    found = {
        "Loss/explained_variance": explained_variance(values, targets),
        "GAE/advantage_mean_abs": advantages.abs().mean(),
        "GAE/advantage_std": advantages.std(correction=0),
        "GAE/return_mean": targets.mean(),
        "GAE/return_std": targets.std(correction=0),
    }
    return dict(zip(found, torch.stack([*found.values()]).tolist(), strict=True))


def explained_variance(values: Tensor, targets: Tensor) -> Tensor:
    """1 when the critic foresaw every target, 0 when it did no better than a constant.

    nan when all targets are equal.
    """
    # 1 − Var(target − V) / Var(target)
    variance = targets.var(correction=0)
    explained = 1 - (targets - values).var(correction=0) / variance
    return torch.where(variance > 0, explained, math.nan)
