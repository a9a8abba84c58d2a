"""Colours of the pitch and the pieces its lines are made of.

A row is a list of inks, one for each cell; a layer is what is drawn over rows, by cell. Knows no
frame. Used by every `pitch_….py`, tested through them.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.braille import Cell

TEAM = ("#6cb2eb", "#f6a05c")
"""Colour of blue and of orange."""
NAMES = ("Blue", "Orange")
GRASS = ("#0e1b2c", "#271b10")
"""Ground of either half."""
LIT = ("#1d4468", "#6b4420")
"""Ground of a half in which a goal fell, in the colour of whoever scored."""
SHADES = ((TEAM[0], "#4b7ba4", "#33536f"), (TEAM[1], "#ab7044", "#744d31"))
"""A team's colour as it fades."""
SMOKE = ("#d7dde4", "#8d97a3", "#58636f")
"""The ball's trail as it fades."""
CHALK, QUIET, BRIGHT, DARK, FLAME = "#61707f", "#8a99a8", "#ffffff", "#101418", "#ffd75f"
PAD, SPENT = "#d9b23c", "#4e5864"
"""A boost pad that is there, and one that was taken."""


class Ink(NamedTuple):
    """What stands in one cell."""

    char: str
    style: Style


Row = list[Ink]
Layer = dict[Cell, Ink]


@lru_cache(maxsize=256)
def style(
    colour: str | None, ground: str | None = None, bold: bool = False, underline: bool = False
) -> Style:
    """A style; what is None or False is left as it is below."""
    return Style(color=colour, bgcolor=ground, bold=bold or None, underline=underline or None)


@lru_cache(maxsize=4096)
def on_ground(look: Style, below: Style) -> Style:
    """A style over another: where it has no ground of its own, the one below shows."""
    return look if look.bgcolor else Style(bgcolor=below.bgcolor) + look


def strip(inks: Iterable[Ink]) -> Strip:
    """Cells to a line, neighbours of one style in one piece.

    A space shows its ground only, so it joins a piece on the same ground: each piece costs some 40
    bytes of escapes beside its text.
    """
    pieces: list[tuple[list[str], Style]] = []
    bare = False  # whether the last piece has nothing but spaces
    for char, look in inks:
        last = pieces[-1][1] if pieces else None
        if last is look or (last is not None and char == " " and _same_ground(last, look)):
            pieces[-1][0].append(char)
            bare = bare and char == " "
        elif last is not None and bare and _same_ground(last, look):
            pieces[-1] = [*pieces[-1][0], char], look
            bare = False
        else:
            pieces.append(([char], look))
            bare = char == " "
    return Strip([Segment("".join(chars), look) for chars, look in pieces])


@lru_cache(maxsize=4096)
def _same_ground(one: Style, other: Style) -> bool:
    """Whether a space looks the same in both."""
    return one.bgcolor == other.bgcolor and not (one.underline or other.underline)


def inked(text: str, look: Style) -> Row:
    """A text in one style; a sign that does not take exactly one cell becomes a question mark."""
    return [Ink(char if _is_narrow(char) else "?", look) for char in text]


def written(text: str, column: int, row: int, look: Style) -> Layer:
    """A text over a picture, from a cell to the right."""
    return {(column + index, row): ink for index, ink in enumerate(inked(text, look))}


def fitted(inks: Row, width: int) -> Row:
    """Exactly `width` cells: cut, or with spaces after them."""
    return [*inks, *blank(width - len(inks))][:width]


def blank(width: int) -> Row:
    """Spaces. Styled, for Textual's NO_COLOR filter trips over a piece without a style."""
    return [Ink(" ", style(None))] * width


@lru_cache(maxsize=1024)
def _is_narrow(char: str) -> bool:
    return cell_len(char) == 1
