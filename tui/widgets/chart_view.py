"""Charts that a person looks around in: keys and the mouse move, zoom and point.

Holds the scene and the view and draws them by `chart_page.py`; where they come from is the page's
affair. Tested by `tests/tui/screens/test_charts.py`.
"""

from typing import ClassVar

from rich.style import Style
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from tui.chart_page import draw, window_of
from tui.chart_scene import Scene
from tui.chart_view import ZOOM, View
from tui.plot import GUTTER
from tui.plot_style import Inks
from tui.terminal import draws_ascii
from tui.widgets.drawn import Drawn

COLOURS = 6
"""How many curves look different."""


class ChartView(Drawn, can_focus=True):
    """All chosen curves."""

    HELP = """
## Charts

Metrics of one unit share a chart; others stand one above the other, with one x axis for all.
A faint area is the least and the greatest of the iterations that a long run's line is the mean of;
closer, every iteration is drawn. A faint line is what the run left when it went back to an older
checkpoint, or the values themselves when the line is smoothed.

On the axis, ▲ is an edit of a setting and • a saved checkpoint.

**Mouse**: point to read the values, turn the wheel to zoom.
"""
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"charts--line-{number}" for number in range(COLOURS)),
        *(f"charts--faint-{number}" for number in range(COLOURS)),
        *("charts--axes", "charts--cursor", "charts--edit", "charts--save"),
    }

    scene: reactive[Scene] = reactive(Scene(), layout=False)
    view: reactive[View] = reactive(View())

    class Looked(Message):
        """The view changed."""

    def watch_scene(self) -> None:
        """Draw again when it is asked for."""
        self.forget_lines()

    def watch_view(self) -> None:
        """Draw again, and say so."""
        self.forget_lines()
        self.post_message(self.Looked())

    def draw_lines(self) -> list[Strip]:
        """The charts."""
        return draw(self.scene, self.view, self.content_size, self._inks())

    # What keys do

    def look(self, view: View) -> None:
        """Look in another way."""
        self.view = view

    def zoom(self, factor: float, around: float | None = None) -> None:
        """Closer, or further when the `factor` is above 1."""
        if whole := self.scene.whole(by_time=self.view.by_time):
            self.view = self.view.zoomed(whole, factor, around)

    def pan(self, share: float) -> None:
        """To the side."""
        if whole := self.scene.whole(by_time=self.view.by_time):
            self.view = self.view.panned(whole, share)

    def point(self, by: int) -> None:
        """Move the cursor by so many columns, to where the first line has a value."""
        whole = self.scene.whole(by_time=self.view.by_time)
        if whole and (lines := self.scene.lines):
            xs = lines[0].xs(lines[0].curves[-1], by_time=self.view.by_time)
            self.view = self.view.pointed(xs, whole, self._columns, by)

    # The mouse

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The cursor follows the pointer."""
        self._point_at(event.x)

    def on_click(self, event: events.Click) -> None:
        """So does it where somebody clicks."""
        self._point_at(event.x)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Closer to what is under the pointer."""
        event.stop()
        self.zoom(ZOOM, self._x_at(event.x))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Away from it."""
        event.stop()
        self.zoom(1 / ZOOM, self._x_at(event.x))

    def _point_at(self, column: int) -> None:
        x = self._x_at(column)
        if x is not None and (lines := self.scene.lines):
            by_time = self.view.by_time
            xs = lines[0].xs(lines[0].curves[-1], by_time=by_time)
            self.view = self.view.at(xs[lines[0].nearest(x, by_time=by_time)])

    def _x_at(self, column: int) -> float | None:
        window = window_of(self.scene, self.view)
        inside = GUTTER <= column < GUTTER + self._columns
        return window.x_at(column - GUTTER, self._columns) if window and inside else None

    @property
    def _columns(self) -> int:
        return self.content_size.width - GUTTER

    def _inks(self) -> Inks:
        def ink(part: str) -> Style:
            return self.get_component_rich_style(f"charts--{part}")

        numbers = range(COLOURS)
        lines = tuple(ink(f"line-{number}") for number in numbers)
        faint = tuple(ink(f"faint-{number}") for number in numbers)
        axes, cursor, edit, save = map(ink, ("axes", "cursor", "edit", "save"))
        return Inks(lines, faint, axes, cursor, edit, save, draws_ascii(self.app))
