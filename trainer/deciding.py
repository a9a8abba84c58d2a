"""What decides for processes that only play: their memory, the device's, and a step in between.

They are in two groups, whose rows are decided by turns: while one group's is, the other's physics
can go on. Knows no environment, and nothing of who plays or learns. Tested by
`tests/trainer/test_central.py`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from trainer.act_step import ActStep
from trainer.config import RunConfig
from trainer.crew import share_rollout
from trainer.networks import ActorCritic
from trainer.old_seats import OldSeats
from trainer.pinning import pin, unpin
from trainer.recorder import GpuRecorder, Recorder, new_stream
from trainer.remote_policy import Gate
from trainer.rollout import Rollout
from trainer.rollout_tensors import RolloutTensors, tensors_of
from trainer.shared_arrays import Plan

GROUPS: Final = 2
"""Of workers, of which one waits for its decisions while the other plays; one worker is one."""
NOT_PINNED: Final = "decisions are slower than they could be: the rollout's memory is not pinned"


class Group(NamedTuple):
    """Workers whose rows are decided at once."""

    gates: Sequence[Gate]
    """One for each of them."""
    step: ActStep
    """Decides for all their agents."""
    shared: RolloutTensors
    """Their columns in the memory that they write into."""
    uniforms: Tensor
    """(T, M) there: what to draw with."""
    kept: RolloutTensors
    """Their columns where the networks are."""
    ranks: Sequence[int]
    """Their numbers."""


class Deciding:
    """The groups of a rollout, and all that they are decided with; to be closed."""

    def __init__(
        self, config: RunConfig, model: ActorCritic, columns: Sequence[tuple[int, int]]
    ) -> None:
        """Make room and record the steps; nothing is pinned yet.

        Args:
            config: The run's settings.
            model: Decides, where its parameters are now; they must stay there, see `ActStep`.
            columns: The first agent of each worker, and the first after them.
        """
        device = next(model.parameters()).device
        self._on_gpu = device.type == "cuda"
        self._stream = new_stream(device) if self._on_gpu else None
        self._pinned = False
        self.arrays = share_rollout(config, model, _uniforms)
        """What workers see: a rollout, and the "uniforms" (T, N) to draw with."""
        self.shared = tensors_of(Rollout(self.arrays.__getitem__))
        """That rollout, in the same memory."""
        self.rollout = RolloutTensors(*(torch.zeros_like(f, device=device) for f in self.shared))
        """Its like where the networks are."""
        records = self._on_gpu and config.ppo.cuda_graphs
        recorder = GpuRecorder(new_stream(device)) if records else None
        self.groups = self._make_groups(model, columns, recorder)
        """Of neighbours."""

    def pin(self) -> list[str]:
        """Fix the shared memory in its place for a GPU's copies, once workers have it.

        Returns:
            Why deciding is slower than it could be, one sentence each.
        """
        self._pinned = self._on_gpu and pin(self.arrays.block)
        troubles = {group.step.warning: None for group in self.groups if group.step.warning}
        if self._on_gpu and not self._pinned:
            troubles[NOT_PINNED] = None
        return list(troubles)

    def close(self) -> None:
        """Give back what was pinned."""
        if self._pinned:
            unpin(self.arrays.block)
            self._pinned = False

    @contextmanager
    def acting(self) -> Iterator[None]:
        """After all that the GPU was told to do before, and before all that it is told later."""
        if self._stream is None:
            yield
            return
        others = torch.cuda.current_stream(self._stream.device)
        self._stream.wait_stream(others)
        try:
            with torch.cuda.stream(self._stream):
                yield
        finally:
            others.wait_stream(self._stream)

    def _make_groups(
        self, model: ActorCritic, columns: Sequence[tuple[int, int]], recorder: Recorder | None
    ) -> list[Group]:
        """Neighbours in one group, as many in each as in any other, give or take one."""
        context = get_context("spawn")
        uniforms = torch.from_numpy(self.arrays["uniforms"])
        _, _, obs_width = self.rollout.obs.shape
        _, _, num_actions = self.rollout.masks.shape
        groups = []
        workers = len(columns)
        for ranks in np.array_split(np.arange(workers), min(GROUPS, workers)):
            start, stop = columns[ranks[0]][0], columns[ranks[-1]][1]
            asked = context.Semaphore(0)
            groups.append(
                Group(
                    [Gate(asked, context.Semaphore(0)) for _ in ranks],
                    ActStep(model, stop - start, obs_width, num_actions, recorder),
                    self.shared.of_agents(start, stop),
                    uniforms[:, start:stop],
                    self.rollout.of_agents(start, stop),
                    ranks.tolist(),
                )
            )
        return groups


def _uniforms(steps: int, agents: int) -> dict[str, Plan]:
    return {"uniforms": Plan((steps, agents), "float32")}


def decide_row(group: Group, t: int, old: OldSeats | None) -> None:
    """Row t of a group: from its workers to the device, and the actions back to them."""
    step, shared, kept = group.step, group.shared, group.kept
    step.obs.copy_(shared.obs[t], non_blocking=True)
    step.masks.copy_(shared.masks[t], non_blocking=True)
    step.uniforms.copy_(group.uniforms[t], non_blocking=True)
    step.run()
    if old is not None:
        old.overrule(step)
    shared.actions[t].copy_(step.acted.actions, non_blocking=True)
    decided = torch.cuda.current_stream().record_event() if step.obs.is_cuda else None
    kept.obs[t], kept.masks[t] = step.obs, step.masks
    kept.actions[t], kept.log_probs[t], kept.values[t] = step.acted
    # Nobody waits for the rows that stay on the device, only for the actions.
    if decided is not None:
        decided.synchronize()
