"""What the texts of a form come to: the settings, how they differ, and what is wrong with them.

The sentences are those of a config file. Pure functions that know no widget. Tested by
`tests/tui/test_form_draft.py`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from trainer.config import RunConfig
from trainer.config_file import ConfigError
from trainer.live import Change, differences, edited
from tui.form_fields import FormField, value_of

SOURCE = "set: "
"""How the sentences of an edit begin; a form needs no such word."""


class Fault(NamedTuple):
    """Something that cannot be."""

    sentence: str
    """What, and what is allowed."""
    names: tuple[str, ...]
    """The settings that it names; none where it names them otherwise."""


class Draft(NamedTuple):
    """A form at one moment."""

    config: RunConfig | None
    """All settings; None while something is wrong."""
    values: dict[str, object]
    """What was typed that is something else than before, by name."""
    changes: list[Change]
    """How the settings differ from those before; empty while something is wrong."""
    faults: list[Fault]
    """Why they cannot be."""


def draft_of(before: RunConfig, fields: Sequence[FormField], typed: Mapping[str, str]) -> Draft:
    """What comes of `before` by what was `typed` into `fields`, by name; the rest stays."""
    values: dict[str, object] = {}
    faults: list[Fault] = []
    for field in fields:
        if field.name not in typed:
            continue
        try:
            value = value_of(field, typed[field.name])
        except ConfigError as error:
            faults.append(Fault(str(error), (field.name,)))
            continue
        if value != field.value:
            values[field.name] = value
    if faults:
        return Draft(None, values, [], faults)
    if not values:
        return Draft(before, {}, [], [])
    try:
        after = edited(before, values)
    except ConfigError as error:
        names = [field.name for field in fields]
        return Draft(None, values, [], [_fault(line, names) for line in _lines(error)])
    if faults := [*_lost(fields, values, after)]:
        return Draft(None, values, [], faults)
    return Draft(after, values, differences(before, after), [])


def _lines(error: ConfigError) -> list[str]:
    return [line.removeprefix(SOURCE) for line in str(error).splitlines()]


def _fault(sentence: str, names: Iterable[str]) -> Fault:
    """A sentence, and the settings whose whole name is in it."""
    found = [name for name in names if re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", sentence)]
    longest = [name for name in found if not any(other.startswith(f"{name}.") for other in found)]
    return Fault(sentence, tuple(longest))


def _lost(
    fields: Iterable[FormField], values: Mapping[str, object], after: RunConfig
) -> Iterable[Fault]:
    """Weights that were taken out of a form but not out of the settings: an edit only adds."""
    for field in fields:
        typed = values.get(field.name)
        if not isinstance(typed, Mapping):
            continue
        kept: object = after
        for part in field.name.split("."):
            kept = getattr(kept, part)
        for name in [name for name in kept if name not in typed]:  # type: ignore[attr-defined]
            sentence = f"{field.name}: {name} cannot be taken out again: give it the weight 0"
            yield Fault(sentence, (field.name,))
