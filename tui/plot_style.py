"""What a plot is told: its curves, the window on them, and how everything looks.

Records without behaviour. Used by `plot.py` and `plot_curves.py`, and tested with them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from rich.style import Style

from tui.plot_scale import Stroke

MarkKind = Literal["edit", "save"]
"""A setting was changed; a checkpoint was written."""
Cell = tuple[str, Style]
"""One character and how it looks."""
_LETTERS: Final = "*o+x#@%&"


@dataclass(frozen=True)
class Trace:
    """One curve and what belongs to it."""

    line: Stroke
    """What is drawn in its own colour, with the range of what it is the mean of behind it."""
    behind: tuple[Stroke, ...] = ()
    """What is drawn faintly behind it."""
    colour: int = 0
    """Its place among the colours."""


class Mark(NamedTuple):
    """Something that happened, on the x axis."""

    x: float
    """Where."""
    kind: MarkKind
    """What."""


class Level(NamedTuple):
    """A value that others are held against: a line across the plot."""

    y: float
    """Which value."""
    words: str
    """What it is."""


@dataclass(frozen=True)
class Window:
    """What part of the curves is shown, and how."""

    low: float
    """Where the x axis begins."""
    high: float
    """Where it ends; more than `low`."""
    by_time: bool = False
    """Whether x is seconds; else it is agent steps."""
    log: bool = False
    """Whether the y axis is logarithmic."""
    cursor: float | None = None
    """Where the cursor stands."""
    marks: Sequence[Mark] = ()
    """What happened."""
    levels: Sequence[Level] = ()
    """What the values are held against; the scale of values reaches to them."""

    def column(self, x: float, columns: int) -> int:
        """Which of a plot's `columns` shows `x`; one that it has not, when it is not shown."""
        return round((x - self.low) / (self.high - self.low) * (columns - 1))

    def x_at(self, column: int, columns: int) -> float:
        """What the middle of one of a plot's `columns` shows."""
        return self.low + (self.high - self.low) * column / max(1, columns - 1)


@dataclass(frozen=True)
class Inks:
    """How everything looks."""

    lines: tuple[Style, ...]
    """Curves, by colour."""
    faint: tuple[Style, ...]
    """What is behind them, by colour."""
    axes: Style
    """Axes and their words."""
    cursor: Style
    """The cursor's line."""
    edit: Style
    """Marks of edits."""
    save: Style
    """Marks of saves."""
    ascii_only: bool = False
    """Whether the terminal knows no braille and no lines."""

    def letter(self, colour: int) -> str:
        """What a curve is made of without braille."""
        return _LETTERS[colour % len(_LETTERS)]
