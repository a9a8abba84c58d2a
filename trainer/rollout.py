"""The rows that one iteration learns from: T decisions of N agents, all by the newest policy.

A rollout is rectangular and cut at its end, so no row is ever older than one iteration. Plain
arrays, allocated once and filled anew each iteration. Knows no environment and no network. Tested
by `tests/trainer/test_rollout.py`.
"""

import numpy as np
import numpy.typing as npt


class Rollout:
    """Row (t, n) is what agent n saw and did at decision t, and what came of it."""

    def __init__(self, num_steps: int, num_agents: int, obs_width: int, num_actions: int) -> None:
        """Allocate T = `num_steps` by N = `num_agents` rows; they hold nothing yet."""
        shape = (num_steps, num_agents)
        self.obs: npt.NDArray[np.float32] = np.zeros((*shape, obs_width), np.float32)
        """(T, N, D) what it saw."""
        self.masks: npt.NDArray[np.bool_] = np.zeros((*shape, num_actions), np.bool_)
        """(T, N, A) which actions it could choose."""
        self.actions: npt.NDArray[np.int64] = np.zeros(shape, np.int64)
        """(T, N) which it chose."""
        self.log_probs: npt.NDArray[np.float32] = np.zeros(shape, np.float32)
        """(T, N) natural log of the probability it had."""
        self.values: npt.NDArray[np.float32] = np.zeros(shape, np.float32)
        """(T, N) critic's value of `obs`."""
        self.rewards: npt.NDArray[np.float32] = np.zeros(shape, np.float32)
        """(T, N) for the action."""
        self.terminated: npt.NDArray[np.bool_] = np.zeros(shape, np.bool_)
        """(T, N) the game ended there."""
        self.truncated: npt.NDArray[np.bool_] = np.zeros(shape, np.bool_)
        """(T, N) the episode was cut there; never together with `terminated`."""
        self.next_values: npt.NDArray[np.float32] = np.zeros(shape, np.float32)
        """(T, N) critic's value of the state after the action, see `bootstrap`."""

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
