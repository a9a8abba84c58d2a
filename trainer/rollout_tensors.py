"""A rollout as the learner takes it: tensors, wherever they were collected.

The arrays of `rollout.py` by the same names. Knows no environment and no network. Tested by
`tests/trainer/test_rollout_tensors.py`.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from trainer.rollout import Rollout


class RolloutTensors(NamedTuple):
    """Row (t, n) is what agent n saw and did at decision t, and what came of it."""

    obs: Tensor
    """(T, N, D) float32: what it saw."""
    masks: Tensor
    """(T, N, A) bool: which actions it could choose."""
    actions: Tensor
    """(T, N) int64: which it chose."""
    log_probs: Tensor
    """(T, N) float32: natural log of the probability it had."""
    values: Tensor
    """(T, N) float32: critic's value of `obs`."""
    rewards: Tensor
    """(T, N) float32: for the action."""
    terminated: Tensor
    """(T, N) bool: the game ended there."""
    truncated: Tensor
    """(T, N) bool: the episode was cut there; never together with `terminated`."""
    next_values: Tensor
    """(T, N) float32: critic's value of the state after the action; ignored where terminated."""
    valid: Tensor
    """(T, N) bool: which rows to learn from; rows of an old opponent are not."""

    @property
    def num_rows(self) -> int:
        """T times N."""
        return self.rewards.numel()

    @property
    def old_share(self) -> float:
        """Share of the rows that are of old opponents, which are those that are not `valid`."""
        return int((~self.valid).count_nonzero()) / self.num_rows

    def valid_rows(self) -> Tensor:
        """(M,) int64: the numbers of the rows to learn from, counted by decision, then by agent."""
        return self.valid.flatten().nonzero().squeeze(-1)

    def isolated(self) -> "RolloutTensors":
        """The same, but nothing of a row that is not `valid` reaches one that is through time.

        Such rows pay and promise nothing, whatever they hold, and the row before one is cut there:
        its own `next_values` stands for what was to come.
        """
        values, rewards, next_values = (
            torch.where(self.valid, field, 0.0)
            for field in (self.values, self.rewards, self.next_values)
        )
        truncated = self.truncated.clone()
        truncated[:-1] |= self.valid[:-1] & ~self.valid[1:] & ~self.terminated[:-1]
        return self._replace(
            values=values, rewards=rewards, next_values=next_values, truncated=truncated
        )

    def to(self, device: torch.device) -> "RolloutTensors":
        """The same on `device`; without a copy where it is there already."""
        # Whoever reads on the CPU does not wait for a GPU's copies, as work on the GPU does.
        non_blocking = device.type != "cpu"
        return RolloutTensors(*(field.to(device, non_blocking=non_blocking) for field in self))

    def of_agents(self, start: int, stop: int) -> "RolloutTensors":
        """The rows of the agents from `start` up to `stop`, in the same memory."""
        return RolloutTensors(*(field[:, start:stop] for field in self))

    def bootstrap(self, last: Tensor, final: Tensor) -> None:
        """Fill `next_values` as `Rollout.bootstrap` does, on whichever device they are.

        Args:
            last: (N,) values of what the agents see after the last decision.
            final: (number of truncated rows,) values of what they saw before the reset, ordered
                by decision, then by agent.
        """
        self.next_values[:-1] = self.values[1:]
        self.next_values[-1] = last
        self.next_values[self.truncated] = final


def tensors_of(rollout: Rollout) -> RolloutTensors:
    """The arrays of `rollout` as tensors in the same memory."""
    fields = RolloutTensors._fields
    return RolloutTensors(*(torch.from_numpy(getattr(rollout, name)) for name in fields))
