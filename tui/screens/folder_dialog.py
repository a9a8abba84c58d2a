"""Asks for a folder, over the page, and takes only one that is there.

Reads nothing else. Tested by `tests/tui/screens/test_folder_dialog.py`.
"""

import os
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Static

from tui.screens.answer_dialog import AnswerDialog


class FolderDialog(AnswerDialog[Path]):
    """A path; None when somebody thinks better of it."""

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

    def take(self) -> None:
        """Dismiss with the answer, or say why it is none."""
        # This leaves "~nobody" as it is, where Path.expanduser raises.
        folder = Path(os.path.expanduser(self.query_one(Input).value.strip() or "."))
        if os.path.isdir(folder):
            self.dismiss(folder)
        else:
            self.query_one("#folder-refusal", Static).update(f"{folder} is no folder")
