"""How fast games between checkpoints are played: `python -m benchmarks evaluation`.

Two untrained actors of a preset's sizes play a batch as `rlppo select` plays it, in one process.
Tested by `tests/benchmarks/test_evaluation.py`.
"""

import time
from pathlib import Path
from typing import NamedTuple

import torch

from rlbot_agent.field import TICKS_PER_SECOND
from trainer.checkpoint import contract_of
from trainer.config import RunConfig
from trainer.episodes import decisions
from trainer.evaluation.contestants import ActorChooser, Contestant
from trainer.evaluation.engine import Table, play
from trainer.evaluation.frozen_starts import make_starts
from trainer.evaluation.protocol import GamesConfig, StartsConfig
from trainer.evaluation.schedule import AT_ONCE, make_batches
from trainer.meshes import find_meshes
from trainer.modes import team_sizes
from trainer.networks import actor_of


class Speed(NamedTuple):
    """What was measured."""

    games: int
    """Played at once."""
    wall_s: float
    """Seconds by the clock on the wall."""
    cpu_s: float
    """Seconds of the process, which other programs cannot take."""
    agent_steps: int
    """Decisions of cars."""
    game_s: float
    """Length of each game."""

    def words(self) -> str:
        """For a person."""
        return (
            f"{self.games} games of {self.game_s:g} s at once: "
            f"{self.agent_steps / self.wall_s:,.0f} steps/s, "
            f"{self.agent_steps / self.cpu_s:,.0f} a second of processor time, "
            f"{self.games * 60 / self.wall_s:,.0f} games a minute"
        )


def measure(config: RunConfig, seconds: float) -> Speed:
    """Play a batch of games of the first mode of `config`, each so many seconds of game time."""
    contract = contract_of(config, 0)
    mode = contract.modes[0]
    skip = contract.tick_skip
    torch.manual_seed(config.seed)
    contestants = [
        Contestant(name, "", contract, ActorChooser(actor_of(contract), name, sampled=True))
        for name in ("a", "b")
    ]
    half = AT_ONCE // 4
    starts = make_starts(StartsConfig(kickoffs=half, random=half), Path(), (mode,))[mode]
    no_touch = decisions(GamesConfig().no_touch_s, skip)
    table = Table(mode, starts, no_touch, find_meshes(config.sim.meshes))
    length = decisions(seconds, skip)
    (batch,) = make_batches([(0, 1)], {mode: 2 * half}, length, config.seed)
    wall, cpu = time.perf_counter(), time.process_time()
    play(batch.games, table, contestants)
    return Speed(
        games=len(batch.games),
        wall_s=time.perf_counter() - wall,
        cpu_s=time.process_time() - cpu,
        agent_steps=len(batch.games) * length * sum(team_sizes(mode)),
        game_s=length * skip / TICKS_PER_SECOND,
    )
