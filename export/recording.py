"""A match as a replay that the dashboard plays (`docs/replays.md`).

Knows no sockets and no bots. Tested by `tests/export/test_recording.py`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np

from export.game import Game
from rlbot_agent.field import TICKS_PER_SECOND
from rlbot_agent.state import GameState
from trainer.pictures import Caption, picture
from trainer.replay import ReplayHeader, ReplayWriter
from trainer.sim import Simulator

FPS: Final = 30
"""Pictures a second of game."""
PICTURE_TICKS: Final = TICKS_PER_SECOND // FPS


class Recording:
    """Takes the game after every frame; writes what is due."""

    def __init__(
        self, writer: ReplayWriter, sim: Simulator, names: tuple[str, str], steps: int
    ) -> None:
        """Record arena 0 of `sim`.

        Args:
            writer: Of the replay.
            sim: The game's.
            names: Who plays blue and orange.
            steps: Agent steps of training behind the policy that trained longer.
        """
        self._writer, self._sim, self._names, self._steps = writer, sim, names, steps
        self._touched = np.zeros(len(sim.state.teams), np.bool_)
        self._ticks, self._rally, self._score = -1, 0, [0, 0]

    def take(self, game: Game) -> None:
        """Write a picture of the kickoff, of every fourth tick of play, and of each goal."""
        if game.rally != self._rally:
            self._rally, self._ticks = game.rally, game.ticks
            self._touched[:] = False
            self._write(game, "")
        if game.ticks == self._ticks:  # nothing has moved
            return
        self._ticks = game.ticks
        self._touched |= self._sim.events.touched[0]
        note = ""
        if game.score != self._score:
            note = "Blue scores" if game.score[0] > self._score[0] else "Orange scores"
            self._score = list(game.score)
        if note or game.is_over or game.ticks % PICTURE_TICKS == 0:
            self._write(game, note)

    def _write(self, game: Game, note: str) -> None:
        caption = Caption(
            ticks=game.ticks,
            score=(game.score[0], game.score[1]),
            rally=game.rally,
            touched=self._touched,
            steps=self._steps,
            note=note,
            names=self._names,
        )
        self._writer.write(picture(self._sim.state, caption))
        self._touched[:] = False


@contextmanager
def recorded(
    path: Path | None, sim: Simulator, names: tuple[str, str], steps: int
) -> Iterator[Recording | None]:
    """Record what is played in the block to `path`, if there is one.

    A match that fails leaves what was played until then under a temporary name.

    Raises:
        OSError: When the disk refuses.
    """
    if path is None:
        yield None
        return
    state: GameState = sim.state
    header = ReplayHeader(FPS, "match", _printable(names), state.teams)
    writer = ReplayWriter(path, header)
    try:
        yield Recording(writer, sim, _printable(names), steps)
    except BaseException:
        writer.abandon()
        raise
    writer.close()


def _printable(names: tuple[str, str]) -> tuple[str, str]:
    blue, orange = ("".join(sign for sign in name if sign.isprintable()) for name in names)
    return blue, orange
