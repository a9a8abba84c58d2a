"""The settings of a run as rows of a form, made from the config's own fields, and what was typed.

A row's help is the docstring under the field. Pure functions that know no widget. Tested by
`tests/tui/test_form_fields.py`, over every field that there is.
"""

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from trainer.config import RunConfig
from trainer.config_file import ConfigError, load_config, preset_names
from trainer.live import is_live

Kind = Literal["bool", "choice", "int", "float", "text", "list", "weights"]
"""What may be typed: a list is whole numbers by commas, weights are `name = number` by commas."""

SECTIONS = {"": "run"}
"""What a section is called that has no name in the file."""


@dataclass(frozen=True)
class FormField:
    """One setting."""

    name: str
    """Such as "ppo.learning_rate"."""
    section: str
    """All but the last part of the name; empty for the settings of no section."""
    label: str
    """The last part in words."""
    help: str
    """What it does, in a sentence or two."""
    kind: Kind
    """What may be typed."""
    choices: tuple[str, ...]
    """All values that a choice has; empty for the other kinds."""
    value: object
    """What it is."""
    default: object
    """What the preset says."""
    live: bool
    """Whether it may change while a run trains."""

    @property
    def changed(self) -> bool:
        """Whether it is not what the preset says."""
        return self.value != self.default

    @property
    def text(self) -> str:
        """The value as it is typed."""
        return text_of(self.value)


def preset_config(name: str) -> RunConfig:
    """All settings as a preset of the package has them."""
    return load_config(None, [f"preset={name}"])


def fields_of(config: RunConfig, preset: RunConfig) -> tuple[FormField, ...]:
    """Every setting of `config`, section by section, beside what `preset` says."""
    return tuple(_fields(config, preset, ""))


def section_title(section: str) -> str:
    """What a section is called on the screen."""
    return SECTIONS.get(section, section)


def text_of(value: object) -> str:
    """A value as it is typed; `value_of` reads it back."""
    match value:
        case bool():
            return "true" if value else "false"
        case Mapping():
            return ", ".join(f"{name} = {text_of(weight)}" for name, weight in value.items())
        case tuple():
            return ", ".join(map(text_of, value))
        case float():
            return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    return str(value)


def value_of(field: FormField, text: str) -> object:
    """What `text` says of `field`; what is no such value is left as text, for the model to refuse.

    Raises:
        ConfigError: One sentence, when weights are not written as such.
    """
    words = text.strip()
    match field.kind:
        case "bool":
            return {"true": True, "false": False}.get(words, words)
        case "int":
            return _whole(words)
        case "float":
            return _number(words)
        case "list":
            parts = [part.strip() for part in words.strip("[]").split(",")]
            return tuple(_whole(part) for part in parts if part)
        case "weights":
            return _weights(field.name, words)
    return words


def setting_words(config: RunConfig) -> list[str]:
    """What `--set` takes to come from nothing to `config`: the preset, then what differs."""
    preset = preset_config(config.preset)
    changed = [field for field in fields_of(config, preset) if field.changed]
    return [
        f"preset={config.preset}",
        *(f"{field.name}={_toml(field.value)}" for field in changed if field.name != "preset"),
    ]


def _fields(section: BaseModel, preset: BaseModel, prefix: str) -> Iterator[FormField]:
    inner = []
    for key, info in type(section).model_fields.items():
        value, default, name = getattr(section, key), getattr(preset, key), prefix + key
        if isinstance(value, BaseModel):
            inner.append((value, default, f"{name}."))
            continue
        kind, choices = _kind(name, info.annotation)
        yield FormField(
            name=name,
            section=prefix.removesuffix("."),
            label=key.replace("_", " "),
            help=" ".join((info.description or "").split()),
            kind=kind,
            choices=choices,
            value=value,
            default=default,
            live=is_live(name),
        )
    for value, default, name in inner:
        yield from _fields(value, default, name)


def _kind(name: str, annotation: Any) -> tuple[Kind, tuple[str, ...]]:  # noqa: ANN401 - any type
    if name == "preset":
        return "choice", tuple(preset_names())
    kinds: dict[object, Kind] = {bool: "bool", int: "int", float: "float", str: "text"}
    origins: dict[object, Kind] = {Literal: "choice", tuple: "list", dict: "weights"}
    origin = get_origin(annotation)
    if origin in origins and not isinstance(annotation, types.UnionType):
        return origins[origin], get_args(annotation) if origin is Literal else ()
    if annotation not in kinds:
        raise TypeError(f"{name} is {annotation}: a form has no row for that")
    return kinds[annotation], ()


def _whole(text: str) -> object:
    """A whole number, as 50_000, 50,000 or 1e6; else the text."""
    plain = text.replace(",", "").replace(" ", "")
    number = _number(plain)
    if isinstance(number, float) and number.is_integer():
        return int(number) if "e" in plain.lower() or "." in plain else int(plain)
    return text


def _number(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text


def _weights(name: str, text: str) -> dict[str, object]:
    found: dict[str, object] = {}
    for part in text.strip("{}").split(","):
        if not part.strip():
            continue
        key, equals, weight = part.partition("=")
        key = key.strip().strip('"')
        if not equals or not key:
            raise ConfigError(f"{name}: write {part.strip()!r} as name = number, name = number")
        if key in found:
            raise ConfigError(f"{name}: {key} is there twice")
        found[key] = _number(weight.strip())
    return found


def _toml(value: object) -> str:
    match value:
        case bool():
            return text_of(value)
        case str():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'
        case tuple():
            return f"[{text_of(value)}]"
        case Mapping():
            pairs = (f"{_toml(name)} = {weight}" for name, weight in value.items())
            return f"{{{', '.join(pairs)}}}"
    return str(value)
