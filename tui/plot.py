"""A plot as lines of text: curves between axes with readable numbers.

Pure, from values to strips. One plot has one scale; plots that stand one above the other share
their x axis, for the gutter left of it is as wide in all. Knows neither metrics nor widgets. Tested
by `tests/tui/test_plot.py` on exact strings.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from rich.segment import Segment
from textual.strip import Strip

from tui.plot_curves import Canvas
from tui.plot_scale import Scale
from tui.plot_style import Cell, Inks, Trace, Window
from tui.plot_ticks import Tick, clock, linear

GUTTER: Final = 9
"""Columns left of a plot: the words of its y axis, and the axis."""
_LINES_A_TICK: Final = 4
_COLUMNS_A_TICK: Final = 14
_AXES: Final = ("│", "┤", "─", "┴", "└", "▲", "•", "│")
_ASCII_AXES: Final = ("|", "+", "-", "+", "+", "^", "s", ":")


def plot(
    traces: Sequence[Trace],
    window: Window,
    size: tuple[int, int],
    inks: Inks,
    *,
    x_words: bool = True,
) -> list[Strip]:
    """The curves and their axes in `size` columns and lines; the last has the words of the x axis.

    Without `x_words` the axis stands alone, and the curves have a line more.
    """
    width, height = size
    columns, rows = width - GUTTER, height - 1 - x_words
    canvas = Canvas(traces, window)
    if columns < 2 or rows < 1 or canvas.scale is None:
        words = "no positive value here" if window.log else "nothing here yet"
        first = Strip([Segment(words, inks.axes)]).adjust_cell_length(width, inks.axes)
        return [first, *[Strip.blank(width, inks.axes)] * (height - 1)][:height]
    cells = canvas.draw(columns, rows, inks)
    _put_levels(cells, window, canvas.scale, inks)
    if window.cursor is not None:
        _put_cursor(cells, window.column(window.cursor, columns), inks)
    axis = _y_axis(canvas.scale, rows, inks)
    lines = [[*left, *row] for left, row in zip(axis, cells, strict=True)]
    ticks = _x_ticks(window, columns)
    lines.append(_x_axis(ticks, window, columns, inks))
    strips = [_strip(line) for line in lines]
    if x_words:
        strips.append(Strip([Segment(_words_below(ticks, window, columns), inks.axes)]))
    return strips


def _put_cursor(cells: list[list[Cell]], column: int, inks: Inks) -> None:
    bar = _signs(inks)[7]
    for row in cells:
        if 0 <= column < len(row) and row[column][0] == " ":
            row[column] = (bar, inks.cursor)


def _put_levels(cells: list[list[Cell]], window: Window, scale: Scale, inks: Inks) -> None:
    """Each level where nothing else stands, and its words where a row has room for them."""
    line = _signs(inks)[2]
    for level in window.levels:
        place = scale.place(level.y)
        if place is None:
            continue
        row = cells[scale.row(place, len(cells))]
        free = [text == " " for text, _ in row]
        row[:] = [(line, inks.axes) if cell[0] == " " else cell for cell in row]
        words = f" {level.words} "
        starts = range(1, len(row) - len(words))
        begin = next((at for at in starts if all(free[at : at + len(words)])), None)
        if begin is not None:
            row[begin : begin + len(words)] = [(letter, inks.axes) for letter in words]


def _y_axis(scale: Scale, rows: int, inks: Inks) -> list[list[Cell]]:
    """Words and axis left of each row."""
    line, tick_sign = _signs(inks)[:2]
    words = {}
    for tick in scale.ticks(max(2, rows // _LINES_A_TICK)):
        words[scale.row(tick.place, rows)] = tick.words[: GUTTER - 1]
    texts = ((words.get(row, ""), tick_sign if row in words else line) for row in range(rows))
    return [[(text.rjust(GUTTER - 1), inks.axes), (sign, inks.axes)] for text, sign in texts]


def _x_ticks(window: Window, columns: int) -> list[Tick]:
    ticks = clock if window.by_time else linear
    return ticks(window.low, window.high, max(2, columns // _COLUMNS_A_TICK))


def _x_axis(ticks: Sequence[Tick], window: Window, columns: int, inks: Inks) -> list[Cell]:
    """The axis, with its ticks and what happened."""
    _, _, line, tick_sign, corner, edit, save, _ = _signs(inks)
    cells = [(line, inks.axes)] * columns
    for tick in ticks:
        cells[window.column(tick.place, columns)] = (tick_sign, inks.axes)
    # An edit is rarer than a save, and says more: it is put last.
    for mark in sorted(window.marks, key=lambda mark: mark.kind == "edit"):
        column = window.column(mark.x, columns)
        if 0 <= column < columns:
            cells[column] = (edit, inks.edit) if mark.kind == "edit" else (save, inks.save)
    return [(" " * (GUTTER - 1), inks.axes), (corner, inks.axes), *cells]


def _words_below(ticks: Iterable[Tick], window: Window, columns: int) -> str:
    """The words of the x axis, each below its tick; one that has no room is left out."""
    line = ""
    for tick in ticks:
        middle = GUTTER + window.column(tick.place, columns)
        begin = min(middle - len(tick.words) // 2, GUTTER + columns - len(tick.words))
        if begin > len(line) or (begin >= 0 and not line):
            line = line.ljust(begin) + tick.words
    return line.ljust(GUTTER + columns)[: GUTTER + columns]


def _signs(inks: Inks) -> tuple[str, ...]:
    return _ASCII_AXES if inks.ascii_only else _AXES


def _strip(line: Iterable[Cell]) -> Strip:
    """Neighbours that look alike in one segment: less to send over a slow connection."""
    looks = groupby(line, key=itemgetter(1))
    return Strip([Segment("".join(text for text, _ in cells), style) for style, cells in looks])
