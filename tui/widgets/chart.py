"""A curve of one metric over the steps of the whole run, small, with its newest value.

Drawn by `plot.py`; here it gets size and colours. Tested by `tests/tui/widgets/test_chart.py`.
"""

from typing import ClassVar

from rich.segment import Segment
from textual.reactive import reactive
from textual.strip import Strip

from tui.curve import Curve
from tui.formatting import compact
from tui.history import Board
from tui.plot import plot
from tui.plot_scale import Stroke
from tui.plot_style import Inks, Trace, Window
from tui.terminal import draws_ascii
from tui.widgets.drawn import Drawn


def draw(curve: Curve, size: tuple[int, int], inks: Inks) -> list[Strip]:
    """The line of the means of `curve` in so many columns and lines; one value is a dot."""
    low, high = curve.steps[0], curve.steps[-1]
    if low == high:
        low, high = low - 0.5, high + 0.5
    trace = Trace(Stroke(curve.steps, curve.means))
    return plot([trace], Window(low, high), size, inks)


class Chart(Drawn):
    """One metric's curve, with its name and newest value in the border."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"chart--line", "chart--axes"}

    board: reactive[Board | None] = reactive(None)

    def __init__(self, title: str, metric: str) -> None:
        """Draw `metric`, called `title`."""
        super().__init__()
        self.border_title = title
        self.metric = metric

    def turn_to(self, title: str, metric: str) -> None:
        """Draw `metric` from now on, called `title`."""
        if metric != self.metric:
            self.border_title, self.metric = title, metric
            self.watch_board(self.board)
            self.refresh()

    def watch_board(self, board: Board | None) -> None:
        """Put the newest value beside the name, and draw again when it is asked for."""
        self.forget_lines()
        if board:
            value = board.latest.values.get(self.metric, float("nan"))
            self.border_subtitle = compact(value)

    def draw_lines(self) -> list[Strip]:
        """The line of the curve, or a quiet word while there is none."""
        line, axes = map(self.get_component_rich_style, ("chart--line", "chart--axes"))
        curves = self.board.history.curves(self.metric) if self.board else ()
        if not curves:
            return [Strip([Segment("nothing yet", axes)])]
        inks = Inks((line,), (line,), axes, axes, axes, axes, draws_ascii(self.app))
        return draw(curves[-1], self.content_size, inks)
