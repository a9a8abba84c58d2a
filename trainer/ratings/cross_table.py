"""A round of a ladder as lines of text: row against column, at most 120 columns with 8 players.

Points are written of 100, above their interval: in full two of them would not fit beside each
other. Knows no game. Tested by `tests/trainer/ratings/test_cross_table.py`.
"""

from collections.abc import Sequence
from typing import Final

from trainer.evaluation.intervals import Interval
from trainer.ratings.ladder_table import Ladder, Round, Rung

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NAME_WIDTH: Final = 20
"""Characters of a name at most; of a longer one the end is shown, and all of it below."""
GAP: Final = "  "
LEGEND: Final = (
    "Points of the row against the column: 100 wins every game, 50 is even, a draw is half a win.",
    "Below them the 95 % interval.",
)


def cross_table(found: Round, ladder: Ladder) -> list[str]:
    """The round as a table under its heading, and who beats whom beyond doubt.

    Args:
        found: One of the rounds of `ladder`.
        ladder: Whose heading says what was played.
    """
    actions = "drawn actions" if ladder.sampled else "likeliest actions"
    heading = f"{found.mode}, {ladder.seconds:g} s a game, {actions}"
    return [heading, "", *_table(found), "", *LEGEND, *_cut_names(found), "", *_sure(found)]


def letter(number: int) -> str:
    """What the columns call a player: A to Z, then AA."""
    above, last = divmod(number, len(LETTERS))
    return (letter(above - 1) if above else "") + LETTERS[last]


def _table(found: Round) -> list[str]:
    rows = [["", *map(letter, range(len(found.rungs))), "W-D-L", "goals", "points"]]
    for row, rung in enumerate(found.rungs):
        against = [_cell(found.points(row, column)) for column in range(len(found.rungs))]
        upper, lower = zip(*against, _cell(rung.points), strict=True)
        results = f"{rung.wins}-{rung.draws}-{rung.losses}"
        goals = f"{rung.scored}:{rung.conceded}"
        rows.append([_label(row, rung), *upper[:-1], results, goals, upper[-1]])
        rows.append(["", *lower[:-1], "", "", lower[-1]])
    return _aligned(rows)


def _cell(points: Interval | None) -> tuple[str, str]:
    """An estimate of 100, and its bounds."""
    if points is None:
        return "-", ""
    low, mean, high = (f"{100 * each:.0f}" for each in points)
    return mean, f"{low}-{high}"


def _cut_names(found: Round) -> list[str]:
    """The names that do not fit into the table, in full: the same end may be another run's."""
    cut = [(row, rung) for row, rung in enumerate(found.rungs) if len(rung.name) > NAME_WIDTH]
    return [f"{letter(row)} is {rung.name}" for row, rung in cut]


def _label(number: int, rung: Rung) -> str:
    name = rung.name
    short = name if len(name) <= NAME_WIDTH else f"…{name[1 - NAME_WIDTH :]}"
    return f"{letter(number)} {short}"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns under each other, all but the first to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        GAP.join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    )
    return [line.rstrip() for line in lines]


def _sure(found: Round) -> list[str]:
    """A line for each player that surely beats somebody."""
    beaten = ((letter(row), found.beaten(row)) for row in range(len(found.rungs)))
    lines = [f"{row} beats {', '.join(map(letter, them))}" for row, them in beaten if them]
    if not lines:
        return ["Nobody beats anybody beyond doubt."]
    return ["Beyond doubt (the whole interval is above 50):", *lines]
