"""The dashboard: its pages, and what every key and every message does.

Follows a run folder and writes commands into it; draws nothing: it tells the page on top what is
known. The trainer is another process and does not care whether this one lives. Tested by
`tests/tui/test_app.py`, `test_pages.py`, `test_quit.py` and `test_snapshots.py`.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal

from textual.app import SystemCommand
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import HelpPanel

from trainer.config_file import ConfigError, load_config
from trainer.control import CommandName, send
from trainer.run_dir import RunDir
from tui import feed, launcher
from tui.keys import bindings
from tui.known import KEPT_EVENTS, Known
from tui.look import Look, PersonalApp
from tui.messages import EventsArrived, MetricsArrived, StatusArrived
from tui.pages import PAGES
from tui.quitting import Quitting
from tui.run_reader import RunReader, Situation
from tui.screens.dashboard import CHARTS, DashboardScreen
from tui.screens.quit_dialog import QuitDialog, QuitProgress
from tui.screens.run_screen import NORMAL_WIDTH, RunScreen
from tui.signals import leave_on_signals
from tui.viewing import Viewing
from tui.watched import Watched

SCREENS: dict[str, type[RunScreen]] = {}
"""What shows each page but the first, by the page's id."""
_BETWEEN = "between"
"""The mode without a page, while another run is taken up."""
_WIDTHS = [(0, "-narrow"), (NORMAL_WIDTH, "-normal"), (116, "-wide")]
_HEIGHTS = [(0, "-short"), (20, "-medium"), (32, "-tall")]  # least lines, by a name in the styles

Outcome = Literal["stopped", "left", "died"]
"""How the trainer was when the dashboard closed: left means that it goes on."""


