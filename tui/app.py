"""The dashboard: what it is made of, and what every key and every message does.

Follows a run folder and writes commands into it; formats nothing and reads no file itself. The
trainer is another process and does not care whether this one lives. Tested by
`tests/tui/test_app.py`, `test_quit.py` and `test_snapshots.py`.
"""

import asyncio
import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import ClassVar, Literal

from textual.app import App, ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.containers import Grid, Horizontal, Vertical
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import Footer, Static

from trainer.control import CommandName, send
from trainer.run_dir import Status
from tui import feed, launcher
from tui.history import Board
from tui.keys import KEYS, bindings
from tui.messages import EventsArrived, MetricsArrived, StatusArrived
from tui.pitch import PitchPanel
from tui.quitting import Quitting
from tui.run_reader import RunReader, Situation
from tui.screens.quit_dialog import QuitDialog, QuitProgress
from tui.theme import DARK, LIGHT
from tui.watched import Watched
from tui.widgets.chart import Chart
from tui.widgets.event_log import EventLog
from tui.widgets.metric_list import MetricList
from tui.widgets.metric_panel import MetricPanel
from tui.widgets.notice import Obituary, waiting
from tui.widgets.progress import ProgressRow, to_end, to_save
from tui.widgets.run_header import Headline, RunHeader

CHARTS = {
    "Reward/total": "Reward",
    "Loss/approx_kl": "KL",
    "Loss/entropy": "Entropy",
    "Throughput/overall_sps": "Steps/s",
}
"""The curves, and the few rows of a small screen: metric to title."""
_ASK_AGAIN_S = 3.0
_NORMAL_WIDTH = 72
_WIDTHS = [(0, "-narrow"), (_NORMAL_WIDTH, "-normal"), (116, "-wide")]
_HEIGHTS = [(0, "-short"), (20, "-medium"), (32, "-tall")]  # least lines, by a name in app.tcss

Outcome = Literal["stopped", "left", "died"]
"""How the trainer was when the dashboard closed: left means that it goes on."""


