"""Rows of a table as plain words: what stands in each cell, and in which tone.

Knows no widget; `widgets/keyed_table.py` draws them. Tested by
`tests/tui/widgets/test_keyed_table.py`.
"""

from typing import Literal, NamedTuple

Tone = Literal["plain", "quiet", "good", "warning", "bad", "blue", "orange"]
"""What a cell means, which a theme gives a colour."""


class Cell(NamedTuple):
    """Words in one cell."""

    text: str
    """Taken literally."""
    tone: Tone = "plain"
    """What they mean."""


class Column(NamedTuple):
    """Head of a column."""

    label: str
    """Its word."""
    right: bool = False
    """Whether its cells end at the right, as numbers do."""


class Row(NamedTuple):
    """One thing of a list."""

    key: str
    """What it is found by while the list changes."""
    cells: tuple[Cell, ...]
    """One a column."""
