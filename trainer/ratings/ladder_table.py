"""ladder.json: a round robin, everybody against everybody, as `rlppo ladder` leaves it.

Knows no game. Standard library only, because the dashboard reads it too. Tested by
`tests/trainer/ratings/test_ladder_table.py`.
"""

import json
import math
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final, get_args, get_origin

from trainer.evaluation.intervals import Interval
from trainer.files import write_atomic

BELIEVED: Final = 1 << 62
"""No number of a ladder is as large."""


@dataclass(frozen=True)
class Rung:
    """One player, over all its games."""

    name: str
    """What the table calls it."""
    steps: int
    """Agent steps of training behind it; 0 where there are none."""
    sha256: str
    """Of its weights; empty where there are none."""
    wins: int
    draws: int
    losses: int
    scored: int
    """Goals."""
    conceded: int
    """Goals."""
    points: Interval
    """Per game: 1 for a win, 0.5 for a draw; `wilson`."""


@dataclass(frozen=True)
class Meeting:
    """All games of two players, seen by the first."""

    a: int
    """Number of a player in `Round.rungs`."""
    b: int
    """Of the other, behind it."""
    wins: int
    draws: int
    losses: int
    points: Interval
    """Per game of `a`; `wilson`."""
    goal_difference: Interval
    """Per game of `a`; its bounds are infinite where one start was played: nothing is known."""


@dataclass(frozen=True)
class Round:
    """Everybody against everybody in one mode."""

    mode: str
    """Blue v orange cars."""
    rungs: tuple[Rung, ...]
    """The players, best first."""
    meetings: tuple[Meeting, ...]
    """Each pair once."""

    def points(self, row: int, column: int) -> Interval | None:
        """Points a game of the player `row` against `column`; None when they did not meet."""
        for each in self.meetings:
            if (each.a, each.b) == (row, column):
                return each.points
            if (each.b, each.a) == (row, column):
                low, mean, high = each.points
                return Interval(1 - high, 1 - mean, 1 - low)
        return None

    def beaten(self, row: int) -> tuple[int, ...]:
        """Whom the player `row` beats beyond doubt: the low end of its points is above a half."""
        found = ((column, self.points(row, column)) for column in range(len(self.rungs)))
        return tuple(column for column, points in found if points and points.low > 0.5)


@dataclass(frozen=True)
class Ladder:
    """What was played."""

    made: float
    """When (seconds since the epoch)."""
    seconds: float
    """Length of each game in game time."""
    sampled: bool
    """Whether actions were drawn; else the likeliest were taken."""
    rounds: tuple[Round, ...]
    """One for each mode."""


def write_ladder(path: Path, ladder: Ladder) -> None:
    """Replace the file, whole or not at all; a bound that is infinite is null in it.

    Raises:
        OSError: When the disk refuses.
    """
    write_atomic(path, json.dumps(_finite(asdict(ladder)), allow_nan=False).encode())


def read_ladder(path: Path) -> Ladder | None:
    """What the file says; None when there is none that can be read and believed."""
    try:
        ladder: Ladder = _record(Ladder, json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return ladder if all(map(_believable, ladder.rounds)) else None


def _finite(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    match value:
        case dict():
            return {key: _finite(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_finite(inner) for inner in value]
        case float() if math.isinf(value):
            return None
    return value


def _record(kind: type[Any], found: dict[str, Any]) -> Any:  # noqa: ANN401 - a `kind`
    """A record of the dataclass `kind`, whose every field is what it should be."""
    return kind(**{each.name: _value(each.type, found[each.name]) for each in fields(kind)})


def _value(kind: Any, found: Any) -> Any:  # noqa: ANN401 - a type of a field, and one of its values
    """`found` as a `kind`.

    Raises:
        ValueError, TypeError, KeyError: When it is none.
    """
    if kind is Interval:
        low, mean, high = found
        bounds = (-math.inf, math.inf) if low is high is None else (_number(low), _number(high))
        return Interval(bounds[0], _number(mean), bounds[1])
    if kind is float:
        return _number(found)
    if kind is int and type(found) is int and 0 <= found < BELIEVED:
        return found
    if kind in (str, bool) and type(found) is kind:
        return found
    if get_origin(kind) is tuple and isinstance(found, list):
        return tuple(_record(get_args(kind)[0], each) for each in found)
    raise ValueError(f"{found!r} is no {kind}")


def _number(found: Any) -> float:  # noqa: ANN401 - any JSON value
    if type(found) not in (int, float) or not abs(found) < BELIEVED:
        raise ValueError(f"{found!r} is no number")
    return float(found)


def _believable(found: Round) -> bool:
    """Whether it has each meeting once, of players that there are, and possible points."""
    pairs = [(each.a, each.b) for each in found.meetings]
    points = [each.points for each in found.rungs] + [each.points for each in found.meetings]
    return (
        all(a < b < len(found.rungs) for a, b in pairs)
        and len(set(pairs)) == len(pairs)
        and all(0 <= each.low <= each.mean <= each.high <= 1 for each in points)
    )
