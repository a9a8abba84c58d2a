"""Rewards in units of how much discounted returns vary, so that no weight has to be guessed.

Old returns fade, since those of a beginner say little about an expert's. The critic's output moves
with the scale (`ActorCritic.rescale_values`), so that it means the same rewards after as before.
Arrays in, arrays out. Tested by `tests/trainer/test_reward_scale.py`.
"""

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


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

    def merge(self, returns: npt.NDArray[Any]) -> "ReturnStats":
        """With `returns`, of any shape: as if all had come at once, up to `MEMORY` of them.

        Chan, Golub and LeVeque, Updating Formulae and a Pairwise Algorithm (1979).
        """
        found = returns.astype(np.float64)
        if not found.size:
            return self
        past = min(self.count, MEMORY)
        kept = self.squares * past / self.count if self.count else 0.0
        count = past + found.size
        distance = float(found.mean()) - self.mean
        # mean = mean_a + d · n_b / n;  M = M_a + M_b + d² · n_a · n_b / n
        between = distance**2 * past * found.size / count
        within = float(np.square(found - found.mean()).sum())
        return ReturnStats(
            count, self.mean + distance * found.size / count, kept + within + between
        )


def discounted_returns(rewards: Floats, ended: Flags, gamma: float) -> Doubles:
    """(T, N) what each row and those after it paid, to its episode's end or the rollout's.

    Without a bootstrap: values would feed the scale back into itself.
    """
    # R_t = r_t + γ · R_t+1 · (1 − ended_t)
    returns = rewards.astype(np.float64)
    for t in reversed(range(len(returns) - 1)):
        returns[t] += gamma * np.where(ended[t], 0, returns[t + 1])
    return returns


def scale_rewards(rewards: Floats, std: float, clip: float) -> tuple[Floats, float]:
    """Divide by `std`, then cut at ±`clip` (0 cuts nothing).

    Returns:
        (T, N) scaled rewards, and the share of them that were cut.
    """
    scaled = rewards / np.float32(std)
    if not clip:
        return scaled, 0.0
    return scaled.clip(-clip, clip), float((np.abs(scaled) > clip).mean())
