"""Short measurements of a config on this machine: how fast it collects, and how fast it learns.

Several are measured in turn and give medians, so that what else the machine does meets all alike.
Tested by `tests/trainer/test_trials.py`.
"""

import math
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import psutil
import torch

from trainer.builder import choose_device, fresh_state, make_players
from trainer.config import RunConfig
from trainer.game import Counts
from trainer.networks import parameter_count
from trainer.reward_lesson import learn
from trainer.rollout import Rollout, rollout_plans
from trainer.rollout_tensors import RolloutTensors, tensors_of
from trainer.sizes import ARENA_MB, WORKER_MB
from trainer.stopwatch import PHASES

ROUNDS: Final = 5
"""Turns that each measurement takes the median of."""
DECISIONS: Final = 32
"""Of the rollouts that are played."""
USABLE: Final = 0.8
"""Share of the memory that is free which a trial may ask for."""


class CollectTrial:
    """Players who only play; to be closed."""

    def __init__(self, config: RunConfig, config_folder: Path) -> None:
        """Build them, and play once: arenas finish themselves in their first step.

        Raises:
            MeshError, RewardError, StartFileError, DeviceError, WorkerError: As `build`.
        """
        steps = DECISIONS * config.sim.agents
        ppo = config.ppo.model_copy(update={"steps_per_iteration": steps})
        config = config.model_copy(update={"ppo": ppo})
        self._device = choose_device(config.device)
        self._state = fresh_state(config, self._device)
        self._players = make_players(config, config_folder, self._state, self._device)
        self.parameters = parameter_count(self._state.model)
        """Of all networks."""
        self._play()
        self.rows_played = 0
        """Agent steps that were measured."""
        self.played_s = 0.0
        """Seconds that they took."""
        self.seconds = dict.fromkeys(PHASES, 0.0)
        """Of these, by phase; the mean of the processes that played."""

    def run(self, seconds: float) -> float:
        """Steps a second of about so many seconds, one rollout at least."""
        started, rows = time.perf_counter(), 0
        while not rows or time.perf_counter() - started < seconds:
            for part in (counts := self._play()):
                for phase in PHASES:
                    self.seconds[phase] += part.seconds[phase] / len(counts)
            rows += self._players.rollout.num_rows
        took = time.perf_counter() - started
        self.rows_played += rows
        self.played_s += took
        return rows / took

    def _play(self) -> list[Counts]:
        return self._players.collect(0, _nothing)

    @property
    def worker_mb(self) -> float:
        """Most resident memory of a process that plays and does nothing else; 0 without such."""
        sizes = [psutil.Process(pid).memory_info().rss for pid in self._players.pids]
        return max(sizes, default=0) / 2**20

    def close(self) -> None:
        """End all processes."""
        self._players.close()


class LearnTrial:
    """Networks that learn from rows that mean nothing: speed does not depend on them."""

    def __init__(self, config: RunConfig, rows: int) -> None:
        """Draw about `rows` rows, learned from in one batch, and learn once.

        Raises:
            DeviceError: When there is no such device.
        """
        self._state = fresh_state(config, choose_device(config.device))
        model, rng = self._state.model, np.random.default_rng(config.seed)
        *_, last_bias = model.actor.parameters()
        sizes = (DECISIONS, math.ceil(rows / DECISIONS), model.obs_width, last_bias.numel())
        self._rollout = random_rollout(*sizes, rng)
        # Nothing is recorded: each size would be anew, and that would be what is measured.
        one_batch = {"epochs": 1, "batch_size": self._rollout.num_rows, "cuda_graphs": False}
        self._config = config.ppo.model_copy(update=one_batch)
        self.parameters = parameter_count(model)
        """Of all networks."""
        self.run(config.ppo.minibatch_size)

    def run(self, minibatch_size: int) -> float:
        """Steps a second of one epoch, in chunks of so many rows."""
        config = self._config.model_copy(update={"minibatch_size": minibatch_size})
        started = time.perf_counter()
        # What it measured was read back from the device: nothing is left to wait for.
        learn(config, self._state, self._rollout, _nothing)
        return self._rollout.num_rows / (time.perf_counter() - started)


def in_turn(trials: Sequence[Callable[[], float]], rounds: int = ROUNDS) -> list[float]:
    """The median of each, measured one after the other, again and again."""
    found = [[trial() for trial in trials] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*found, strict=True)]


def play_mb(config: RunConfig, workers: int, obs_width: int, num_actions: int) -> float:
    """About what playing `config` takes: its workers, and its rollout."""
    sim, size = config.sim, (config.rollout_length, config.sim.agents, obs_width, num_actions)
    rollout = sum(plan.nbytes for plan in rollout_plans(*size).values())
    return workers * WORKER_MB + sim.arenas * ARENA_MB + rollout / 2**20


def usable_mb(device: torch.device) -> float:
    """Of the memory of that device; a GPU's own, or this machine's."""
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        return USABLE * free / 2**20
    return float(USABLE * psutil.virtual_memory().available) / 2**20


def random_rollout(
    decisions: int, agents: int, obs_width: int, num_actions: int, rng: np.random.Generator
) -> RolloutTensors:
    """Rows that mean nothing, to learn from: all actions possible and alike likely."""
    rollout = Rollout.allocate(decisions, agents, obs_width, num_actions)
    rollout.obs[:] = rng.normal(size=rollout.obs.shape)
    rollout.masks[:] = True
    rollout.actions[:] = rng.integers(num_actions, size=rollout.actions.shape)
    rollout.log_probs[:] = -np.log(num_actions)
    rollout.rewards[:] = rng.normal(size=rollout.rewards.shape)
    return tensors_of(rollout)


def _nothing() -> None:
    pass
