"""Rallies played to a replay without anybody watching, as fast as they can be.

Knows no screen and no clock on the wall but the date in a name. Tested by
`tests/trainer/test_record.py`.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from rlbot_agent.field import TICKS_PER_SECOND
from trainer.checkpoint import CheckpointError
from trainer.config_file import load_config
from trainer.frames import Frame
from trainer.replay import write_replay
from trainer.run_dir import RunDir
from trainer.viewer_game import Game
from trainer.viewer_rally import play_rally
from trainer.viewer_recording import header_of, replay_path
from trainer.viewer_teams import Teams

LONGEST_RALLY_S: Final = 300.0
"""Seconds of game after which a rally ends, whatever happens in it."""


class Asked(NamedTuple):
    """What is to be recorded."""

    run: RunDir
    """Whose policies play."""
    rallies: int
    """How many."""
    players: tuple[str, str]
    """Who plays blue and orange: "newest", or the folder name of a checkpoint."""
    deterministic: bool
    """Whether they play their likeliest actions."""
    out: Path | None = None
    """File to write; one named by date and steps in the run's replays when None."""


def record(asked: Asked, rng: np.random.Generator, now: datetime) -> Path:
    """Play and write; the file.

    Args:
        asked: What.
        rng: Draws kickoffs and actions.
        now: The date that the file is named by.

    Raises:
        CheckpointError: When there is no policy to play, or not the one that was asked for.
        ConfigError, MeshError: When the run's game cannot be played here.
        OSError: When the disk refuses.
        PolicyError: When a policy's numbers are not finite.
    """
    config = load_config(asked.run.config)
    teams = Teams(asked.run, config, rng)
    teams.deterministic = asked.deterministic
    teams.refresh()
    for team, name in enumerate(asked.players):
        if problem := teams.choose(team, name):
            raise CheckpointError(problem)
    if not teams.ready:
        raise CheckpointError(
            f"{asked.run.path} has no policy to play: {teams.newest.problem or 'train it first'}"
        )
    fps, game = config.viewer.fps, Game(config, rng)
    frames = _frames(game, teams, asked.rallies, lambda: float(fps))
    first = next(frames)
    path = asked.out or replay_path(asked.run, now, first.steps)
    write_replay(path, header_of(asked.run, fps, first), chain((first,), frames))
    return path


def _frames(game: Game, teams: Teams, rallies: int, rate: Callable[[], float]) -> Iterator[Frame]:
    for _ in range(rallies):
        latest = game.ticks + LONGEST_RALLY_S * TICKS_PER_SECOND
        for moment in play_rally(game, teams, rate):
            if moment.ticks > latest:
                break
            yield replace(moment.frame, names=teams.names)
