"""Lays panels of curves out one above the other, with legends and what the cursor points at.

Pure, from a scene and a view to strips. Tested by `tests/tui/test_chart_page.py` on exact strings.
"""

from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.chart_scene import Line, Panel, Scene
from tui.chart_view import View
from tui.curve import Curve, smoothed
from tui.formatting import compact, shorten
from tui.plot import GUTTER, plot
from tui.plot_scale import Stroke
from tui.plot_style import Inks, Mark, Trace, Window
from tui.plot_ticks import span

LEAST_LINES: Final = 7
"""Lines of a panel that can be read; panels that have less are not shown."""
_GAP: Final = "   "


def draw(scene: Scene, view: View, size: tuple[int, int], inks: Inks) -> list[Strip]:
    """All panels that have room, and a last line that says what is seen."""
    width, height = size
    window = window_of(scene, view)
    if window is None or height < 3:
        return [Strip.blank(width)] * height
    fit = max(1, (height - 1) // LEAST_LINES)
    panels = scene.panels[:fit]
    share, rest = divmod(height - 1, len(panels))
    strips: list[Strip] = []
    for index, panel in enumerate(panels):
        lines, last = share + (index < rest), index == len(panels) - 1
        strips += _panel(panel, view, window, (width, lines), inks, last=last)
    words = _sentence(scene, view, window, left_out=len(scene.panels) - len(panels), width=width)
    return [
        *strips,
        Strip([Segment(shorten(words, width), inks.axes)]).adjust_cell_length(width, inks.axes),
    ]


def window_of(scene: Scene, view: View) -> Window | None:
    """The part of the x axis that all panels show; None when there is nothing to show."""
    if (whole := scene.whole(by_time=view.by_time)) is None:
        return None
    marks = [
        Mark(scene.x_of(event, by_time=view.by_time), "edit" if event.kind == "edit" else "save")
        for event in scene.events
    ]
    return Window(*view.part(whole), view.by_time, view.log, view.cursor, marks)


def _panel(
    panel: Panel, view: View, window: Window, size: tuple[int, int], inks: Inks, *, last: bool
) -> list[Strip]:
    width, height = size
    legend = _legend(panel, view, width, inks)[: max(1, height - LEAST_LINES + 1)]
    traces = [_trace(line, view) for line in panel.lines]
    room = width, height - len(legend)
    return [*legend, *plot(traces, window, room, inks, x_words=last)]


def _trace(line: Line, view: View) -> Trace:
    strokes = [_stroke(line, curve, view) for curve in line.curves]
    *abandoned, current = strokes
    if view.iterations == 1:
        return Trace(current, tuple(abandoned), line.colour)
    ys = smoothed(current.ys, line.curves[-1].counts, view.iterations)
    return Trace(Stroke(current.xs, ys), (*abandoned, current), line.colour)


def _stroke(line: Line, curve: Curve, view: View) -> Stroke:
    return Stroke(line.xs(curve, by_time=view.by_time), curve.means, curve.lows, curve.highs)


def _legend(panel: Panel, view: View, width: int, inks: Inks) -> list[Strip]:
    """What each line is called and its value, in as many lines as that takes."""
    title = "" if panel.unit == panel.lines[0].metric else f"{panel.unit}{_GAP}"
    rows: list[list[Segment]] = [[Segment(" " * GUTTER + title, inks.axes)]]
    used = GUTTER + len(title)
    for line in panel.lines:
        name, value = f"{_sign(line, inks)} {line.label} ", f"{_value(line, view)}{_GAP}"
        if used + len(name) + len(value) > width and used > GUTTER:
            rows.append([Segment(" " * GUTTER, inks.axes)])
            used = GUTTER
        rows[-1] += [
            Segment(name, inks.lines[line.colour % len(inks.lines)]),
            Segment(value, Style.null()),
        ]
        used += len(name) + len(value)
    return [Strip(row).adjust_cell_length(width, inks.axes) for row in rows]


def _value(line: Line, view: View) -> str:
    """The newest value, or exactly what stands at the cursor: a mean with its range, or one."""
    curve = line.curves[-1]
    if view.cursor is None:
        return compact(curve.means[-1])
    index = line.nearest(view.cursor, by_time=view.by_time)
    low, high = curve.lows[index], curve.highs[index]
    between = f" ({low:.4g} to {high:.4g})" if low < high else ""
    return f"{curve.means[index]:.6g}{between}"


def _sentence(scene: Scene, view: View, window: Window, *, left_out: int, width: int) -> str:
    """What the cursor points at, or how it is looked at."""
    said = _at_cursor(scene, view, window, width) if view.cursor is not None else _looks(view)
    if left_out:
        said = [f"{left_out} more have no room: choose fewer, or make the window taller", *said]
    return " " * GUTTER + " · ".join(said)


def _looks(view: View) -> list[str]:
    shown = "a part" if view.shown else "all of it"
    axis = "time since it began" if view.by_time else "agent steps"
    smooth = f"smoothed over {view.iterations} iterations" if view.smoothing else "not smoothed"
    return [f"{shown}, by {axis}", smooth, *(["logarithmic"] if view.log else [])]


def _at_cursor(scene: Scene, view: View, window: Window, width: int) -> list[str]:
    line = scene.lines[0]
    curve, index = line.curves[-1], line.nearest(view.cursor or 0.0, by_time=view.by_time)
    first, last = curve.first[index], curve.last[index]
    ends = f"{first:,.0f}" if first == last else f"{first:,.0f} to {last:,.0f}"
    which = f"iteration {ends}" if first == last else f"mean of iterations {ends}"
    found = [f"{round(curve.steps[index]):,} steps", span(curve.times[index] - line.began), which]
    columns = width - GUTTER
    here = window.column(view.cursor or 0.0, columns)
    events = [
        event.text
        for event in scene.events
        if window.column(scene.x_of(event, by_time=view.by_time), columns) == here
    ]
    return [*found, *events[-1:]]


def _sign(line: Line, inks: Inks) -> str:
    return inks.letter(line.colour) if inks.ascii_only else "●"
