"""What one iteration learns from: T decisions of N agents, those that count by the newest policy.

A rollout is rectangular and cut at its end, so no row waits for later iterations. Where rollouts
overlap with updates (`overlap.py`, off by default), all rows are by the policy of one update
before. Plain arrays, allocated once and filled anew each iteration. Knows no environment and no
network. Tested by `tests/trainer/test_rollout.py`.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from trainer.shared_arrays import Plan


def rollout_plans(
    num_steps: int, num_agents: int, obs_width: int, num_actions: int
) -> dict[str, Plan]:
    """The arrays of a rollout of T = `num_steps` by N = `num_agents` rows, by attribute."""
    shape = (num_steps, num_agents)
    return {
        "obs": Plan((*shape, obs_width), "float32"),
        "masks": Plan((*shape, num_actions), "bool"),
        "actions": Plan(shape, "int64"),
        "log_probs": Plan(shape, "float32"),
        "values": Plan(shape, "float32"),
        "rewards": Plan(shape, "float32"),
        "terminated": Plan(shape, "bool"),
        "truncated": Plan(shape, "bool"),
        "next_values": Plan(shape, "float32"),
        "valid": Plan(shape, "bool"),
    }


class Rollout:
    """Row (t, n) is what agent n saw and did at decision t, and what came of it."""

    def __init__(self, arrays: Callable[[str], npt.NDArray[Any]]) -> None:
        """Take the arrays of `rollout_plans` by name, wherever they lie."""
        self.obs: npt.NDArray[np.float32] = arrays("obs")
        """(T, N, D) what it saw."""
        self.masks: npt.NDArray[np.bool_] = arrays("masks")
        """(T, N, A) which actions it could choose."""
        self.actions: npt.NDArray[np.int64] = arrays("actions")
        """(T, N) which it chose."""
        self.log_probs: npt.NDArray[np.float32] = arrays("log_probs")
        """(T, N) natural log of the probability it had."""
        self.values: npt.NDArray[np.float32] = arrays("values")
        """(T, N) critic's value of `obs`."""
        self.rewards: npt.NDArray[np.float32] = arrays("rewards")
        """(T, N) for the action."""
        self.terminated: npt.NDArray[np.bool_] = arrays("terminated")
        """(T, N) the game ended there."""
        self.truncated: npt.NDArray[np.bool_] = arrays("truncated")
        """(T, N) the episode was cut there; never together with `terminated`."""
        self.next_values: npt.NDArray[np.float32] = arrays("next_values")
        """(T, N) critic's value of the state after the action, see `bootstrap`."""
        self.valid: npt.NDArray[np.bool_] = arrays("valid")
        """(T, N) which rows to learn from; rows of an old opponent are not."""

    @classmethod
    def allocate(
        cls, num_steps: int, num_agents: int, obs_width: int, num_actions: int
    ) -> "Rollout":
        """T by N rows of this process's own; they hold nothing yet, but all are `valid`."""
        plans: Mapping[str, Plan] = rollout_plans(num_steps, num_agents, obs_width, num_actions)
        rollout = cls(lambda name: np.zeros(*plans[name]))
        rollout.valid[:] = True
        return rollout

    def of_agents(self, start: int, stop: int) -> "Rollout":
        """The rows of the agents from `start` up to `stop`, in the same memory."""
        return Rollout(lambda name: getattr(self, name)[:, start:stop])

    @property
    def num_steps(self) -> int:
        """T, decisions of every agent."""
        return self.rewards.shape[0]

    @property
    def num_rows(self) -> int:
        """T times N."""
        return self.rewards.size

    def bootstrap(self, last: npt.NDArray[np.float32], final: npt.NDArray[np.float32]) -> None:
        """Fill `next_values`; all else must be filled.

        Where terminated, they hold a value of the next episode, which nobody may use.

        Args:
            last: (N,) values of what the agents see after the last decision.
            final: (number of truncated rows,) values of what they saw before the reset, ordered
                by decision, then by agent.
        """
        self.next_values[:-1] = self.values[1:]
        self.next_values[-1] = last
        self.next_values[self.truncated] = final
