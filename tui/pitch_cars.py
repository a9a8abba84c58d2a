"""The cars from above: arrows on their team's colour, how high they are, where their noses point.

Without colours blue arrows are single and orange ones double. Knows nothing of the ball. Tested by
`tests/tui/test_pitch_canvas.py` and `test_pitch_marks.py`.
"""

import math

from trainer.frames import CarFrame, Frame
from tui.braille import Dots
from tui.pitch_ball import height
from tui.pitch_field import View
from tui.pitch_style import DARK, FLAME, TEAM, Ink, Layer, style, written

_ARROWS = ("↑↗→↘↓↙←↖", "⇑⇗⇒⇘⇓⇙⇐⇖")
_NOSES = "^/>\\v/<\\"
_AHEAD = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
_ROOMY = 80.0  # uu a dot below which a car takes three cells
_LOW = 150.0  # uu below which no height is written
_STEEP = math.radians(20)
"""From here on a nose points up or down."""


def heights(frame: Frame, view: View, ascii_only: bool) -> Layer:
    """Metres of the cars that are not down on the floor, ▴ for a nose up and ▾ for one down."""
    layer: Layer = {}
    beside = _half(view, ascii_only) + 2
    for car in frame.cars:
        up = car.z > _LOW or not (car.on_ground or car.demolished)
        nose = "" if car.demolished or abs(car.pitch) < _STEEP else "▾▴"[car.pitch > 0]
        if up or nose:
            at = view.cell(car.x, car.y)
            layer |= height(max(1.0, car.z) if up else 0.0, nose, at, beside, view)
    return layer


def cars(frame: Frame, view: View, ascii_only: bool) -> Layer:
    """Every car, and the flames of those that boost; the followed one in brackets."""
    half = _half(view, ascii_only)
    followed = frame.mind.car if frame.mind else None
    layer: Layer = {}
    for index, car in enumerate(frame.cars):
        layer |= _flame(car, view) | _car(car, view, half, ascii_only, index == followed)
    return layer


def _half(view: View, ascii_only: bool) -> int:
    """Cells of body on either side of an arrow."""
    return 1 if view.uu_per_dot < _ROOMY and not ascii_only else 0


def _car(car: CarFrame, view: View, half: int, ascii_only: bool, followed: bool) -> Layer:
    """An arrow with `half` cells of body on either side; in ASCII a letter and its nose."""
    team = int(car.team == 1)
    column, row = view.cell(car.x, car.y)
    if car.demolished:
        return {(column, row): Ink("×", style(TEAM[team], bold=True))}
    way = view.direction(car.yaw)
    look = style(DARK, TEAM[team], bold=True, underline=followed)
    if not ascii_only:
        arrow = _ARROWS[team][way]
        body = f"[{arrow}]" if followed and half else arrow.center(2 * half + 1)
        return written(body, column - half, row, look)
    nose = column + _AHEAD[way][0], row + _AHEAD[way][1]
    return {nose: Ink(_NOSES[way], look), (column, row): Ink("BO"[team], look)}


def _flame(car: CarFrame, view: View) -> Layer:
    """Dots behind a car that boosts."""
    if not car.boosting or car.demolished:
        return {}
    dots = Dots(view.columns, view.rows)
    for back in (4.0, 5.0, 6.0, 7.0):
        behind = back * view.uu_per_dot
        dots.plot(*view.dot(car.x - behind * math.cos(car.yaw), car.y - behind * math.sin(car.yaw)))
    return {cell: Ink(char, style(FLAME)) for cell, char in dots.cells().items()}
