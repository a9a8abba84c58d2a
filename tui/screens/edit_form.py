"""Settings of a run to change, over the page: several at once, the difference shown as one types.

Sends nothing itself: whoever opened it gets the values. Tested by
`tests/tui/screens/test_edit_form.py`.
"""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Footer, Input, Static

from trainer.config import RunConfig
from tui.form_draft import Draft, draft_of
from tui.form_fields import FormField
from tui.form_words import draft_words
from tui.screens.form_screen import FormScreen
from tui.widgets.field_form import FieldForm

TRAINED = "The trainer takes all of it before its next iteration, or none."
RESTING = "Nobody trains: config.toml is changed, and the next resume takes it."
_NOTHING = "Nothing is different yet."


class EditForm(FormScreen[dict[str, object]]):
    """Gives the values to change by name, or None."""

    CSS_PATH: ClassVar = ["forms.tcss", "edit_form.tcss"]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "f9",
            "send",
            "Send",
            tooltip="Send what is different; Enter in a row does the same.",
            id="edit.send",
        ),
        Binding(
            "escape", "leave", "Close", tooltip="Forget what was typed and close.", id="edit.leave"
        ),
    ]

    def __init__(
        self, config: RunConfig, fields: Sequence[FormField], first: str, *, trained: bool
    ) -> None:
        """Offer `fields` of `config`, beginning at the one called `first`.

        Args:
            config: What is in force.
            fields: What may be changed.
            first: Name of the row to begin at.
            trained: Whether a trainer takes it, or the config file.
        """
        super().__init__()
        self._config, self._fields, self._first = config, tuple(fields), first
        self._when = TRAINED if trained else RESTING
        self._draft = Draft(config, {}, [], [])

    def compose(self) -> ComposeResult:
        """One box: rows, help, what comes of it, keys."""
        with Vertical(id="edit-box") as box:
            box.border_title = "Change settings"
            yield Static(self._when, id="edit-when", markup=False)
            yield FieldForm(self._fields, self._first)
            yield Static(classes="form-help")
            yield Static(id="edit-says")
            with Horizontal(classes="form-buttons"):
                yield Button("Send", variant="primary", compact=True, action="screen.send")
                yield Button("Close", compact=True, action="screen.leave")
        yield Footer(show_command_palette=False)

    @property
    def preset(self) -> str:
        """That of the run."""
        return self._config.preset

    def on_mount(self) -> None:
        """Say that nothing is different."""
        self._say()

    @on(FieldForm.Changed)
    def _judge(self, event: FieldForm.Changed) -> None:
        self._draft = draft_of(self._config, self._fields, event.typed)
        self._say()

    def _say(self) -> None:
        self.query_one("#edit-says", Static).update(draft_words(self._draft, _NOTHING))
        wrong = [name for fault in self._draft.faults for name in fault.names]
        self.query_one(FieldForm).mark(wrong)

    @on(Input.Submitted)
    def action_send(self) -> None:
        """Give the values, when there are some and all of them can be."""
        if self._draft.faults:
            self.notify("It is not sent: see the sentence below.", severity="error")
        elif not self._draft.changes:
            self.notify(_NOTHING, severity="warning")
        else:
            self.dismiss(self._draft.values)
