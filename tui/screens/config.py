"""All settings of the run in one table that can be searched; the live ones can be changed.

Writes the command "set" into the run folder and waits for the event that answers it; where nobody
trains, config.toml is written in a thread. Tested by `tests/tui/screens/test_config.py`.
"""

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import DataTable, Input, Static

from trainer.asking import write_values
from trainer.config import RunConfig
from trainer.config_file import ConfigError
from trainer.control import send_edit
from trainer.run_dir import RunDir
from trainer.session import RunBusyError
from tui.config_rows import COLUMNS, cells, explanation, found_by, hindrance
from tui.form_fields import FormField, fields_of, preset_config
from tui.known import Known
from tui.messages import ConfigWritten
from tui.run_reader import Situation
from tui.screens.edit_form import EditForm
from tui.screens.run_screen import RunScreen

_WAITING = "sent: the trainer takes it before its next iteration…"
_UNHEARD = "the trainer ended before it answered: ask again"


class SettingsTable(DataTable[object]):
    """The rows."""

    HELP: ClassVar[str] = """
    ## Settings of the run
    A dot marks what is not as the preset has it. **Enter** or **e** changes a setting, **/** looks
    for one by any word of its name, value or help.
    """


class ConfigScreen(RunScreen):
    """What the run trains with."""

    HELP = "Type a part of a setting's name, value or help; Enter goes to the rows, Esc shows all."
    PAGE = "config"
    AUTO_FOCUS = "SettingsTable"
    CSS_PATH = "config.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "e",
            "edit",
            "Edit",
            tooltip="Change settings while the run trains, or before it is resumed.",
            id="config.edit",
        ),
        Binding(
            "slash",
            "find",
            "Find",
            key_display="/",
            tooltip="Show the settings that have some words in name, value or help.",
            id="config.find",
        ),
        Binding(
            "escape", "all", "All", tooltip="Show all settings again.", show=False, id="config.all"
        ),
    ]

    def __init__(self) -> None:
        """Nothing is asked."""
        super().__init__()
        self._config: RunConfig | None = None
        self._fields: dict[str, FormField] = {}
        self._listed: list[FormField] = []
        self._explained: tuple[FormField | None, Situation] | None = None
        self._unanswered = ""

    def body(self) -> ComposeResult:
        """Search, table, help, answer."""
        yield Input(placeholder="Find a setting", compact=True, id="find")
        yield SettingsTable(id="settings", cursor_type="row", cell_padding=2)
        yield Static(id="setting-help")
        yield Static(id="answer", markup=False)

    def on_mount(self) -> None:
        """Name the columns."""
        self._table.add_columns(*COLUMNS)

    @property
    def _table(self) -> SettingsTable:
        return self.query_one(SettingsTable)

    @property
    def _row(self) -> FormField | None:
        """The setting under the cursor."""
        table = self._table
        if not table.row_count:
            return None
        return self._fields[
            str(table.coordinate_to_cell_key(table.cursor_coordinate).row_key.value)
        ]

    def show(self, known: Known) -> None:
        """Draw the settings when they are others, and what was answered."""
        if known.config is not self._config:
            self._config = known.config
            fields = fields_of(known.config, preset_config(known.config.preset))
            self._fields = {field.name: field for field in fields}
            self._fill()
        self._explain()
        if self._unanswered:
            self._look_for_answer(known)

    @on(Input.Changed, "#find")
    def _fill(self) -> None:
        """Show what the search finds, the cursor on the setting it was on."""
        found = found_by(self._fields.values(), self.query_one("#find", Input).value)
        if found != self._listed:
            table, row = self._table, self._row
            self._listed = found
            table.clear()
            for field in found:
                table.add_row(*cells(field), key=field.name)
            if row and row.name in (field.name for field in found):
                table.move_cursor(row=table.get_row_index(row.name))
        self._explain()

    @on(DataTable.RowHighlighted)
    def _explain(self) -> None:
        """Say what is under the cursor, unless it is said already."""
        if self.known is None or self._explained == (self._row, self.known.situation):
            return
        row, situation = self._explained = self._row, self.known.situation
        words = explanation(row, self.known.config.preset, situation) if row else ""
        place = self.query_one("#setting-help", Static)
        place.update(words or "No setting has all of these words.")

    @on(Input.Submitted, "#find")
    def _go_to_table(self) -> None:
        self._table.focus()

    def action_find(self) -> None:
        """Type what to look for."""
        self.query_one("#find", Input).focus()

    def action_all(self) -> None:
        """Forget the search."""
        self.query_one("#find", Input).clear()
        self._table.focus()

    @on(DataTable.RowSelected)
    def action_edit(self) -> None:
        """Open the form at the setting under the cursor, or say why it cannot be changed."""
        row, known = self._row, self.known
        if row is None or known is None:
            return
        if why := hindrance(row, known.situation):
            self.notify(why, severity="warning")
            return
        fields = [field for field in self._fields.values() if not hindrance(field, known.situation)]
        form = EditForm(known.config, fields, row.name, trained=known.training)
        self.app.push_screen(form, self._change)

    def _change(self, values: Mapping[str, object] | None) -> None:
        if not values or self.known is None:
            return
        if not self.known.training:
            write = partial(self._write, self.known.run, values)
            self.run_worker(write, thread=True, group="write", exclusive=True)
        elif self.ask(partial(self._send, values)):
            self._say(_WAITING)

    def _send(self, values: Mapping[str, object], run: RunDir) -> None:
        self._unanswered = send_edit(run, values)

    def _write(self, run: RunDir, values: Mapping[str, object]) -> None:
        """In a thread: touches no widget."""
        said: list[str] = []
        try:
            write_values(run, values, said.append)
        except (ConfigError, OSError, RunBusyError) as error:
            self.post_message(ConfigWritten("; ".join(str(error).splitlines()), refused=True))
        else:
            self.post_message(ConfigWritten("; ".join(said), refused=False))

    def on_config_written(self, message: ConfigWritten) -> None:
        """Say how it ended; the app reads the file again."""
        self._say(message.words, refused=message.refused)

    def _look_for_answer(self, known: Known) -> None:
        for event in reversed(known.events):
            if event.answers == self._unanswered:
                self._unanswered = ""
                self._say(event.text, refused=event.kind != "edit")
                return
        if not known.training:
            self._unanswered = ""
            self._say(_UNHEARD, refused=True)

    def _say(self, words: str, *, refused: bool = False) -> None:
        answer = self.query_one("#answer", Static)
        answer.update(words)
        answer.add_class("-said")
        answer.set_class(refused, "-refused")
