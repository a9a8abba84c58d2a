"""Settings to type in: sections on the left, the rows of one of them on the right.

Keeps what was typed, whichever section is shown, and judges nothing: whoever shows it does. Tested
by `tests/tui/widgets/test_field_form.py`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.events import DescendantFocus
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, OptionList, Select, Static, Switch
from textual.widgets.option_list import Option

from tui.form_fields import FormField, section_title, text_of

_TRUE, _FALSE = text_of(True), text_of(False)


class FieldRow(Horizontal):
    """One setting: its name, and what it is typed in."""

    @dataclass
    class Typed(Message):
        """Something was typed or chosen."""

        field: FormField
        """In which row."""
        text: str
        """What it says."""

    def __init__(self, field: FormField, text: str) -> None:
        """Show `text` as the value of `field`."""
        super().__init__()
        self.field = field
        self._text = text

    def compose(self) -> ComposeResult:
        """The name, the value, and what the preset says where that is something else."""
        yield Static(self.field.label, classes="field-label", markup=False)
        yield self._editor()
        yield Static(self._note(self._text), classes="field-note", markup=False)

    def focus_editor(self) -> None:
        """Let a person type here."""
        self.query_one(".field-editor").focus()

    def mark(self, wrong: bool) -> None:
        """Show whether what it says cannot be."""
        self.set_class(wrong, "-wrong")

    def _editor(self) -> Widget:
        match self.field.kind:
            case "bool":
                return Switch(self._text == _TRUE, animate=False, classes="field-editor")
            case "choice":
                options = [(choice, choice) for choice in self.field.choices]
                return Select(
                    options,
                    allow_blank=False,
                    value=self._text,
                    compact=True,
                    classes="field-editor",
                )
        return Input(self._text, compact=True, classes="field-editor")

    def _note(self, text: str) -> str:
        """What the preset says, if that is something else; a switch is also put in words."""
        preset = text_of(self.field.default)
        said = [text] if self.field.kind == "bool" else []
        return ", ".join([*said, *([] if text == preset else [f"preset {preset or 'empty'}"])])

    @on(Input.Changed)
    @on(Select.Changed)
    @on(Switch.Changed)
    def _say(self, event: Input.Changed | Select.Changed | Switch.Changed) -> None:
        event.stop()
        value = event.value
        text = text_of(value) if isinstance(value, bool) else str(value)
        if text != self._text:
            self._text = text
            self.query_one(".field-note", Static).update(self._note(text))
            self.post_message(self.Typed(self.field, text))


class FieldForm(Horizontal):
    """Rows to type in."""

    HELP: ClassVar[str] = """
    ## Settings
    Sections on the left; **Tab** goes on to the rows of the chosen one.
    Numbers may be written `50_000`, `50,000` or `5e4`; widths as `256, 256`; weights as
    `1v1 = 1, 2v2 = 0.5`. What was typed stays while you look at another section.
    """

    @dataclass
    class Changed(Message):
        """What was typed is something else than before."""

        typed: Mapping[str, str]
        """All that was, by the settings' names; what says the value itself is left out."""

    @dataclass
    class Visited(Message):
        """A row has the focus."""

        field: FormField
        """Which."""

    def __init__(self, fields: Sequence[FormField], first: str = "") -> None:
        """Offer `fields`, the focus on the one called `first` if there is one."""
        super().__init__()
        self._fields = tuple(fields)
        self.typed: dict[str, str] = {}
        """What was typed by name, where it is not the value."""
        self._first = first
        self._section = next(
            (field.section for field in fields if field.name == first), self._sections[0]
        )
        self._wrong: frozenset[str] = frozenset()

    @property
    def _sections(self) -> list[str]:
        return list(dict.fromkeys(field.section for field in self._fields))

    def compose(self) -> ComposeResult:
        """Sections, rows."""
        yield OptionList(id="sections", compact=True)
        yield VerticalScroll(*self._rows(), id="rows", can_focus=False)

    def on_mount(self) -> None:
        """Show the section, and go where a person wants to type, if that is known."""
        sections = self._section_list
        self._name_sections()
        sections.highlighted = self._sections.index(self._section)
        for row in self.query(FieldRow):
            if row.field.name == self._first:
                row.focus_editor()

    async def change_fields(self, fields: Sequence[FormField]) -> None:
        """Offer other values of the same settings; what was typed stays."""
        self._fields = tuple(fields)
        values = {field.name: field.text for field in fields}
        self.typed = {name: text for name, text in self.typed.items() if text != values.get(name)}
        await self._show_rows()

    async def put(self, texts: Mapping[str, str]) -> None:
        """Type `texts` by the settings' names, as a person would."""
        for field in self._fields:
            if field.name in texts:
                self._take(field, texts[field.name])
        await self._show_rows()
        self.post_message(self.Changed(dict(self.typed)))

    def mark(self, names: Iterable[str]) -> None:
        """Mark the rows of `names`, and their sections, as what cannot be."""
        self._wrong = frozenset(names)
        for row in self.query(FieldRow):
            row.mark(row.field.name in self._wrong)
        self._name_sections()

    @on(OptionList.OptionHighlighted, "#sections")
    async def _turn(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        section = self._sections[event.option_index]
        if section != self._section:
            self._section = section
            await self._show_rows()

    @on(OptionList.OptionSelected, "#sections")
    def _enter(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        for row in self.query(FieldRow):
            row.focus_editor()
            return

    @on(FieldRow.Typed)
    def _typed(self, event: FieldRow.Typed) -> None:
        event.stop()
        self._take(event.field, event.text)
        self.post_message(self.Changed(dict(self.typed)))

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Say which setting a person looks at."""
        row = event.widget.parent
        if isinstance(row, FieldRow):
            self.post_message(self.Visited(row.field))

    def _take(self, field: FormField, text: str) -> None:
        self.typed.pop(field.name, None)
        if text != field.text:
            self.typed[field.name] = text

    @property
    def _section_list(self) -> OptionList:
        return self.query_one("#sections", OptionList)

    def _name_sections(self) -> None:
        """Sections with a dot where something was typed, and a cross where something is wrong."""
        sections = self._section_list
        names = [self._section_name(section) for section in self._sections]
        if [str(option.prompt) for option in sections.options] == [name.plain for name in names]:
            return
        chosen = sections.highlighted
        sections.set_options([Option(name) for name in names])
        sections.highlighted = chosen

    def _section_name(self, section: str) -> Content:
        mine = [field.name for field in self._fields if field.section == section]
        title = section_title(section)
        if self._wrong.intersection(mine):
            return Content.from_markup("[$error]✗[/] $title", title=title)
        if self.typed.keys() & set(mine):
            return Content.from_markup("[$accent]•[/] $title", title=title)
        return Content(f"  {title}")

    def _rows(self) -> list[FieldRow]:
        shown = [field for field in self._fields if field.section == self._section]
        rows = [FieldRow(field, self.typed.get(field.name, field.text)) for field in shown]
        for row in rows:  # before they are seen for the first time
            row.mark(row.field.name in self._wrong)
        return rows

    async def _show_rows(self) -> None:
        place = self.query_one("#rows", VerticalScroll)
        async with self.batch():
            await place.remove_children()
            await place.mount_all(self._rows())
        self._name_sections()
