"""Asks what a checkpoint is called and whether it is pinned, over the page.

Writes nothing: the mark goes to whoever asked. Tested by `tests/tui/screens/test_mark_dialog.py`.
"""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Label, Static, Switch

from trainer.checkpoint_marks import LONGEST_NAME, Mark, checked_name
from tui.screens.answer_dialog import AnswerDialog


class MarkDialog(AnswerDialog[Mark]):
    """A name and a pin; None when somebody thinks better of it."""

    def __init__(self, title: str, agree: str, mark: Mark) -> None:
        """Begin with what `mark` says.

        Args:
            title: What is asked about.
            agree: The verb on the button that takes the answer.
            mark: What is written on the checkpoint already.
        """
        super().__init__()
        self._title, self._agree, self._mark = title, agree, mark

    def compose(self) -> ComposeResult:
        """One box."""
        with Vertical(classes="dialog") as box:
            box.border_title = self._title
            yield Input(
                self._mark.name,
                placeholder="name, such as learned to dribble",
                max_length=LONGEST_NAME,
                id="mark-name",
            )
            with Horizontal(classes="dialog-row"):
                yield Switch(self._mark.pinned, id="mark-pin")
                yield Label("pinned: never pruned", classes="dialog-label")
            yield Static(id="mark-refusal", classes="dialog-refusal", markup=False)
            with Horizontal(classes="dialog-buttons"):
                yield Button(self._agree, variant="primary", id="take")
                yield Button("Cancel (Esc)", id="cancel")

    def take(self) -> None:
        """Dismiss with the answer, or say why it is none."""
        try:
            name = checked_name(self.query_one("#mark-name", Input).value)
        except ValueError as refused:
            self.query_one("#mark-refusal", Static).update(str(refused))
            return
        self.dismiss(Mark(name, self.query_one("#mark-pin", Switch).value))
