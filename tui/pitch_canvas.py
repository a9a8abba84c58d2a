"""One frame as lines of a terminal: the score, the pitch from above, the boost.

A pure function of the frame and the size, so it is tested on exact strings without an app. The
ball is a disc of dots that grows with its height; a car is an arrow on its team's colour; heights
stand beside them in metres (100 uu). Without colours blue arrows are single and orange ones
double. Knows no process and no widget. Tested by `tests/tui/test_pitch_canvas.py`.
"""

import math
import textwrap
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from trainer.frames import CarFrame, Frame
from tui import pitch_field
from tui.braille import Cell, Dots, merged
from tui.pitch_field import View
from tui.pitch_lines import boost_line, score_line
from tui.pitch_style import BRIGHT, CHALK, DARK, FLAME, GRASS, TEAM, Ink, blank, strip, style

MIN_WIDTH, MIN_HEIGHT = 16, 5

_ARROWS = ("↑↗→↘↓↙←↖", "⇑⇗⇒⇘⇓⇙⇐⇖")
_NOSES = "^/>\\v/<\\"
_AHEAD = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
_TO_ASCII = str.maketrans(
    {chr(0x2800 + bits): "." for bits in range(256)}
    | dict(zip("█×·↑▏▎▍▌▋▊▉", "#x-^------#", strict=True))
)

_BALL_RADIUS = 91.25
_LEAST_RADIUS = 1.5  # dots
_CEILING = 2044.0
_ROOMY = 70.0  # uu a dot below which a car takes three cells
_LOW_BALL, _LOW_CAR = 250.0, 150.0  # uu below which no height is written

Layer = dict[Cell, Ink]


def render(frame: Frame, width: int, height: int, *, ascii_only: bool = False) -> list[Strip]:
    """`height` strips of `width` cells; below 16 x 5 cells only the score is shown.

    Args:
        frame: What to draw.
        width: Cells across.
        height: Lines.
        ascii_only: For terminals without braille and arrows.
    """
    head = score_line(frame, width)
    if width < MIN_WIDTH or height < MIN_HEIGHT:
        strips = [head, *[blank(width)] * (height - 1)][:height]
    else:
        view = View(width, height - 2)
        drawn = _drawing(frame, view, ascii_only)
        strips = [head, *_pitch(view, drawn), boost_line(frame.cars, width)]
    return [_to_ascii(line) for line in strips] if ascii_only else strips


class _Empty(NamedTuple):
    rows: list[list[Ink]]
    strips: list[Strip]


@lru_cache(maxsize=4)
def _empty_pitch(view: View) -> _Empty:
    """What every frame of a size has in common."""
    walls = pitch_field.lines(view)
    chalk = {cell: (char, CHALK) for cell, char in walls.items()}
    for team, colour in enumerate(TEAM):
        for cell, char in pitch_field.goal(view, team).items():
            chalk[cell] = (merged(char, walls.get(cell, char)), colour)

    def ink(cell: Cell) -> Ink:
        char, colour = chalk.get(cell, (" ", None))
        x, y = view.place(cell)
        ground = GRASS[y > 0] if pitch_field.on_grass(x, y) else None
        return Ink(char, style(colour, ground))

    rows = [[ink((column, row)) for column in range(view.columns)] for row in range(view.rows)]
    return _Empty(rows, [strip(row) for row in rows])


def _pitch(view: View, drawn: Layer) -> list[Strip]:
    """The empty pitch with `drawn` over it; only the rows it touches are built anew."""
    empty = _empty_pitch(view)
    strips = list(empty.strips)
    by_row = sorted(drawn, key=lambda cell: cell[1])
    for row, cells in groupby(by_row, key=lambda cell: cell[1]):
        inks = list(empty.rows[row])
        for cell in cells:
            ink = drawn[cell]
            inks[cell[0]] = Ink(ink.char, inks[cell[0]].style + ink.style)
        strips[row] = strip(inks)
    return strips


def _drawing(frame: Frame, view: View, ascii_only: bool) -> Layer:
    """Everything that moves, later over earlier, cut off at the edges."""
    half = 1 if view.uu_per_dot < _ROOMY and not ascii_only else 0
    layer: Layer = {}
    if frame.cars:
        layer |= _heights(frame, view, half)
        layer |= _ball(frame, view, ascii_only)
    for car in frame.cars:
        layer |= _flame(car, view) | _car(car, view, half, ascii_only)
    layer |= _note(frame.note, view)
    return {
        (column, row): ink
        for (column, row), ink in layer.items()
        if 0 <= column < view.columns and 0 <= row < view.rows
    }


def _ball(frame: Frame, view: View, ascii_only: bool) -> Layer:
    look = style(BRIGHT, bold=True)
    if ascii_only:
        return {view.cell(frame.ball_x, frame.ball_y): Ink("@", look)}
    dots = Dots(view.columns, view.rows)
    dots.disc(*view.dot(frame.ball_x, frame.ball_y), _ball_radius(frame.ball_z, view))
    return {cell: Ink(char, look) for cell, char in dots.cells().items()}


def _ball_radius(z: float, view: View) -> float:
    """In dots: a camera above sees it grow as it rises, to twice its size below the ceiling."""
    share = min(1.0, max(0.0, z / _CEILING))
    return max(_LEAST_RADIUS, _BALL_RADIUS / view.uu_per_dot) * (1.0 + share)


def _car(car: CarFrame, view: View, half: int, ascii_only: bool) -> Layer:
    """An arrow with `half` cells of body on either side; in ASCII a letter and its nose."""
    team = int(car.team == 1)
    column, row = view.cell(car.x, car.y)
    if car.demolished:
        return {(column, row): Ink("×", style(TEAM[team], bold=True))}
    way = view.direction(car.yaw)
    look = style(DARK, TEAM[team], bold=True)
    if not ascii_only:
        body = _ARROWS[team][way].center(2 * half + 1)
        return _written(body, column - half, row, look)
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


def _heights(frame: Frame, view: View, half: int) -> Layer:
    """The heights of what is not down on the floor."""
    layer: Layer = {}
    if frame.ball_z > _LOW_BALL:
        beside = math.ceil(_ball_radius(frame.ball_z, view) / 2) + 1
        layer |= _height(frame.ball_z, view.cell(frame.ball_x, frame.ball_y), beside, view)
    for car in frame.cars:
        if car.z > _LOW_CAR or not (car.on_ground or car.demolished):
            layer |= _height(car.z, view.cell(car.x, car.y), half + 2, view)
    return layer


def _height(z: float, cell: Cell, beside: int, view: View) -> Layer:
    """Whole metres, at least one, `beside` cells from `cell`, on the side that has room."""
    text = f"↑{max(1, round(z / 100))}"
    column = cell[0] + beside
    if column + len(text) > view.columns:
        column = cell[0] - beside - len(text) + 1
    return _written(text, column, cell[1], style(BRIGHT))


def _note(note: str, view: View) -> Layer:
    """A sentence in the middle, wrapped to the width."""
    lines = textwrap.wrap(note, view.columns - 2)
    top = (view.rows - len(lines)) // 2
    layer: Layer = {}
    for index, line in enumerate(lines):
        column = (view.columns - len(line)) // 2
        layer |= _written(f" {line} ", column - 1, top + index, style(BRIGHT, DARK, bold=True))
    return layer


def _written(text: str, column: int, row: int, look: Style) -> Layer:
    return {(column + index, row): Ink(char, look) for index, char in enumerate(text)}


def _to_ascii(line: Strip) -> Strip:
    return Strip([Segment(part.text.translate(_TO_ASCII), part.style) for part in line])
