"""The first page: numbers, curves, events, the pitch, and how far it is, at a glance.

Formats nothing and asks nothing. Tested by `tests/tui/test_app.py` and `test_snapshots.py`.
"""

from textual.app import ComposeResult
from textual.containers import Grid, Horizontal, Vertical
from textual.widgets import Static

from tui import launcher
from tui.known import Known
from tui.pitch import PitchPanel
from tui.screens.run_screen import RunScreen
from tui.widgets.chart import Chart
from tui.widgets.event_log import EventLog
from tui.widgets.health_list import HealthList
from tui.widgets.metric_list import MetricList
from tui.widgets.metric_panel import MetricPanel
from tui.widgets.notice import Obituary, waiting
from tui.widgets.progress import ProgressRow, to_end, to_save

CHARTS = {
    "Reward/total": "Reward",
    "Loss/approx_kl": "KL",
    "Loss/entropy": "Entropy",
    "Throughput/overall_sps": "Steps/s",
}
"""The curves, and the few rows of a small screen: metric to title."""
TAUGHT_CHARTS = {
    "Reward/total": "Reward",
    "Transfer/kl": "KL to teacher",
    "Transfer/accuracy": "Accuracy",
    "Throughput/overall_sps": "Steps/s",
}
"""The same while a teacher is learned from: there is nothing of PPO then."""


class DashboardScreen(RunScreen):
    """One run at a glance."""

    PAGE = "dashboard"
    CSS_PATH = "dashboard.tcss"
    # Otherwise it would depend on whether numbers or the page are there first.
    AUTO_FOCUS = ""

    def __init__(self) -> None:
        """Without the pitch."""
        super().__init__()
        self.viewing = False
        """Whether the pitch stands where the curves do."""
        self._mourned: tuple[str, ...] | None = None

    def body(self) -> ComposeResult:
        """Numbers beside curves or the pitch, events, progress."""
        with Horizontal(id="body"):
            yield MetricList(id="metrics")
            with Vertical(id="stage"):
                yield HealthList(id="health")
                yield Static(id="waiting", markup=False)
                yield Obituary(id="obituary")
                with Grid(id="charts"):
                    for metric, title in CHARTS.items():
                        yield Chart(title, metric)
                yield MetricPanel("Now", CHARTS, id="essentials")
                yield PitchPanel(id="pitch")
                yield EventLog()
        with Vertical(id="progress"):
            yield ProgressRow("Next save", id="to-save")
            yield ProgressRow("End", id="to-end")

    @property
    def pitch(self) -> PitchPanel:
        """The live pitch."""
        return self.query_one(PitchPanel)

    def show(self, known: Known) -> None:
        """Everything that the page says."""
        self.set_class(known.board is None, "-waiting")
        self.set_class(known.situation == "died", "-died")
        self.set_class(self.viewing, "-viewing")
        if known.board is None:
            self.query_one("#waiting", Static).update(waiting(known.status))
        else:
            self._show_board(known)
        if known.situation == "died" and known.last_words != self._mourned:
            self._mourned = known.last_words
            resume, started = launcher.resume_command(known.run), known.status is not None
            self.query_one(Obituary).show(known.last_words, resume, started=started)
        self.query_one(HealthList).show(known)
        self.query_one(EventLog).show(known.events)
        self._show_progress(known)

    def _show_board(self, known: Known) -> None:
        essentials = self.query_one("#essentials", MetricPanel)
        if known.board:
            self.query_one(MetricList).show(known.board)
            shown = TAUGHT_CHARTS if known.board.latest.is_taught else CHARTS
            for chart, (metric, title) in zip(self.query(Chart), shown.items(), strict=True):
                chart.turn_to(title, metric)
            essentials.rows = shown
        for widget in (*self.query(Chart), essentials):
            widget.board = known.board

    def _show_progress(self, known: Known) -> None:
        status = known.status if known.board and known.training else None
        values = known.board.latest.values if known.board else {}
        speed = values.get("Throughput/overall_sps", float("nan"))
        save, end = self.query(ProgressRow)
        every = known.config.checkpoint.every_steps
        save.show(to_save(status, every, speed) if status else None)
        end.show(to_end(status, known.now) if status else None)
