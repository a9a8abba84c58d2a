"""From the values of curves to places in a plot: what is visible, between which limits, and where.

Pure. Tested by `tests/tui/test_plot_scale.py`.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tui.plot_ticks import Tick, linear, logarithmic

_LEVEL = 1e-12
"""Values that differ by less of their size are one value."""
_SMALLEST = 1e-100
"""What differs by less cannot be drawn apart."""


@dataclass(frozen=True)
class Stroke:
    """One line: parallel columns, x rising."""

    xs: Sequence[float]
    """Where on the x axis."""
    ys: Sequence[float]
    """The value."""
    lows: Sequence[float] = ()
    """The least that it is the mean of; none when it is no mean."""
    highs: Sequence[float] = ()
    """The greatest."""


class Part(NamedTuple):
    """An unbroken piece of a line on the scale of its plot: parallel columns."""

    xs: Sequence[float]
    """Where on the x axis, rising."""
    ys: Sequence[float]
    """The values, or their logarithms."""
    lows: Sequence[float]
    """The least that each is the mean of; itself when it is no mean."""
    highs: Sequence[float]
    """The greatest."""


@dataclass(frozen=True)
class Scale:
    """A range of values, linear or of logarithms to base 10."""

    low: float
    """The least; a logarithm when `log`."""
    high: float
    """The greatest; more than `low`."""
    log: bool = False
    """Whether the values are logarithms."""

    def place(self, y: float) -> float | None:
        """Where a value stands on this scale; None where a logarithmic one has no place for it."""
        if not self.log:
            return y
        return math.log10(y) if y > 0 else None

    def row(self, place: float, rows: int) -> int:
        """Which of a plot's `rows`, from the top, shows a place from `low` to `high`."""
        return round((self.high - place) / (self.high - self.low) * (rows - 1))

    def ticks(self, wanted: int) -> list[Tick]:
        """About `wanted` marks with words, their places on this scale."""
        if not self.log:
            return linear(self.low, self.high, wanted)
        found = logarithmic(10.0**self.low, 10.0**self.high, wanted)
        return [Tick(math.log10(tick.place), tick.words) for tick in found if tick.place > 0]


def visible(stroke: Stroke, low: float, high: float, *, log: bool) -> list[Part]:
    """The parts of a line from x `low` to `high` and one value beyond on either side.

    A logarithmic scale has no place for what is not positive: the line is broken there.
    """
    begin = max(0, bisect_left(stroke.xs, low) - 1)
    end = min(len(stroke.xs), bisect_right(stroke.xs, high) + 1)
    xs, ys = stroke.xs[begin:end], stroke.ys[begin:end]
    part = Part(xs, ys, stroke.lows[begin:end] or ys, stroke.highs[begin:end] or ys)
    return _logarithms(part) if log else [part] if len(xs) else []


def limits(parts: Iterable[Part], low: float, high: float, *, log: bool) -> Scale | None:
    """The range of all values from x `low` to `high`; None when there is none."""
    every = list(parts)
    ranges = [found for part in every if (found := _range(part, low, high))]
    # Nothing may stand between two values: then the line through shows what is around.
    ranges = ranges or [(min(part.lows), max(part.highs)) for part in every]
    if not ranges:
        return None
    least, most = min(least for least, _ in ranges), max(most for _, most in ranges)
    if most - least <= max(_LEVEL * max(abs(least), abs(most)), _SMALLEST):
        room = abs(most) / 2 if abs(most) > _SMALLEST and not log else 1.0
        least, most = least - room, most + room
    return Scale(least, most, log)


def _range(part: Part, low: float, high: float) -> tuple[float, float] | None:
    begin, end = bisect_left(part.xs, low), bisect_right(part.xs, high)
    return (min(part.lows[begin:end]), max(part.highs[begin:end])) if begin < end else None


def _logarithms(part: Part) -> list[Part]:
    holes = [index for index, y in enumerate(part.ys) if y <= 0]
    pieces = zip([-1, *holes], [*holes, len(part.ys)], strict=True)
    found = []
    for before, after in pieces:
        if after - before > 1:
            xs, ys, lows, highs = (column[before + 1 : after] for column in part)
            # A least value without a logarithm is taken as the mean.
            least = [low if low > 0 else y for low, y in zip(lows, ys, strict=True)]
            found.append(
                Part(xs, *([math.log10(v) for v in column] for column in (ys, least, highs)))
            )
    return found
