"""One rally as a row of pictures, as fast as whoever takes them.

Knows no clock and no pipe. Tested by `tests/trainer/test_viewer_rally.py`.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from trainer.frames import Frame, blend
from trainer.viewer_clock import picture_times
from trainer.viewer_game import Game
from trainer.viewer_teams import Teams


class Moment(NamedTuple):
    """A picture and when it is due."""

    ticks: float
    """Of game played so far."""
    frame: Frame
    """What it looks like then; nobody is named and followed yet."""


def play_rally(game: Game, teams: Teams, rate: Callable[[], float]) -> Iterator[Moment]:
    """Play from a kickoff to whatever ends it.

    The first picture is that of the kickoff, as old as the last of the rally before. The last one
    is of the very end and says in its note what it was.

    Args:
        game: Where.
        teams: Who; must be ready.
        rate: Asked for pictures a second of game before each decision.

    Raises:
        PolicyError: When a policy's numbers are not finite.
    """
    game.kickoff()
    teams.forget()
    before, ended, ticks = _picture(game, teams), "", float(game.ticks)
    yield Moment(ticks, before)
    while not ended:
        started = game.ticks
        ended = game.play(teams.act(*game.see()))
        after = _picture(game, teams, ended)
        for ticks in picture_times(started, game.ticks, rate()):
            yield Moment(ticks, blend(before, after, (ticks - started) / (game.ticks - started)))
            game.forget_touches()
        before = after
    if ticks < game.ticks:
        yield Moment(game.ticks, before)


def _picture(game: Game, teams: Teams, note: str = "") -> Frame:
    return game.picture(teams.steps, teams.deterministic, note)
