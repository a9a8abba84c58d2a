"""Colours of the pitch and the pieces its lines are made of.

Knows no frame. Used by `pitch_canvas.py` and `pitch_lines.py`, tested through them.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

TEAM = ("#6cb2eb", "#f6a05c")
"""Colour of blue and of orange."""
GRASS = ("#0e1b2c", "#271b10")
"""Ground of either half."""
CHALK, QUIET, BRIGHT, DARK, FLAME = "#61707f", "#8a99a8", "#ffffff", "#101418", "#ffd75f"


class Ink(NamedTuple):
    """What stands in one cell."""

    char: str
    style: Style


@lru_cache(maxsize=256)
def style(colour: str | None, ground: str | None = None, bold: bool = False) -> Style:
    """A style; what is None or False is left as it is below."""
    return Style(color=colour, bgcolor=ground, bold=bold or None)


def strip(inks: Iterable[Ink]) -> Strip:
    """Cells to a line, neighbours of one style in one piece."""
    runs = groupby(inks, key=lambda ink: ink.style)
    return Strip([Segment("".join(ink.char for ink in run), look) for look, run in runs])


def inked(text: str, look: Style) -> list[Ink]:
    """A text in one style."""
    return [Ink(char, look) for char in text]


def blank(width: int) -> Strip:
    """Spaces. Styled, for Textual's NO_COLOR filter trips over a piece without a style."""
    return strip(inked(" " * width, style(None)))
