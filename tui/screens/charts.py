"""The page of charts: any metrics over the whole run, closer or from afar, beside other runs.

Keeps what is chosen and how it is looked at; reads no file itself: threads do. Tested by
`tests/tui/screens/test_charts.py`.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from trainer.branch import parent_of
from trainer.run_dir import RunDir
from tui import overlay_feed
from tui.chart_scene import Source, scene
from tui.chart_view import PAN, ZOOM
from tui.history import RunHistory
from tui.known import Known
from tui.overlay_feed import Closer, CloserRead, OtherRead
from tui.screens.overlay_dialog import OverlayDialog, siblings
from tui.screens.run_screen import RunScreen
from tui.widgets.chart_view import COLOURS, ChartView
from tui.widgets.metric_picker import MetricPicker
from tui.widgets.notice import waiting

FIRST = "Reward/total"
"""The metric that is drawn before anyone chose."""


@dataclass
class Other:
    """Another run that is drawn."""

    stop: threading.Event = field(default_factory=threading.Event)
    """Ends the thread that reads it."""
    history: RunHistory | None = None
    """What is known of it; None at first."""


def _key(
    name: str, keys: str, action: str, label: str, tooltip: str, *, show: bool = False
) -> Binding:
    return Binding(keys, action, label, show=show, tooltip=tooltip, id=f"charts.{name}")


class ChartsScreen(RunScreen):
    """Metrics on the left, their curves on the right."""

    PAGE = "charts"
    CSS_PATH = "charts.tcss"
    AUTO_FOCUS = "Metrics"
    BINDINGS: ClassVar[list[BindingType]] = [
        _key("filter", "slash", "filter", "Filter", "Find metrics by their names.", show=True),
        _key("log", "l", "log", "Log", "A logarithmic or a linear scale of values.", show=True),
        _key("axis", "x", "axis", "Time", "Against time since it began, or steps.", show=True),
        _key("smoother", "right_square_bracket", "smooth(1)", "Smooth", "Smooth more.", show=True),
        _key("rougher", "left_square_bracket", "smooth(-1)", "Rough", "Smooth less."),
        _key("closer", "plus,equals_sign", "closer", "Closer", "See half as much.", show=True),
        _key("further", "minus", "further", "Further", "See twice as much."),
        _key("all", "a", "all", "All", "See all of the run, without a cursor.", show=True),
        _key("left", "left", "pan(-1)", "Left", "Look at what was before."),
        _key("right", "right", "pan(1)", "Right", "Look at what came after."),
        _key("back", "shift+left", "point(-1)", "Back", "Read values a little earlier."),
        _key("on", "shift+right", "point(1)", "On", "Read values a little later."),
        _key("far_back", "ctrl+left", "point(-10)", "Far back", "Read values earlier."),
        _key("far_on", "ctrl+right", "point(10)", "Far on", "Read values later."),
        _key("overlay", "o", "overlay", "Other run", "Draw another run as well.", show=True),
        _key("clear", "c", "clear", "Clear", "Draw the reward of this run alone.", show=True),
    ]

    def __init__(self) -> None:
        """With the reward, and no other run."""
        super().__init__()
        self._chosen = [FIRST]
        self._others: dict[Path, Other] = {}
        self._details: Mapping[Path, RunHistory] = {}
        self._wish: Closer | None = None
        self._drawn: tuple[object, ...] = ()
        self._parent_sought = False

    def body(self) -> ComposeResult:
        """The list beside the charts."""
        yield Static(id="charts-waiting", markup=False)
        with Horizontal(id="charts-body"):
            yield MetricPicker(id="picker")
            yield ChartView(id="charts-view")

    def on_unmount(self) -> None:
        """End the threads that read."""
        for other in self._others.values():
            other.stop.set()
        if self._wish:
            self._wish.stop.set()

    # What is drawn

    def show(self, known: Known) -> None:
        """The curves as they are now; nothing while nothing changed."""
        self.set_class(known.board is None, "-waiting")
        if known.board is None:
            self.query_one("#charts-waiting", Static).update(waiting(known.status))
            return
        self._find_parent(known)
        others = tuple((run, other.history) for run, other in self._others.items())
        state = (known.board, known.events, *self._chosen, *others, *self._details.values())
        if state != self._drawn:
            self._drawn = state
            self._draw(known)
            self._look_closer()

    def _draw(self, known: Known) -> None:
        shown = scene(self._sources(known), self._chosen, known.events)
        self._view.scene = shown
        values = known.board.latest.values if known.board else {}
        styles = [
            self._view.get_component_rich_style(f"charts--line-{number}")
            for number in range(COLOURS)
        ]
        first = {line.metric: styles[line.colour % COLOURS] for line in reversed(shown.lines)}
        chosen: dict[str, Style] = {name: first.get(name, Style.null()) for name in self._chosen}
        self.query_one(MetricPicker).show(tuple(values), chosen)

    def _sources(self, known: Known) -> list[Source]:
        histories = self._histories(known)
        return [
            Source(run.resolve().name, history, self._details.get(run))
            for run, history in histories.items()
        ]

    def _histories(self, known: Known) -> dict[Path, RunHistory]:
        """Run folder to what is known of it, the watched one first."""
        watched = {known.run.path: known.board.history} if known.board else {}
        read = {run: other.history for run, other in self._others.items() if other.history}
        return watched | read

    def _redraw(self) -> None:
        if self.known:
            self.show(self.known)

    # A closer look

    def on_chart_view_looked(self) -> None:
        """What is shown may deserve more than the overview."""
        self._look_closer()

    def _look_closer(self) -> None:
        """Ask for every iteration of what is shown, unless that was asked for already."""
        view, known = self._view.view, self.known
        wish = None
        if view.shown and known:
            chosen = tuple(self._chosen)
            wish = Closer(self._histories(known), view.shown, view.by_time, chosen)
        if wish == self._wish:
            return
        if self._wish:
            self._wish.stop.set()
        self._wish = wish
        if wish:
            work = partial(overlay_feed.read_closer, wish, self.post_message)
            self.run_worker(work, thread=True)
        elif self._details:
            self._details = {}
            self._redraw()

    def on_closer_read(self, message: CloserRead) -> None:
        """Draw it, when it is still wanted."""
        if message.request is self._wish:
            self._details = message.details
            self._redraw()

    # Other runs

    def on_other_read(self, message: OtherRead) -> None:
        """Draw what is known of another run."""
        if other := self._others.get(message.run):
            other.history = message.history
            self._drawn = ()
            self._redraw()

    def _find_parent(self, known: Known) -> None:
        """Draw the run that this one was branched from, until it is taken away."""
        if not self._parent_sought:
            self._parent_sought = True
            parent = parent_of(known.run)
            if parent and RunDir(parent.run).metrics.exists():
                self._toggle_run(parent.run.resolve())

    def _toggle_run(self, run: Path | None) -> None:
        if run is None:
            return
        if other := self._others.pop(run, None):
            other.stop.set()
            self._redraw()
            return
        other = self._others[run] = Other()
        work = partial(overlay_feed.follow, run, self.post_message, other.stop)
        self.run_worker(work, thread=True)

    # What keys do

    def on_metric_picker_toggled(self, message: MetricPicker.Toggled) -> None:
        """Draw a metric, or no longer."""
        if message.metric in self._chosen:
            self._chosen.remove(message.metric)
        else:
            self._chosen.append(message.metric)
        self._redraw()

    def action_filter(self) -> None:
        """Let a person type a part of a name."""
        self.query_one(MetricPicker).focus_filter()

    def action_log(self) -> None:
        """The other scale of values."""
        self._view.look(replace(self._view.view, log=not self._view.view.log))

    def action_axis(self) -> None:
        """The other x axis."""
        self._view.look(self._view.view.other_axis())

    def action_smooth(self, by: int) -> None:
        """More smoothing, or less."""
        self._view.look(self._view.view.smoother(by))

    def action_closer(self) -> None:
        """Half as much."""
        self._view.zoom(ZOOM)

    def action_further(self) -> None:
        """Twice as much."""
        self._view.zoom(1 / ZOOM)

    def action_all(self) -> None:
        """All of the run."""
        self._view.look(replace(self._view.view, shown=None, cursor=None))

    def action_pan(self, by: int) -> None:
        """To the side."""
        self._view.pan(by * PAN)

    def action_point(self, by: int) -> None:
        """Move the cursor."""
        self._view.point(by)

    def action_overlay(self) -> None:
        """Ask for another run."""
        if self.known:
            runs = siblings(self.known.run.path)
            self.app.push_screen(OverlayDialog(runs, self._others), self._toggle_run)

    def action_clear(self) -> None:
        """As it was at first."""
        for run in list(self._others):
            self._toggle_run(run)
        self._chosen = [FIRST]
        self.action_all()
        self._redraw()

    @property
    def _view(self) -> ChartView:
        return self.query_one(ChartView)
