"""Asks for a folder, over the page, and takes only one that is there.

Reads nothing else. Tested by `tests/tui/screens/test_folder_dialog.py`.
"""

import os
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static


class FolderDialog(ModalScreen[Path | None]):
    """A path; None when somebody thinks better of it."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel")]

    def __init__(self, title: str, folder: Path) -> None:
        """Begin with `folder`."""
        super().__init__()
        self._title, self._folder = title, folder

    def compose(self) -> ComposeResult:
        """One box."""
        with Vertical(classes="dialog") as box:
            box.border_title = self._title
            yield Input(str(self._folder), id="folder")
            yield Static(id="folder-refusal", classes="dialog-refusal", markup=False)
            with Horizontal(classes="dialog-buttons"):
                yield Button("Show", variant="primary", id="take")
                yield Button("Cancel (Esc)", id="cancel")

    def on_input_submitted(self) -> None:
        """Enter takes the answer."""
        self._take()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """The answer by the mouse, or by Enter."""
        if event.button.id == "take":
            self._take()
        else:
            self.action_cancel()

    def action_cancel(self) -> None:
        """Leave everything as it is."""
        self.dismiss(None)

    def _take(self) -> None:
        # This leaves "~nobody" as it is, where Path.expanduser raises.
        folder = Path(os.path.expanduser(self.query_one(Input).value.strip() or "."))
        if os.path.isdir(folder):
            self.dismiss(folder)
        else:
            self.query_one("#folder-refusal", Static).update(f"{folder} is no folder")
