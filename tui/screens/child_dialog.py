"""Runs another program over the page: its lines as they come, that it works, and how it ended.

Escape kills a program that works, and closes the box of one that is over. Knows no program. Tested
by `tests/tui/screens/test_child_dialog.py`.
"""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Log, ProgressBar, Static
from textual.worker import Worker

from tui.child_lines import run_child
from tui.log_tail import plain


class ChildDialog(ModalScreen[None]):
    """One program from its start to its end."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Cancel or close")]

    def __init__(self, title: str, command: Sequence[str]) -> None:
        """Run `command` as soon as this is shown, under `title`."""
        super().__init__()
        self._title, self._command = title, command
        self._last_line = ""
        self._work: Worker[None] | None = None

    def compose(self) -> ComposeResult:
        """One box."""
        with Vertical(classes="dialog -wide-dialog") as box:
            box.border_title = self._title
            yield Log(id="child-lines")
            yield ProgressBar(total=None, show_percentage=False, show_eta=False, id="child-works")
            yield Static("Working…", id="child-state", markup=False)
            with Horizontal(classes="dialog-buttons"):
                yield Button("Cancel (Esc)", id="child-close")

    def on_mount(self) -> None:
        """Start the program."""
        self._work = self.run_worker(self._run())

    def on_button_pressed(self) -> None:
        """The same as Escape."""
        self.action_close()

    def action_close(self) -> None:
        """Kill the program when it works; its worker is cancelled with the screen."""
        if self._work is not None:
            self._work.cancel()
        self.dismiss(None)

    async def _run(self) -> None:
        try:
            code = await run_child(self._command, self._show_line)
        except (OSError, ValueError) as error:
            self._end(f"It could not be run: {error}", good=False)
            return
        good = code == 0
        self._end(f"Done: {self._last_line}" if good else f"Refused (exit code {code}).", good=good)

    def _show_line(self, line: str) -> None:
        self._last_line = plain(line) or self._last_line
        self.query_one(Log).write_line(plain(line) or " ")

    def _end(self, words: str, *, good: bool) -> None:
        state = self.query_one("#child-state", Static)
        state.update(words)
        state.set_class(not good, "-refused")
        self.query_one(ProgressBar).display = False
        self.query_one(Button).label = "Close (Esc)"
