"""A question with two answers, over the page: do it, or leave it.

Decides nothing: its answer goes to whoever asked. Tested by `tests/tui/screens/test_confirm.py`.
"""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Static


class Confirm(ModalScreen[bool]):
    """What will happen, and a button each to agree and to leave it."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,Y", "answer(True)", "Yes"),
        Binding("n,N,escape", "answer(False)", "No"),
        Binding("left,right", "app.focus_next", show=False),
    ]

    def __init__(self, title: str, consequence: str, agree: str) -> None:
        """Ask.

        Args:
            title: What is asked about, in a word or two.
            consequence: Exactly what will happen, in a sentence.
            agree: The verb on the button that does it.
        """
        super().__init__()
        self._title, self._consequence, self._agree = title, consequence, agree

    def compose(self) -> ComposeResult:
        """One box."""
        with Vertical(classes="dialog") as box:
            box.border_title = self._title
            yield Static(self._consequence, classes="dialog-words", markup=False)
            with Horizontal(classes="dialog-buttons"):
                yield Button(f"{self._agree} (Y)", variant="primary", id="yes")
                yield Button("Cancel (N)", id="no")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """The answer by the mouse, or by Enter."""
        self.action_answer(event.button.id == "yes")

    def action_answer(self, agreed: bool) -> None:
        """Give the answer and go."""
        self.dismiss(agreed)
