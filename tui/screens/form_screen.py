"""What the forms share: the help of the row that has the focus, and F1, since letters are typed.

Tested by `tests/tui/screens/test_edit_form.py`.
"""

from typing import ClassVar, TypeVar

from textual import on
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import HelpPanel, Static

from tui.form_words import field_words
from tui.widgets.field_form import FieldForm

_Result = TypeVar("_Result")


class FormScreen(ModalScreen[_Result | None]):
    """A form over everything; has a `.form-help` somewhere."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "f1",
            "explain",
            "Help",
            tooltip="Explain how the form is filled in, and its keys; again to close.",
            id="form.help",
        ),
    ]

    @property
    def preset(self) -> str:
        """The preset that values are compared with."""
        raise NotImplementedError

    @on(FieldForm.Visited)
    def _say_what_it_does(self, event: FieldForm.Visited) -> None:
        self.query_one(".form-help", Static).update(field_words(event.field, self.preset))

    def action_explain(self) -> None:
        """Open or close the help."""
        if not self._help_closed():
            self.app.action_show_help_panel()

    def action_leave(self) -> None:
        """Close the help, so that what was typed does not go with it, or else the form."""
        if not self._help_closed():
            self.dismiss(None)

    def _help_closed(self) -> bool:
        """Close the help; whether it was open."""
        is_open = bool(self.query(HelpPanel))
        if is_open:
            self.app.action_hide_help_panel()
        return is_open
