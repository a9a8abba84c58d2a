"""The dashboard: what every key does, and what follows from what is known of the run.

Writes commands into the run folder and draws nothing. The trainer is another process and does not
care whether this one lives. Tested by `tests/tui/test_app.py`, `test_quit.py` and
`test_snapshots.py`.
"""

import asyncio
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import ClassVar

from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import HelpPanel

from tui import launcher
from tui.keys import bindings
from tui.look import Look
from tui.messages import MatchWanted, StatusArrived
from tui.quitting import Quitting
from tui.screens.dashboard import DashboardScreen
from tui.screens.quit_dialog import QuitDialog, QuitProgress
from tui.signals import leave_on_signals
from tui.turning import TurningApp
from tui.viewing import Viewing
from tui.watched import Watched


class Dashboard(TurningApp):
    """One run, watched and steered."""

    TITLE = "rlppo"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]

    def __init__(
        self, watched: Watched, clock: Callable[[], float] = time.time, look: Look | None = None
    ) -> None:
        """Watch `watched`, with `clock` telling seconds since the epoch."""
        super().__init__(watched, clock, look or Look())

    def _take_up(self, watched: Watched) -> None:
        super()._take_up(watched)
        self._quitting = Quitting()
        self._viewing = Viewing(watched.config.viewer.deterministic)

    async def on_mount(self) -> None:
        """Leave when told to from outside."""
        leave_on_signals(self.action_leave)

    def on_unmount(self) -> None:
        """Whoever goes without a word, as a closed tab of a browser does, watches no more."""
        if self._viewing.on and self.situation == "running":
            self._send("viewer_off")

    async def _open(self) -> None:
        await super()._open()
        if self._watched.config.viewer.enabled:
            await self.action_viewer()

    async def _exchange(self, watched: Watched, done: asyncio.Event) -> None:
        self._stop_viewing()
        await super()._exchange(watched, done)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What the keys of this place do, named ones, then Textual's own."""
        active = screen.active_bindings.values()
        found = {key.binding.id: (key.binding, key.node) for key in active if key.binding.id}
        # An arrow that the list in focus would take first is still a key of the page.
        for binding in screen.BINDINGS:
            if isinstance(binding, Binding) and binding.id:
                found.setdefault(binding.id, (binding, screen))
        for binding, node in found.values():
            run = partial(self.run_action, binding.action, node)
            yield SystemCommand(binding.description, binding.tooltip, run)
        own = {binding.description for binding, _ in found.values()} | {"Keys"}
        yield from (kept for kept in super().get_system_commands(screen) if kept.title not in own)

    def on_status_arrived(self, message: StatusArrived) -> None:
        """Leave when the trainer did what was asked."""
        message.prevent_default()
        before = self.situation
        super().on_status_arrived(message)
        if not self.is_running:
            return
        # One that is forced to end while it still starts may end without a word: nothing is lost.
        done = self.situation == "stopped" or (self.situation == "died" and before == "starting")
        if done and self._quitting.asked:
            self.exit("stopped")
        elif self.situation == "died":
            self.action_stay()
            self._stop_viewing()
        elif self.situation == "stopped" and before == "running" and not self.going_back:
            self.notify("Training has ended. Q closes the dashboard.")
        self._show_state()

    # What keys do

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
        elif (begun := self._give_up_going_back()) is not None:
            self._quitting = begun
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

    def action_pause(self) -> None:
        """Let the trainer wait after this iteration, or go on."""
        status = self._known.status
        if not self._known.training or status is None:
            self.notify("Nothing trains that could be paused.", severity="warning")
        elif status.phase == "paused":
            self._send("resume")
        elif self._send("pause"):
            self.notify("The trainer waits after this iteration; P lets it go on.")

    async def action_viewer(self) -> None:
        """Show or hide the pitch; from another page, go where it is."""
        if self._viewing.on and self.current_mode == DashboardScreen.PAGE:
            self._stop_viewing()
            self._show_state()
        else:
            await self._view()

    async def _view(self) -> None:
        await self.action_page(DashboardScreen.PAGE)
        if not self._viewing.on:
            self._viewing.on = self._first.viewing = True
            self._first.pitch.start(self.run_dir.path, self._viewing.deterministic)
        self._show_state()

    async def on_match_wanted(self, message: MatchWanted) -> None:
        """Let two checkpoints play each other on the pitch."""
        await self._view()
        for team, checkpoint in enumerate((message.blue, message.orange)):
            self._first.pitch.cast(team, checkpoint.name)

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

    # What is due

    def _show_state(self) -> None:
        super()._show_state()
        if self.is_running and self.screen_stack:
            self._carry_out_orders(self._known.now)
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
