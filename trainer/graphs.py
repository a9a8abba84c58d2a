"""Optimizer steps that a GPU records once and then replays, without Python between its kernels.

A recording is of one number of rows. It holds addresses, and every setting as it was: where either
has changed since, it is dropped and made anew. Without a recorder, where a step cannot be recorded,
and after a recording failed, each step is taken plainly. Knows no loss and no rollout's shape.
Tested by `tests/trainer/test_graphs.py`: there a tape records on the CPU, and where there is a GPU,
that one does.
"""

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

import torch
from torch import Tensor

from trainer.batch_step import Panel, begin_update, take_step
from trainer.config_ppo import PPOConfig
from trainer.losses import Rows
from trainer.optimizers import Learnable
from trainer.recorder import Recorder, RecordingError, Work
from trainer.schedules import Coefficients

MOST_RECORDED: Final = 16
"""Numbers of rows of which a step is recorded; each keeps a batch in memory. All rows of a rollout
make two, and where old opponents play, each number of their cars two more: those that come first
are recorded, and the steps of the others taken plainly."""


class Recorded(NamedTuple):
    """A step of some number of rows."""

    batch: Rows
    """Where it reads them."""
    replay: Work
    """Takes the step."""
    baked: object
    """From `baked_in`, when it was recorded."""


class Steps:
    """Takes the optimizer steps of a run."""

    def __init__(
        self, learnable: Learnable, make_recorder: Callable[[], Recorder] | None = None
    ) -> None:
        """Record nothing yet.

        Args:
            learnable: Is changed in place.
            make_recorder: Its recordings live and go together; None takes every step plainly.
        """
        self.learnable = learnable
        self.panel = Panel.of(learnable.model)
        """What steps read and measure; the same tensors for as long as this lives."""
        self.warnings: list[str] = []
        """What a person should know and was not told yet."""
        self._make_recorder = make_recorder
        self._recorder: Recorder | None = None
        self._recorded: dict[int, Recorded] = {}
        self._config = PPOConfig()

    def begin(self, config: PPOConfig, now: Coefficients) -> None:
        """Make ready for an update by `config`, in which coefficients are those of `now`."""
        begin_update(self.learnable, self.panel, now)
        self._config = config
        if self._recorded:
            self._drop_unless(baked_in(self.learnable, config))

    def _drop_unless(self, baked: object) -> None:
        if any(recorded.baked != baked for recorded in self._recorded.values()):
            self._recorded.clear()
            self._recorder = None

    def take(self, rows: Rows, indices: Tensor) -> Tensor:
        """Learn from the rows at (K,) `indices`.

        Returns:
            (len(step_names),) what was measured, on the networks' device.
        """
        recorded = self._recorded.get(len(indices))
        if recorded is not None:
            rows.take_into(recorded.batch, indices)
            recorded.replay()
        elif self._make_recorder is not None and self._has_room:
            self._record(rows.take(indices), self._make_recorder)
        else:
            self._step_from(rows.take(indices))()
        return self.panel.measured.clone()

    @property
    def _has_room(self) -> bool:
        return can_be_recorded(self._config) and len(self._recorded) < MOST_RECORDED

    def _record(self, batch: Rows, make_recorder: Callable[[], Recorder]) -> None:
        for parameter in self.learnable.model.parameters():
            # The first step then does what all others do, and finds gradients in their place.
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        self._recorder = self._recorder or make_recorder()
        try:
            replay = self._recorder(self._step_from(batch))
        except RecordingError as error:
            self._make_recorder = None
            self._recorded.clear()
            self.warnings.append(f"updates take their steps one kernel at a time: {error}")
        else:
            baked = baked_in(self.learnable, self._config)
            self._recorded[len(batch.actions)] = Recorded(batch, replay, baked)

    def _step_from(self, batch: Rows) -> Work:
        return partial(take_step, self.learnable, batch, self._config, self.panel)


def can_be_recorded(config: PPOConfig) -> bool:
    """Whether steps read nothing back: Muon takes its rate, and whether to step, as numbers."""
    return config.cuda_graphs and config.optimizer == "adamw"


def baked_in(learnable: Learnable, config: PPOConfig) -> object:
    """All that a recorded step does not look up again: settings, and where its tensors lie."""
    model, optimizers, anchors = learnable
    tensors = [*model.parameters(), *anchors.values()]
    tensors += [found.grad for found in model.parameters() if found.grad is not None]
    for optimizer in optimizers.values():
        tensors += [moment for moments in optimizer.state.values() for moment in moments.values()]
        tensors += [group["lr"] for group in optimizer.param_groups if torch.is_tensor(group["lr"])]
    return config, tuple(tensor.data_ptr() for tensor in tensors)
