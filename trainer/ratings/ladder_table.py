"""ladder.json: a round robin, everybody against everybody, as `rlppo ladder` leaves it.

Knows no game. Standard library only, because the dashboard reads it too. Tested by
`tests/trainer/ratings/test_ladder_table.py`.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from trainer.evaluation.intervals import Interval
from trainer.files import write_atomic


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
    """Per game: 1 for a win, 0.5 for a draw."""


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
    """Per game of `a`."""
    goal_difference: Interval
    """Per game of `a`."""


@dataclass(frozen=True)
class Round:
    """Everybody against everybody in one mode."""

    mode: str
    """Blue v orange cars."""
    rungs: tuple[Rung, ...]
    """The players, best first."""
    meetings: tuple[Meeting, ...]
    """Each pair once."""


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
    """Replace the file, whole or not at all.

    Raises:
        OSError: When the disk refuses.
    """
    write_atomic(path, json.dumps(asdict(ladder), allow_nan=False).encode())


def read_ladder(path: Path) -> Ladder | None:
    """What the file says; None when there is none that can be read."""
    try:
        record = json.loads(path.read_bytes())
        rounds = tuple(
            Round(
                mode=str(found["mode"]),
                rungs=tuple(
                    Rung(**(each | {"points": Interval(*each["points"])}))
                    for each in found["rungs"]
                ),
                meetings=tuple(
                    Meeting(
                        **each
                        | {
                            "points": Interval(*each["points"]),
                            "goal_difference": Interval(*each["goal_difference"]),
                        }
                    )
                    for each in found["meetings"]
                ),
            )
            for found in record.pop("rounds")
        )
        return Ladder(rounds=rounds, **record)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
