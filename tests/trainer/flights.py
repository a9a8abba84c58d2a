"""Overlapping players, real ones of this process and scripted ones."""

from collections.abc import Callable
from pathlib import Path
from threading import Event, enumerate

import torch

from tests.trainer.test_workers import TWO, nothing
from tests.trainer.tiny import tiny_config
from trainer.builder import fresh_state
from trainer.checkpoint import TrainingState
from trainer.collector import Abandoned
from trainer.config import RunConfig
from trainer.game import Counts
from trainer.overlap import Overlapping, copy_to_act
from trainer.players import OneProcess
from trainer.rollout import Rollout
from trainer.rollout_tensors import tensors_of
from trainer.start_file import NO_STARTS

OVERLAP = (*TWO, "ppo.overlap=true")
CPU = torch.device("cpu")


def flights() -> list[str]:
    return [thread.name for thread in enumerate() if thread.name == "rollout"]


def one_process(config: RunConfig, state: TrainingState) -> OneProcess:
    return OneProcess(config, Path(), state, 0, NO_STARTS)


def start(config: RunConfig) -> tuple[Overlapping, TrainingState]:
    state = fresh_state(config, CPU)
    acting = copy_to_act(state)
    return Overlapping(one_process(config, acting), state, acting), state


class Scripted:
    """`Players` whose rollouts of 2 by 3 rows end when they may, in the way that they are told."""

    def __init__(self) -> None:
        self.rollout = tensors_of(Rollout.allocate(2, 3, 4, 5))
        self.rollout_s = 1.0
        self.iteration = 0
        self.warnings: list[str] = []
        self.pids: list[int] = []
        self.may_end = Event()
        self.error: Exception | None = None
        self.story: list[object] = []

    def collect(self, steps: int, meanwhile: Callable[[], None]) -> list[Counts]:
        self.story.append(steps)
        try:
            while not self.may_end.wait(0.01):
                meanwhile()
        except Abandoned:
            self.story.append("dropped")
            raise
        if self.error is not None:
            raise self.error
        self.story.append("landed")
        return []

    def change(self, config: RunConfig) -> None:
        self.story.append("changed")

    def close(self) -> None:
        self.story.append("closed")


def scripted() -> tuple[Overlapping, Scripted]:
    """Overlapping players after one `collect`; their second rollout is in flight for ever."""
    inner, state = Scripted(), fresh_state(tiny_config(), CPU)
    players = Overlapping(inner, state, copy_to_act(state))

    def end_the_first() -> None:
        inner.may_end.set()

    players.collect(0, end_the_first)
    players.change(tiny_config())  # waits for the second
    inner.may_end.clear()
    players.collect(6, nothing)
    inner.story.clear()
    return players, inner
