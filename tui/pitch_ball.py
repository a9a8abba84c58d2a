"""The ball from above: a disc that grows with its height, and a ring while a touch is fresh.

Knows nothing of cars. Tested by `tests/tui/test_pitch_canvas.py` and `test_pitch_marks.py`.
"""

import math

from trainer.frames import Frame
from tui.braille import Dots
from tui.pitch_field import View
from tui.pitch_recent import Touch
from tui.pitch_style import BRIGHT, TEAM, Ink, Layer, style, written

_RADIUS = 91.25
_LEAST_RADIUS = 1.5  # dots
_RING = 2.5  # dots around the ball
_CEILING = 2044.0
_LOW = 250.0  # uu below which no height is written


def ball(frame: Frame, touch: Touch | None, view: View, ascii_only: bool) -> Layer:
    """The ball, its height when it is up, and who has just touched it."""
    layer = _ring(frame, touch, view, ascii_only) | _height(frame, view)
    return layer | _disc(frame, view, ascii_only)


def height(z: float, mark: str, at: tuple[int, int], beside: int, view: View) -> Layer:
    """Whole metres, at least one, and a mark, on the side of a cell that has room.

    Args:
        z: uu; 0 writes only the mark.
        mark: Stands behind the metres.
        at: Column and row of what is so high.
        beside: Cells from there to the text.
        view: What it must fit in.
    """
    text = (f"↑{max(1, round(z / 100))}" if z else "") + mark
    column = at[0] + beside
    if column + len(text) > view.columns:
        column = at[0] - beside - len(text) + 1
    return written(text, column, at[1], style(BRIGHT))


def _height(frame: Frame, view: View) -> Layer:
    if frame.ball_z <= _LOW:
        return {}
    beside = math.ceil(_radius(frame.ball_z, view) / 2) + 1
    return height(frame.ball_z, "", view.cell(frame.ball_x, frame.ball_y), beside, view)


def _disc(frame: Frame, view: View, ascii_only: bool) -> Layer:
    look = style(BRIGHT, bold=True)
    if ascii_only:
        return {view.cell(frame.ball_x, frame.ball_y): Ink("@", look)}
    dots = Dots(view.columns, view.rows)
    dots.disc(*view.dot(frame.ball_x, frame.ball_y), _radius(frame.ball_z, view))
    return {cell: Ink(char, look) for cell, char in dots.cells().items()}


def _radius(z: float, view: View) -> float:
    """In dots: a camera above sees it grow as it rises, to twice its size below the ceiling."""
    share = min(1.0, max(0.0, z / _CEILING))
    return max(_LEAST_RADIUS, _RADIUS / view.uu_per_dot) * (1.0 + share)


def _ring(frame: Frame, touch: Touch | None, view: View, ascii_only: bool) -> Layer:
    if touch is None:
        return {}
    look = style(TEAM[touch.team], bold=True)
    if ascii_only:
        column, row = view.cell(frame.ball_x, frame.ball_y)
        return {(column - 1, row): Ink("(", look), (column + 1, row): Ink(")", look)}
    dots = Dots(view.columns, view.rows)
    radius = _radius(frame.ball_z, view) + _RING
    dots.circle(*view.dot(frame.ball_x, frame.ball_y), radius)
    return {cell: Ink(char, look) for cell, char in dots.cells().items()}
