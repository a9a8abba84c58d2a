"""Asks what a checkpoint is called and whether it is pinned, over the page.

Writes nothing: the mark goes to whoever asked. Tested by `tests/tui/screens/test_mark_dialog.py`.
"""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Static, Switch

from trainer.checkpoint_marks import LONGEST_NAME, Mark, checked_name


class MarkDialog(ModalScreen[Mark | None]):
    """A name and a pin; None when somebody thinks better of it."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel")]

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

    def on_input_submitted(self) -> None:
        """Enter in the name takes the answer."""
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
        try:
            name = checked_name(self.query_one("#mark-name", Input).value)
        except ValueError as refused:
            self.query_one("#mark-refusal", Static).update(str(refused))
            return
        self.dismiss(Mark(name, self.query_one("#mark-pin", Switch).value))