class Dashboard(App[Outcome]):
    """One run on one screen."""

    TITLE = "rlppo"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]
    HORIZONTAL_BREAKPOINTS = _WIDTHS
    VERTICAL_BREAKPOINTS = _HEIGHTS

    def __init__(self, watched: Watched, clock: Callable[[], float] = time.time) -> None:
        """Watch `watched`, with `clock` telling seconds since the epoch."""
        super().__init__()
        self.run_dir = watched.run
        self._watched = watched
        self._clock = clock
        self._reader = RunReader(watched.run, CHARTS, watched.child, watched.stale)
        self._feed_stop = threading.Event()
        self._quitting = Quitting()
        self._board: Board | None = None
        self._status: Status | None = None
        self.situation: Situation = "starting"
        self._deterministic = watched.config.viewer.deterministic
        self._viewing, self._viewer_asked_at = False, 0.0

    def compose(self) -> ComposeResult:
        """Head, body, progress, keys."""
        yield RunHeader()
        with Horizontal(id="body"):
            yield MetricList(id="metrics")
            with Vertical(id="stage"):
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
        yield Footer()

    def on_mount(self) -> None:
        """Begin to follow the run."""
        for theme in (DARK, LIGHT):
            self.register_theme(theme)
        self.theme = DARK.name
        self._leave_on_signals()
        self._show_state()
        self.set_interval(1.0, self._show_state)
        follow = partial(feed.follow, self._reader, self.post_message, self._feed_stop)
        self.run_worker(follow, thread=True)
        if self._watched.config.viewer.enabled:
            self.action_viewer()

    def on_unmount(self) -> None:
        """End the thread that follows."""
        self._feed_stop.set()

    def on_resize(self, event: Resize) -> None:
        """Leave the small screen's footer to the keys."""
        footer = self._home.query_one(Footer)
        footer.compact = event.size.width < _NORMAL_WIDTH
        footer.show_command_palette = not footer.compact

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The keys' actions, then Textual's own."""
        for key in KEYS:
            yield SystemCommand(key.label, key.help, partial(self.run_action, key.id))
        own = {key.label for key in KEYS}
        yield from (kept for kept in super().get_system_commands(screen) if kept.title not in own)

    # What arrived

    async def on_metrics_arrived(self, message: MetricsArrived) -> None:
        """Show the newest iteration everywhere."""
        if not self.is_running:  # the last news of the feed may find the screens torn down
            return
        self._board = message.board
        await self._home.query_one(MetricList).show(message.board)
        for widget in (*self._home.query(Chart), self._home.query_one("#essentials", MetricPanel)):
            widget.board = message.board
        self._show_state()

    def on_events_arrived(self, message: EventsArrived) -> None:
        """Add to the story."""
        if self.is_running:
            self._home.query_one(EventLog).add(message.events)

    def on_status_arrived(self, message: StatusArrived) -> None:
        """Show what the trainer does; leave when it did what was asked."""
        if not self.is_running:
            return
        before, self.situation = self.situation, message.situation
        self._status = message.status
        # One that is forced to end while it still starts may end without a word: nothing is lost.
        done = self.situation == "stopped" or (self.situation == "died" and before == "starting")
        if done and self._quitting.asked:
            self.exit("stopped")
        elif self.situation == "died":
            self._mourn(message)
        elif self.situation == "stopped" != before:
            self.notify("Training has ended. Q closes the dashboard.")
        self._show_state()

    def _mourn(self, message: StatusArrived) -> None:
        resume = launcher.resume_command(self.run_dir)
        started = message.status is not None
        self._home.query_one(Obituary).show(message.last_words, resume, started=started)
        self.action_stay()
        self._stop_viewing()

    # What keys do

    async def action_quit(self) -> None:
        """Ask what to do; once asked, save and stop; once more, without waiting."""
        if self.situation in ("stopped", "died"):
            self.exit(self.situation)
        elif not isinstance(self.screen, QuitDialog):
            await self.push_screen(QuitDialog())
        else:
            self._quitting.ask(self._clock())
        self._show_state()

    def action_stay(self) -> None:
        """Close the question, as long as nothing was asked."""
        over = self.situation == "died"
        if isinstance(self.screen, QuitDialog) and (over or not self._quitting.asked):
            self.pop_screen()

    def action_leave(self) -> None:
        """Close the dashboard only."""
        self._stop_viewing()
        self.exit("left")

    def action_save(self) -> None:
        """Ask for a checkpoint."""
        if self.situation != "running":
            self.notify("Nothing trains that could be saved.", severity="warning")
        elif self._send("save"):
            self.notify("A checkpoint is saved at the end of this iteration.")

    def action_viewer(self) -> None:
        """Show or hide the pitch."""
        if self._viewing:
            self._stop_viewing()
        else:
            self._viewing = True
            self._home.query_one(PitchPanel).start(self.run_dir.path, self._deterministic)
        self._show_state()

    def action_deterministic(self) -> None:
        """Switch how the viewer plays."""
        self._deterministic = not self._deterministic
        self._home.query_one(PitchPanel).set_deterministic(self._deterministic)
        how = "plays its likeliest actions" if self._deterministic else "samples, as in training"
        self.notify(f"The viewer {how}.")

    def _stop_viewing(self) -> None:
        if self._viewing:
            self._viewing = False
            self._home.query_one(PitchPanel).stop()
            if self.situation == "running":
                self._send("viewer_off")

    def _send(self, command: CommandName) -> bool:
        try:
            send(self.run_dir, command)
        except OSError as error:
            self.notify(f"The trainer cannot be asked: {error}", severity="error")
            return False
        return True

    # How it is now

    def _show_state(self) -> None:
        """Everything that changes with time, status or a key; also does what is due."""
        if not self.is_running:
            return
        now, home = self._clock(), self._home
        home.set_class(self._board is None, "-waiting")
        home.set_class(self.situation == "died", "-died")
        home.set_class(self._viewing, "-viewing")
        if self._board is None:
            home.query_one("#waiting", Static).update(waiting(self._status))
        home.query_one(RunHeader).headline = Headline(
            self.run_dir.path.resolve().name,
            self.situation,
            self._status,
            self._board.latest if self._board else None,
            now,
        )
        self._show_progress(now)
        self._carry_out_orders(now)
        self._keep_viewer_fed(now)

    def _show_progress(self, now: float) -> None:
        status = self._status if self._board and self.situation == "running" else None
        every, speed = self._watched.config.checkpoint.every_steps, self._steps_per_second
        save, end = self._home.query(ProgressRow)
        save.show(to_save(status, every, speed) if status else None)
        end.show(to_end(status, now) if status else None)

    def _carry_out_orders(self, now: float) -> None:
        for order in self._quitting.orders(self.situation, now):
            if order == "send":
                self._send("quit")
            else:
                launcher.interrupt(self._status, self._watched.child)
        if isinstance(self.screen, QuitDialog):
            phase = self._status.phase if self._status else "starting"
            self.screen.progress = QuitProgress(
                self._quitting.asked, self._quitting.forced_at is not None, phase
            )

    def _keep_viewer_fed(self, now: float) -> None:
        """Ask until the trainer publishes its policy: it misses what is said while it starts."""
        fed = self._status is not None and self._status.viewer
        waited = now - self._viewer_asked_at >= _ASK_AGAIN_S
        if self._viewing and self.situation == "running" and not fed and waited:
            self._viewer_asked_at = now
            self._send("viewer_on")

    @property
    def _home(self) -> Screen[object]:
        """The screen under every dialog."""
        return self.screen_stack[0]

    @property
    def _steps_per_second(self) -> float:
        values = self._board.latest.values if self._board else {}
        return values.get("Throughput/overall_sps", float("nan"))

    def _leave_on_signals(self) -> None:
        """A closed terminal or a kill ends the dashboard, with the terminal restored."""
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            # Windows has no SIGHUP, and its loops take no handlers.
            with contextlib.suppress(AttributeError, NotImplementedError, RuntimeError):
                loop.add_signal_handler(getattr(signal, name), self.action_leave)
