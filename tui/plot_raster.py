"""Lines in dots finer than the terminal's cells, each cell belonging to the line drawn there last.

Like `braille.py`, but made for curves: a vertical run of dots is set a cell at a time. x runs right
and y down, in dots. Tested by `tests/tui/test_plot_raster.py`.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Final

FAINT: Final = 0x95
"""Every other dot of a cell: an area that does not hide what is drawn over it."""
_FULL: Final = 0xFF
# Dots of the left and right half of a cell from row y downwards, and up to row y.
_HALVES: Final = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_RUNS: Final = tuple(
    tuple(tuple(sum(half[top : last + 1]) for last in range(4)) for top in range(4))
    for half in _HALVES
)

Dot = tuple[float, float]


class Raster:
    """Dots with an owner a cell; those outside are dropped."""

    def __init__(self, columns: int, rows: int) -> None:
        """A dark grid of `columns` x `rows` cells."""
        self.columns, self.rows = columns, rows
        self.width, self.height = 2 * columns, 4 * rows
        self.bits = bytearray(columns * rows)
        """Lit dots of each cell, row by row, as braille counts them."""
        self.owners = [-1] * (columns * rows)
        """Who drew there last; -1 is nobody."""

    def run(self, x: int, top: int, bottom: int, owner: int, mask: int = _FULL) -> None:
        """Light the dots of column `x` from `top` to `bottom`, both included."""
        top, bottom = max(0, top), min(self.height - 1, bottom)
        if not 0 <= x < self.width or top > bottom:
            return
        runs, column = _RUNS[x & 1], x >> 1
        for row in range(top >> 2, (bottom >> 2) + 1):
            first = top & 3 if row == top >> 2 else 0
            last = bottom & 3 if row == bottom >> 2 else 3
            cell = row * self.columns + column
            self.bits[cell] |= runs[first][last] & mask
            self.owners[cell] = owner

    def polyline(self, xs: Sequence[float], ys: Sequence[float], owner: int) -> None:
        """Light the dots on the line through places whose x never falls; one place is a dot.

        A column where several places stand is lit once, from the highest to the lowest.
        """
        column, top, bottom = math.floor(xs[0]), math.floor(ys[0]), math.floor(ys[0])
        for index, x in enumerate(xs):
            last, row = math.floor(x), math.floor(ys[index])
            if last > column:
                start, end = (xs[index - 1], ys[index - 1]), (x, ys[index])
                seen = max(column, -1), min(last, self.width)
                for passed, leaves in _crossings(start, end, *seen):
                    self.run(passed, min(top, leaves), max(bottom, leaves), owner)
                    top = bottom = leaves
                column = last
            if row < top:
                top = row
            elif row > bottom:
                bottom = row
        self.run(column, top, bottom, owner)

    def band(
        self, begins: Sequence[int], tops: Sequence[int], bottoms: Sequence[int], owner: int
    ) -> None:
        """Light every other dot from `tops` to `bottoms`, each up to where the next begins."""
        highest, lowest = [self.height] * self.width, [-1] * self.width
        ends = [*begins[1:], begins[-1] + 1]
        for begin, end, top, bottom in zip(begins, ends, tops, bottoms, strict=True):
            for column in range(max(0, begin), min(max(begin + 1, end), self.width)):
                if top < highest[column]:
                    highest[column] = top
                if bottom > lowest[column]:
                    lowest[column] = bottom
        for column, top in enumerate(highest):
            self.run(column, top, lowest[column], owner, FAINT)


def _crossings(start: Dot, end: Dot, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The columns from `first` up to, without, `last`, and in which row the line leaves each."""
    slope = (end[1] - start[1]) / (end[0] - start[0])
    low, high = (start[1], end[1]) if slope >= 0 else (end[1], start[1])
    for column in range(first, last):
        leaves = start[1] + slope * (column + 1 - start[0])
        yield column, math.floor(min(max(leaves, low), high))
