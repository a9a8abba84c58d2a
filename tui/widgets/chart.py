"""A curve of one metric over the steps of the whole run.

`draw` is a pure function from points to text, by plotext with its braille dots; the widget gives it
size and colours. Tested by `tests/tui/widgets/test_chart.py` on exact strings.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from rich.style import Style
from rich.text import Text
from textual.app import RenderResult
from textual.reactive import reactive
from textual.widget import Widget
from textual_plotext import Plot

from tui.formatting import compact
from tui.history import Board, Point

_LINES_A_TICK = 4
_COLUMNS_A_TICK = 16
REDRAW_S: Final = 5.0
"""Seconds that a curve stands while iterations come: drawing is most of what watching costs."""
_BRAILLE = "[\u2801-\u28ff]+"


def draw(points: Sequence[Point], width: int, height: int, line: Style, axes: Style) -> Text:
    """The curve through `points` in `width` columns and `height` lines; one point is a dot."""
    plot: Any = Plot()
    plot.theme("clear")
    plot.plotsize(width, height)
    plot.frame(False)
    xs, ys = zip(*thin(points, width), strict=True)
    low, high = _limits(ys)
    plot.ylim(low, high)
    plot.yticks(*_ticks(low, high, height // _LINES_A_TICK))
    plot.xticks(*_ticks(xs[0], xs[-1], width // _COLUMNS_A_TICK))
    plot.plot(xs, ys, marker="braille")
    text = Text(plot.uncolorize(plot.build()), axes)
    text.highlight_regex(_BRAILLE, line)
    return text


def thin(points: Sequence[Point], count: int) -> Sequence[Point]:
    """About `count` of the points, evenly, with the first and the last: a column shows no more."""
    stride = max(1, len(points) // count)
    return [*points[:-1:stride], points[-1]]


def _limits(ys: Sequence[float]) -> tuple[float, float]:
    """The range to show: that of the values, or some room around a value that never moved."""
    low, high = min(ys), max(ys)
    room = 0.0 if high > low else abs(high) / 2 or 1.0
    return low - room, high + room


def _ticks(low: float, high: float, wanted: int) -> tuple[list[float], list[str]]:
    """At least two places from `low` to `high`, evenly spread, and their words."""
    count = max(2, wanted)
    places = [low + (high - low) * index / (count - 1) for index in range(count)]
    return places, [compact(place) for place in places]


class Chart(Widget):
    """One metric's curve, with its name and newest value in the border."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"chart--line", "chart--axes"}

    board: reactive[Board | None] = reactive(None)

    def __init__(
        self, title: str, metric: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Draw `metric`, called `title`, with `clock` telling seconds."""
        super().__init__()
        self._clock = clock
        self._drawn: Board | None = None
        self._drawn_at, self._drawn_as = 0.0, (0, 0, Style(), Style())
        self._picture = Text()
        self.border_title = title
        self.metric = metric

    def on_mount(self) -> None:
        """Show in time what came since the last drawing."""
        self.set_interval(REDRAW_S, self._catch_up)

    def _catch_up(self) -> None:
        if self._drawn is not self.board:
            self.refresh()

    def watch_board(self, board: Board | None) -> None:
        """Put the newest value beside the name."""
        if board:
            value = board.latest.values.get(self.metric, float("nan"))
            self.border_subtitle = compact(value)

    def render(self) -> RenderResult:
        """The curve, or a quiet word while there is none."""
        width, height = self.content_size
        points = self.board.charts.get(self.metric, ()) if self.board else ()
        if not points:
            return Text("nothing yet", self.get_component_rich_style("chart--axes"))
        if width < 12 or height < 3:
            return ""
        line, axes = map(self.get_component_rich_style, ("chart--line", "chart--axes"))
        now, wanted = self._clock(), (width, height, line, axes)
        if wanted != self._drawn_as or now - self._drawn_at >= REDRAW_S:
            self._picture = draw(points, *wanted)
            self._drawn, self._drawn_at, self._drawn_as = self.board, now, wanted
        return self._picture
