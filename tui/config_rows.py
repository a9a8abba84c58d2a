"""The Config page as text: which settings a search finds, their cells, and what is said of one.

Pure functions that know no widget. Tested by `tests/tui/test_config_rows.py`.
"""

from collections.abc import Iterable

from rich.text import Text
from textual.content import Content

from trainer.config_file import ConfigError
from trainer.live import Change, require_live
from tui.form_fields import FormField, text_of
from tui.form_words import field_words
from tui.run_reader import Situation

COLUMNS = ("Setting", "Value", "Preset", "While it trains")
_MARK = "• "
STARTING = "the trainer still starts: what is sent now, it would not read"


def found_by(fields: Iterable[FormField], words: str) -> list[FormField]:
    """The settings that have every one of `words` in name, value or help."""
    wanted = words.lower().split()
    return [field for field in fields if all(word in _text(field) for word in wanted)]


def cells(field: FormField) -> tuple[Text, Text, Text, Text]:
    """One row of the table, by `COLUMNS`."""
    mark, style = (_MARK, "bold") if field.changed else ("  ", "")
    preset = text_of(field.default) if field.changed else ""
    when = Text("changes") if field.live else Text("is fixed", "dim")
    return Text(mark + field.name, style), Text(field.text, style), Text(preset, "dim"), when


def hindrance(field: FormField, situation: Situation) -> str:
    """Why `field` cannot be changed at this moment, and what to do; empty when it can."""
    if situation == "starting":
        return STARTING
    if field.name == "preset":
        return "the preset is where a run began: the settings that came from it can be changed"
    if situation == "running":
        try:
            require_live([Change(field.name, field.value, None)])
        except ConfigError as error:
            return str(error).removeprefix("set: ")
    return ""


def explanation(field: FormField, preset: str, situation: Situation) -> Content:
    """What a setting does, what the preset says, and why it cannot be changed, if so."""
    words, why = field_words(field, preset), hindrance(field, situation)
    if not why:
        return words
    return Content("\n").join([words, Content.from_markup("[$warning]$why[/]", why=why)])


def _text(field: FormField) -> str:
    return f"{field.name} {field.label} {field.text} {field.help}".lower()
