"""Tables of results, as text that is Markdown and reads well in a terminal too.

Pure functions. Tested by `tests/trainer/evaluation/test_tables.py`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from trainer.evaluation.intervals import Interval
from trainer.evaluation.standings import Habits, Record

HABITS: Final = {
    "goals": ("goals/min", "{:.2f}"),
    "shots": ("shots/min", "{:.2f}"),
    "saves": ("saves/min", "{:.2f}"),
    "possession": ("possession", "{:.0%}"),
    "touches": ("touches/min of a car", "{:.1f}"),
    "demos": ("demolitions/min of a car", "{:.2f}"),
    "speed": ("speed, uu/s", "{:,.0f}"),
    "boost_used": ("boost used/min of a car", "{:.0f}"),
    "boost_collected": ("boost collected/min of a car", "{:.0f}"),
    "pickups": ("pads taken/min of a car", "{:.1f}"),
}
"""Of each value of `Habits`: its words, and how it is written."""
ENDS: Final = {
    "goal": "rallies ended by a goal/min",
    "no_touch": "rallies ended by neglect/min",
    "broken": "rallies ended by broken physics/min",
}
RECORD_HEADS: Final = (
    *("games", "won", "drawn", "lost", "goals", "points a game", "95 %"),
    *("goal difference a game", "95 %"),
)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table whose columns stand under each other, all but the first to the right."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first, *others = ((cell, width) for cell, width in zip(cells, widths, strict=True))
        return f"| {' | '.join([first[0].ljust(first[1]), *(c.rjust(w) for c, w in others)])} |"

    rule = ["-" * widths[0], *(f"{'-' * (width - 1)}:" for width in widths[1:])]
    return [line(heads), line(rule), *map(line, rows)]


def record_cells(record: Record) -> list[str]:
    """A record under `RECORD_HEADS`."""
    return [
        *map(str, (record.games, record.wins, record.draws, record.losses)),
        f"{record.scored}:{record.conceded}",
        f"{record.points.mean:.3f}",
        _bounds(record.points, "{:.3f}"),
        f"{record.goal_difference.mean:+.2f}",
        _bounds(record.goal_difference, "{:+.2f}"),
    ]


def habit_rows(habits: Mapping[str, Habits]) -> list[list[str]]:
    """What everybody, by name, does: a row for each value, a column for each name."""
    everybody = list(habits.values())
    rows = [
        [words, *(shape.format(each.values[name]) for each in everybody)]
        for name, (words, shape) in HABITS.items()
    ]
    rows += [
        [words, *(f"{each.ends[name]:.2f}" for each in everybody)] for name, words in ENDS.items()
    ]
    return rows


def reward_rows(habits: Mapping[str, Habits]) -> list[list[str]]:
    """What everybody, by name, would earn in a decision by each reward of weight 1."""
    everybody = list(habits.values())
    names = everybody[0].rewards
    return [[name, *(f"{each.rewards[name]:.4f}" for each in everybody)] for name in names]


def _bounds(interval: Interval, shape: str) -> str:
    if not math.isfinite(interval.low + interval.high):
        return "-"
    return f"{shape.format(interval.low)} to {shape.format(interval.high)}"
