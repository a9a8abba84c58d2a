"""A box over the page that asks for one answer, and can be left without one.

Knows no question: a dialog draws its own, with a button called `take` and one called `cancel`.
Tested by `tests/tui/screens/test_mark_dialog.py` and `test_folder_dialog.py`.
"""

from typing import ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Button

Answer = TypeVar("Answer")


class AnswerDialog(ModalScreen[Answer | None], Generic[Answer]):
    """Gives the answer; None when somebody thinks better of it."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel")]

    def take(self) -> None:
        """Dismiss with the answer, or say why it is none."""
        raise NotImplementedError

    def on_input_submitted(self) -> None:
        """Enter in a text takes the answer."""
        self.take()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """The answer by the mouse, or by Enter."""
        if event.button.id == "take":
            self.take()
        else:
            self.action_cancel()

    def action_cancel(self) -> None:
        """Leave everything as it is."""
        self.dismiss(None)