class Dashboard(PersonalApp[Outcome]):
    """One run on some pages."""

    TITLE = "rlppo"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]
    HORIZONTAL_BREAKPOINTS = _WIDTHS
    VERTICAL_BREAKPOINTS = _HEIGHTS

    def __init__(
        self, watched: Watched, clock: Callable[[], float] = time.time, look: Look | None = None
    ) -> None:
        """Watch `watched`, with `clock` telling seconds since the epoch."""
        super().__init__(look or Look())
        self._clock = clock
        self._take_up(watched)

    def _take_up(self, watched: Watched) -> None:
        self._watched = watched
        self._known = Known(watched.run, watched.config)
        self._reader = RunReader(watched.run, CHARTS, watched.child, watched.stale)
        self._feed_stop = threading.Event()
        self._quitting = Quitting()
        self._viewing = Viewing(watched.config.viewer.deterministic)

    async def on_mount(self) -> None:
        """Begin to follow the run."""
        leave_on_signals(self.action_leave)
        self.add_mode(_BETWEEN, Screen)
        await self._open()
        self.set_interval(1.0, self._show_state)

    async def _open(self) -> None:
        """Make the pages, show the first, and follow."""
        for page, screen in SCREENS.items():
            self.add_mode(page, screen)
        self._first = DashboardScreen()
        self.add_mode(DashboardScreen.PAGE, lambda: self._first)
        await self.switch_mode(DashboardScreen.PAGE)
        follow = partial(feed.follow, self._reader, self.post_message, self._feed_stop)
        self._following = self.run_worker(follow, thread=True)
        self._show_state()
        if self._watched.config.viewer.enabled:
            await self.action_viewer()

    async def watch_run(self, watched: Watched) -> None:
        """Leave the present run as it is, and show `watched` from its first page."""
        self._stop_viewing()
        self._feed_stop.set()
        await self._following.wait()
        # What the old feed said last is handled before this.
        self.call_next(self._exchange, watched)

    async def _exchange(self, watched: Watched) -> None:
        await self.switch_mode(_BETWEEN)
        for page in PAGES:
            await self.remove_mode(page.id)
        self._take_up(watched)
        await self._open()

    def on_unmount(self) -> None:
        """End the thread that follows."""
        self._feed_stop.set()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the keys of this place do, named ones, then Textual's own."""
        found = {key.binding.id: key for key in screen.active_bindings.values() if key.binding.id}
        for node, binding, *_ in found.values():
            run = partial(self.run_action, binding.action, node)
            yield SystemCommand(binding.description, binding.tooltip, run)
        own = {key.binding.description for key in found.values()} | {"Keys"}
        yield from (kept for kept in super().get_system_commands(screen) if kept.title not in own)

    @property
    def run_dir(self) -> RunDir:
        """The folder of the watched run."""
        return self._watched.run

    @property
    def situation(self) -> Situation:
        """Whether the watched run trains."""
        return self._known.situation

    # What arrived

    def on_metrics_arrived(self, message: MetricsArrived) -> None:
        """Take the newest iteration in."""
        self._learn(board=message.board)

    def on_events_arrived(self, message: EventsArrived) -> None:
        """Add to the story; an edit changed the settings."""
        story = (*self._known.events, *message.events)
        self._learn(events=story[-KEPT_EVENTS:])
        if any(event.kind == "edit" for event in message.events):
            with contextlib.suppress(ConfigError, OSError):
                self._learn(config=load_config(self.run_dir.config))

    def on_status_arrived(self, message: StatusArrived) -> None:
        """See what the trainer does; leave when it did what was asked."""
        before = self.situation
        self._learn(
            status=message.status,
            situation=message.situation,
            last_words=tuple(message.last_words),
        )
        if not self.is_running:
            return
        # One that is forced to end while it still starts may end without a word: nothing is lost.
        done = self.situation == "stopped" or (self.situation == "died" and before == "starting")
        if done and self._quitting.asked:
            self.exit("stopped")
        elif self.situation == "died":
            self.action_stay()
            self._stop_viewing()
        elif self.situation == "stopped" != before:
            self.notify("Training has ended. Q closes the dashboard.")
        self._show_state()

    def _learn(self, **news: Any) -> None:  # noqa: ANN401 - any field of Known
        self._known = replace(self._known, **news)
        self._show_state()

    # What keys do

    async def action_page(self, page: str) -> None:
        """Show another page."""
        if self.current_mode != page and len(self.screen_stack) == 1:
            await self.switch_mode(page)
            self._show_state()

    def action_help(self) -> None:
        """Open or close the explanation of what has the focus."""
        if self.screen.query(HelpPanel):
            self.action_hide_help_panel()
        else:
            self.action_show_help_panel()

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

    async def action_viewer(self) -> None:
        """Show or hide the pitch; from another page, go where it is."""
        elsewhere = self.current_mode != DashboardScreen.PAGE
        await self.action_page(DashboardScreen.PAGE)
        if not self._viewing.on:
            self._viewing.on = self._first.viewing = True
            self._first.pitch.start(self.run_dir.path, self._viewing.deterministic)
        elif not elsewhere:
            self._stop_viewing()
        self._show_state()

    def action_deterministic(self) -> None:
        """Switch how the viewer plays."""
        deterministic = self._viewing.deterministic = not self._viewing.deterministic
        self._first.pitch.set_deterministic(deterministic)
        how = "plays its likeliest actions" if deterministic else "samples, as in training"
        self.notify(f"The viewer {how}.")

    def _stop_viewing(self) -> None:
        if self._viewing.on:
            self._viewing.on = self._first.viewing = False
            self._first.pitch.stop()
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
        """Tell the page on top what is known; also do what is due."""
        if not self.is_running or not self.screen_stack:
            return
        now = self._clock()
        self._known = replace(self._known, now=now)
        if isinstance(page := self.screen_stack[0], RunScreen) and page.is_mounted:
            page.tell(self._known)
        self._carry_out_orders(now)
        if self._viewing.must_ask(self._known):
            self._send("viewer_on")

    def _carry_out_orders(self, now: float) -> None:
        status = self._known.status
        for order in self._quitting.orders(self.situation, now):
            if order == "send":
                self._send("quit")
            else:
                launcher.interrupt(status, self._watched.child)
        if isinstance(self.screen, QuitDialog):
            phase = status.phase if status else "starting"
            self.screen.progress = QuitProgress(
                self._quitting.asked, self._quitting.forced_at is not None, phase
            )
