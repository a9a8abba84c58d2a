"""A ladder as a cross table: points a game of each row against each column, and one cell in words.

Knows no widget and reads no file. Tested by `tests/tui/test_ladder_rows.py`.
"""

import math
from pathlib import Path

from trainer.evaluation.intervals import Interval
from trainer.ratings.ladder_table import Ladder, Meeting, Round, Rung
from trainer.ratings.table import version_name
from tui.formatting import NOTHING, age, compact
from tui.table_rows import Cell, Column, Row, Tone

EVEN = 0.5
"""Points a game of two who are alike."""
_HIMSELF = "·"
_FIRST = 2
"""Columns before those of the players."""


def ladder_columns(played: Round) -> tuple[Column, ...]:
    """Name and points, then a column a player, by their shorter names."""
    short = (_short(rung) for rung in played.rungs)
    return (Column("player"), Column("all", right=True), *(Column(n, right=True) for n in short))


def _short(rung: Rung) -> str:
    """Steps shorten the name of the run's own versions; those of others would be taken for one."""
    own = rung.name == version_name(rung.steps)
    return compact(rung.steps) if own else Path(rung.name).name[-10:]


def ladder_rows(played: Round) -> list[Row]:
    """One row a player, best first."""
    met = _meetings(played)
    numbers = range(len(played.rungs))
    return [
        Row(
            f"{row} {rung.name}",
            (
                Cell(rung.name),
                _cell(rung.points),
                *(_met(met.get((row, column)), row == column) for column in numbers),
            ),
        )
        for row, rung in enumerate(played.rungs)
    ]


def cell_words(played: Round, row: int, column: int) -> str:
    """What stands in a cell of the table, with how sure it is."""
    if not 0 <= row < len(played.rungs):
        return ""
    rung, met = played.rungs[row], _meetings(played).get((row, column - _FIRST))
    if met is None:
        record = f"{rung.wins}-{rung.draws}-{rung.losses}"
        goals = f"goals {rung.scored}:{rung.conceded}"
        return f"{rung.name} in all: {_points(rung.points)}, {record}, {goals}."
    record = f"{met.wins}-{met.draws}-{met.losses}"
    difference = _between(met.goal_difference, "+.2f")
    other = played.rungs[column - _FIRST].name
    return f"{rung.name} v {other}: {_points(met.points)}, {record}, goals {difference} a game."


def ladder_title(ladder: Ladder, now: float) -> str:
    """When and how it was played."""
    actions = "drawn" if ladder.sampled else "likeliest"
    return f"Ladder, {age(now - ladder.made)} old: games of {ladder.seconds:g} s, {actions} actions"


def _points(found: Interval) -> str:
    return f"{_between(found, '.2f')} points a game"


def _between(found: Interval, form: str) -> str:
    if math.isinf(found.low) or math.isinf(found.high):
        return f"{found.mean:{form}} (how sure is not known)"
    return f"{found.mean:{form}} ({found.low:{form}} to {found.high:{form}})"


def _meetings(played: Round) -> dict[tuple[int, int], Meeting]:
    """Each meeting as either of its two sees it."""
    seen = {(met.a, met.b): met for met in played.meetings}
    return seen | {(met.b, met.a): _other_side(met) for met in played.meetings}


def _other_side(met: Meeting) -> Meeting:
    points, goals = met.points, met.goal_difference
    return Meeting(
        a=met.b,
        b=met.a,
        wins=met.losses,
        draws=met.draws,
        losses=met.wins,
        points=Interval(1 - points.high, 1 - points.mean, 1 - points.low),
        goal_difference=Interval(-goals.high, -goals.mean, -goals.low),
    )


def _met(met: Meeting | None, himself: bool) -> Cell:
    if met is None:
        return Cell(_HIMSELF if himself else NOTHING, "quiet")
    return _cell(met.points)


def _cell(found: Interval) -> Cell:
    tone: Tone = "good" if found.low > EVEN else "bad" if found.high < EVEN else "plain"
    return Cell(f"{found.mean:.2f}", tone)
