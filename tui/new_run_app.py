"""The form of a new run on a screen of its own, before there is a run to watch.

Tested by `tests/tui/test_new_run_app.py`.
"""

from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType

from tui.following import FollowingApp
from tui.launcher import Launch
from tui.look import Look, PersonalApp
from tui.screens.new_run import RUNS, NewRun
from tui.signals import leave_on_signals


class NewRunApp(PersonalApp[Launch]):
    """Ends with what the trainer is started with, or with nothing."""

    TITLE = "rlppo"
    CSS_PATH = "app.tcss"
    HORIZONTAL_BREAKPOINTS = FollowingApp.HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = FollowingApp.VERTICAL_BREAKPOINTS

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q", "quit", show=False, priority=True, system=True)
    ]

    def __init__(self, look: Look, runs: Path = RUNS) -> None:
        """Make the run in the folder `runs`."""
        super().__init__(look)
        self._runs = runs

    def on_mount(self) -> None:
        """Show the form; its end is the app's."""
        leave_on_signals(self.exit)
        self.push_screen(NewRun(self._runs), self.exit)
