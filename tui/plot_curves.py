"""Curves as cells of text: braille dots in the colours of their curves, or letters without braille.

A cell shows what is in front there; the range behind a line is every other dot, so that the two
differ without colours, too. Pure. Tested by `tests/tui/test_plot.py`.
"""

from collections.abc import Sequence
from typing import Final

from tui.plot_raster import Raster
from tui.plot_scale import Part, Scale, Stroke, limits, visible
from tui.plot_style import Cell, Inks, Trace, Window

_BRAILLE: Final = 0x2800
_FAR: Final = 1e6
"""Dots: what is further away is drawn as if it were there, and stays a number."""


class Canvas:
    """The curves of one plot on their common scale."""

    def __init__(self, traces: Sequence[Trace], window: Window) -> None:
        """See what of `traces` the window shows."""
        self._window = window
        low, high, log = window.low, window.high, window.log
        self._parts = [
            (
                trace.colour,
                visible(trace.line, low, high, log=log),
                [part for stroke in trace.behind for part in visible(stroke, low, high, log=log)],
            )
            for trace in traces
        ]
        every = [part for _, line, behind in self._parts for part in (*line, *behind)]
        levels = [Stroke((low, high), (level.y, level.y)) for level in window.levels]
        every += [part for level in levels for part in visible(level, low, high, log=log)]
        self.scale: Scale | None = limits(every, low, high, log=log)
        """The range of all that is shown; None when nothing is."""

    def draw(self, columns: int, rows: int, inks: Inks) -> list[list[Cell]]:
        """All of it in so many cells, row by row; needs a scale."""
        front, back = Raster(columns, rows), Raster(columns, rows)
        for colour, line, behind in self._parts:
            for part in (*line, *behind):
                self._band(back, part, colour)
            for part in behind:
                self._line(back, part, colour)
            for part in line:
                self._line(front, part, colour)
        cells = [_cell(front, back, index, inks) for index in range(columns * rows)]
        return [cells[start : start + columns] for start in range(0, len(cells), columns)]

    def _line(self, raster: Raster, part: Part, colour: int) -> None:
        (left, across), (top, down) = self._scales(raster)
        xs = [(x - left) * across + 0.5 for x in part.xs]
        ys = [(top - y) * down + 0.5 for y in part.ys]
        # Only the ends may stand outside of what is shown.
        for column in (xs, ys):
            column[0], column[-1] = _near(column[0]), _near(column[-1])
        raster.polyline(xs, ys, colour)

    def _band(self, raster: Raster, part: Part, colour: int) -> None:
        """From the least to the greatest of each mean, up to where the next mean stands."""
        if part.lows == part.highs:
            return
        (left, across), (top, down) = self._scales(raster)
        begins = [int(_near((x - left) * across + 0.5)) for x in part.xs]
        tops = [int(_near((top - high) * down + 0.5)) for high in part.highs]
        bottoms = [int(_near((top - low) * down + 0.5)) for low in part.lows]
        raster.band(begins, tops, bottoms, colour)

    def _scales(self, raster: Raster) -> tuple[tuple[float, float], tuple[float, float]]:
        """Left end and dots a unit of x, greatest value and dots a unit of value."""
        window, scale = self._window, self.scale or Scale(0.0, 1.0)
        across = (raster.width - 1) / (window.high - window.low)
        return (window.low, across), (scale.high, (raster.height - 1) / (scale.high - scale.low))


def _near(dot: float) -> float:
    return min(max(dot, -_FAR), _FAR)


def _cell(front: Raster, back: Raster, index: int, inks: Inks) -> Cell:
    if bits := front.bits[index]:
        owner = front.owners[index]
        letter = inks.letter(owner) if inks.ascii_only else chr(_BRAILLE + bits)
        return letter, inks.lines[owner % len(inks.lines)]
    if bits := back.bits[index]:
        letter = "." if inks.ascii_only else chr(_BRAILLE + bits)
        return letter, inks.faint[back.owners[index] % len(inks.faint)]
    return " ", inks.axes
