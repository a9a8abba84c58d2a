"""Rewards in units of how much discounted returns vary, so that no weight has to be guessed.

Old returns fade, since those of a beginner say little about an expert's. The critic's output moves
with the scale (`ActorCritic.rescale_values`), so that it means the same rewards after as before.
Tensors in, tensors out. Tested by `tests/trainer/test_reward_scale.py`.
"""

import math
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from trainer.gae import carried_back

MEMORY: Final = 1_000_000
"""Returns that the past counts as, at most, when new ones come."""


@dataclass(frozen=True)
class ReturnStats:
    """Of the discounted returns of a run so far, the newest counting most; float64."""

    count: int = 0
    """Returns that they stand for."""
    mean: float = 0.0
    """Their mean."""
    squares: float = 0.0
    """Sum of their squared distances from the mean."""

    @property
    def std(self) -> float:
        """Their sample standard deviation; 1 while there is none, or it is 0."""
        if self.count < 2:
            return 1.0
        return math.sqrt(self.squares / (self.count - 1)) or 1.0

    def merge(self, returns: Tensor) -> "ReturnStats":
        """With `returns`, of any shape: as if all had come at once, up to `MEMORY` of them.

        Chan, Golub and LeVeque, Updating Formulae and a Pairwise Algorithm (1979).
        """
        found = returns.double()
        size = found.numel()
        if not size:
            return self
        average = found.mean()
        mean, within = torch.stack([average, (found - average).square().sum()]).tolist()
        past = min(self.count, MEMORY)
        kept = self.squares * past / self.count if self.count else 0.0
        count = past + size
        distance = mean - self.mean
        # mean = mean_a + d · n_b / n;  M = M_a + M_b + d² · n_a · n_b / n
        between = distance**2 * past * size / count
        return ReturnStats(count, self.mean + distance * size / count, kept + within + between)


def discounted_returns(rewards: Tensor, ended: Tensor, gamma: float) -> Tensor:
    """(T, N) float64: what each row and those after it paid, to its episode's end or the rollout's.

    Without a bootstrap: values would feed the scale back into itself.
    """
    # R_t = r_t + γ · R_t+1 · (1 − ended_t)
    return carried_back(rewards.double(), gamma * (~ended).double())


def scale_rewards(rewards: Tensor, std: float, clip: float) -> tuple[Tensor, Tensor]:
    """Divide by `std`, then cut at ±`clip` (0 cuts nothing).

    Returns:
        (T, N) scaled rewards, and (T, N) bool, which of them were cut.
    """
    scaled = rewards / std
    if not clip:
        return scaled, torch.zeros_like(scaled, dtype=torch.bool)
    return scaled.clamp(-clip, clip), scaled.abs() > clip
