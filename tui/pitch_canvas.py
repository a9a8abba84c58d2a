"""One frame as rows of a terminal: the score, the pitch from above, the boost, and a side panel.

A pure function of the frame, of what came just before it and of the size, so it is tested on exact
strings without an app. Rows that nothing moves on are the same objects from frame to frame. Knows
no process and no widget. Tested by `tests/tui/test_pitch_canvas.py`.
"""

from functools import lru_cache

from trainer.frames import Frame
from tui import pitch_field
from tui.braille import Cell, merged
from tui.pitch_ball import ball
from tui.pitch_cars import cars, heights
from tui.pitch_field import View
from tui.pitch_lines import boost_line, score_line
from tui.pitch_notes import banner, note
from tui.pitch_recent import Recent
from tui.pitch_side import NO_EXTRAS, WIDTH, Extras, side
from tui.pitch_style import CHALK, GRASS, LIT, TEAM, Ink, Layer, Row, blank, on_ground, style
from tui.pitch_under import pads, trails

MIN_WIDTH, MIN_HEIGHT = 16, 5
SIDE_FROM = (108, 16)
"""Least size with a side panel."""

_TO_ASCII = {chr(0x2800 + bits): "." for bits in range(256)} | dict(
    zip("█×·↑▏▎▍▌▋▊▉▴▾═▸…●–←→", "#x-^------#/\\=>.*-<>", strict=True)
)


def draw(
    frame: Frame,
    width: int,
    height: int,
    recent: Recent | None = None,
    extras: Extras = NO_EXTRAS,
    *,
    ascii_only: bool = False,
) -> list[Row]:
    """`height` rows of `width` cells; below 16 x 5 cells only the score is shown.

    Args:
        frame: What to draw.
        width: Cells across.
        height: Lines.
        recent: What led to it; None for nothing.
        extras: What the side panel says beyond the frame.
        ascii_only: For terminals without braille and arrows.
    """
    known = recent or Recent(last=frame)
    head = score_line(frame, width)
    if width < MIN_WIDTH or height < MIN_HEIGHT:
        rows = [head, *[blank(width)] * (height - 1)][:height]
    else:
        beside = WIDTH if (width, height) >= SIDE_FROM and height >= SIDE_FROM[1] else 0
        view = View(width - beside, height - 2)
        middle = _pitch(frame, known, view, ascii_only)
        if beside:
            panel = side(frame, known, extras, view.rows)
            middle = [[*row, *more] for row, more in zip(middle, panel, strict=True)]
        rows = [head, *middle, boost_line(frame, width)]
    return [_to_ascii(row) for row in rows] if ascii_only else rows


def _pitch(frame: Frame, recent: Recent, view: View, ascii_only: bool) -> list[Row]:
    """The empty pitch and everything that moves; only rows that it touches are built anew."""
    rows = list(_empty_pitch(view, recent.scored))
    if frame.cars:
        _paint(rows, view, pads(frame.pads, view, ascii_only))
        _paint(rows, view, trails(recent, view, ascii_only), through=True)
        over = heights(frame, view, ascii_only)
        over |= ball(frame, recent.touch, view, ascii_only) | cars(frame, view, ascii_only)
        _paint(rows, view, over)
    said = note(frame.note, view) if recent.scored is None else banner(recent.scored, view)
    _paint(rows, view, said)
    return rows


@lru_cache(maxsize=8)
def _empty_pitch(view: View, scored: int | None) -> tuple[Row, ...]:
    """What every frame of a size has in common.

    Args:
        view: The size.
        scored: The team whose goal lights the other half; None for neither.
    """
    walls = pitch_field.lines(view)
    chalk = {cell: (char, CHALK) for cell, char in walls.items()}
    for team, colour in enumerate(TEAM):
        for cell, char in pitch_field.goal(view, team).items():
            chalk[cell] = (merged(char, walls.get(cell, char)), colour)

    def ink(cell: Cell) -> Ink:
        char, colour = chalk.get(cell, (" ", None))
        x, y = view.place(cell)
        half = int(y > 0)
        ground = LIT[scored] if scored is not None and half != scored else GRASS[half]
        return Ink(char, style(colour, ground if pitch_field.on_grass(x, y) else None))

    return tuple([ink((column, row)) for column in range(view.columns)] for row in range(view.rows))


def _paint(rows: list[Row], view: View, layer: Layer, *, through: bool = False) -> None:
    """Put a layer over rows, cut off at the edges; rows are replaced, never changed.

    Args:
        rows: What is there.
        view: How large it is.
        layer: What comes over it; grounds without a colour stay as they are.
        through: Whether dots that are there stay between those of the layer.
    """
    fresh: set[int] = set()
    for (column, row), (char, look) in layer.items():
        if not (0 <= column < view.columns and 0 <= row < view.rows):
            continue
        if row not in fresh:
            fresh.add(row)
            rows[row] = list(rows[row])
        below = rows[row][column]
        if through and _is_braille(below.char) and _is_braille(char):
            char = merged(char, below.char)
        rows[row][column] = Ink(char, on_ground(look, below.style))


def _is_braille(char: str) -> bool:
    return "\u2800" <= char <= "\u28ff"


def _to_ascii(row: Row) -> Row:
    return [Ink(_TO_ASCII.get(ink.char, ink.char), ink.style) for ink in row]
