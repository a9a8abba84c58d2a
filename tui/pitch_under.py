"""What lies on the floor, under ball and cars: boost pads, and trails that fade.

A trail is dense where it is fresh and sparse where it is old, so that it fades without colours too.
Tested by `tests/tui/test_pitch_marks.py`.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from trainer.frames import Frame
from tui import pitch_field
from tui.braille import Dots
from tui.pitch_field import View
from tui.pitch_recent import TRAIL_S, Recent
from tui.pitch_style import PAD, SHADES, SMOKE, SPENT, Ink, Layer, style

_ROOM_FOR_SMALL = 130.0  # uu a dot above which only the big pads are drawn
_PADS = (("◇", "◆"), ("·", "•"))
_ASCII_PADS = (("o", "*"), ("-", "+"))
"""Big and small pads: taken, there."""
_CAR_TRAIL_S = 0.9
_LIT = ((0, 1, 2, 3, 4), (0, 2, 3), (0,))
"""Which dots of a trail are lit, by how faded it is: see `_stippled`."""


class _Spot(NamedTuple):
    """A place where something was."""

    age: float
    """0 now, 1 where the trail ends."""
    x: float
    y: float


def pads(bits: int, view: View, ascii_only: bool) -> Layer:
    """Every boost pad, there or taken; bit i of `bits` is pad i."""
    layer: Layer = {}
    signs = _ASCII_PADS if ascii_only else _PADS
    for index, place in enumerate(pitch_field.PADS):
        small = index not in pitch_field.BIG_PADS
        if not small or view.uu_per_dot < _ROOM_FOR_SMALL:
            there = bits >> index & 1
            look = style(PAD if there else SPENT, bold=bool(there and not small))
            layer[view.cell(*place)] = Ink(signs[small][there], look)
    return layer


def trails(recent: Recent, view: View, ascii_only: bool) -> Layer:
    """Where the cars, then the ball, came from."""
    if recent.last is None:
        return {}
    layer: Layer = {}
    past = (*recent.trail, recent.last)
    for car, now in enumerate(recent.last.cars):
        layer |= _trail(_car_spots(past, car), view, SHADES[now.team], ascii_only)
    return layer | _trail(_ball_spots(past), view, SMOKE, ascii_only)


def _ball_spots(past: tuple[Frame, ...]) -> list[_Spot]:
    now = past[-1].time_s
    return [_Spot((now - then.time_s) / TRAIL_S, then.ball_x, then.ball_y) for then in past]


def _car_spots(past: tuple[Frame, ...], car: int) -> list[_Spot]:
    """Since its last respawn."""
    now, spots = past[-1].time_s, list[_Spot]()
    for then in past:
        if then.cars[car].demolished:
            spots.clear()
        elif now - then.time_s < _CAR_TRAIL_S:
            age = (now - then.time_s) / _CAR_TRAIL_S
            spots.append(_Spot(age, then.cars[car].x, then.cars[car].y))
    return spots


def _trail(spots: list[_Spot], view: View, shades: tuple[str, str, str], ascii_only: bool) -> Layer:
    dots = Dots(view.columns, view.rows)
    faded: dict[tuple[int, int], int] = {}
    for spot in _dotted(spots, view):
        across, down = view.dot(spot.x, spot.y)
        if _stippled(math.floor(across), math.floor(down)) in _LIT[_fading(spot.age)]:
            dots.plot(across, down)
            faded[view.cell(spot.x, spot.y)] = _fading(spot.age)
    return {
        cell: Ink(":" if ascii_only else char, style(shades[faded[cell]]))
        for cell, char in dots.cells().items()
    }


def _dotted(spots: list[_Spot], view: View) -> Iterator[_Spot]:
    """The remembered places and those between, a dot apart."""
    for start, end in pairwise(spots):
        count = max(1, round(math.dist(start[1:], end[1:]) / view.uu_per_dot))
        for step in range(count):
            share = step / count
            yield _Spot(*(a + (b - a) * share for a, b in zip(start, end, strict=True)))


def _stippled(across: int, down: int) -> int:
    """0 to 4 by the place on the screen, so that what is lit stays lit as the trail goes on.

    Along rows, columns and diagonals all five follow each other, so no such trail vanishes.
    """
    return (across + 2 * down) % 5


def _fading(age: float) -> int:
    return min(2, int(3 * age))
