"""Reads and writes config files: a preset, then the file, then `--set`, into one `RunConfig`.

Every refusal is a sentence that says where, what, what is allowed and the nearest known name.
Knows no trainer. Tested by `tests/trainer/test_config_file.py`.
"""

import difflib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final, TypeVar

import tomlkit
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from trainer.config import RunConfig
from trainer.files import write_atomic

Tree = dict[str, Any]
_Model = TypeVar("_Model", bound=BaseModel)

REPLACED: Final = {"sim.team_size": 'sim.modes, such as {"2v2" = 1.0}'}
"""What stands for a key that files and runs of before may still have."""


class ConfigError(Exception):
    """A config cannot be used; the message is one sentence a finding, for a person."""


def load_config(path: Path | None, overrides: Sequence[str] = ()) -> RunConfig:
    """The config of `path` (None: the default preset) with `overrides` such as "ppo.epochs=2".

    Raises:
        ConfigError: When a file is missing, is not TOML, or says something impossible.
    """
    written = {} if path is None else read_toml(path)
    asked = _parse_overrides(overrides)
    preset = _read_preset(str((written | asked).get("preset", "laptop")))
    tree = lay_over(lay_over(preset, written), asked)
    where = "the settings" if path is None else str(path)
    return validated(tree, where, dict.fromkeys(_leaves(asked), "--set"))


def validated(tree: Tree, where: str, sources: Mapping[str, str] | None = None) -> RunConfig:
    """The config that `tree` is; `checked` says the rest."""
    return checked(RunConfig, tree, where, sources)


def checked(
    model: type[_Model], tree: Tree, where: str, sources: Mapping[str, str] | None = None
) -> _Model:
    """The settings that `tree` of sections and values is, as a `model` whose fields all default.

    Args:
        model: Which settings.
        tree: What is absent takes its default.
        where: Whence it comes, in words, for the refusal.
        sources: Whence single settings come, by their dotted name, where that differs.

    Raises:
        ConfigError: One sentence a finding.
    """
    try:
        return model.model_validate(tree)
    except ValidationError as error:
        known = list(_leaves(model().model_dump()))
        findings = [_sentence(finding, where, sources or {}, known) for finding in error.errors()]
        raise ConfigError("\n".join(findings)) from error


def read_toml(path: Path) -> Tree:
    """The sections and values of a file.

    Raises:
        ConfigError: When it is missing, cannot be read, or is not TOML.
    """
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(f"{path} does not exist") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path} cannot be read as TOML: {error}") from error


def preset_names() -> list[str]:
    """The presets in the package."""
    folder = resources.files("trainer") / "presets"
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir())


def config_text(config: BaseModel) -> str:
    """All settings as TOML, each key under its docstring; `load_config` reads a run's back."""
    document = tomlkit.document()
    _write_section(document, config)
    return tomlkit.dumps(document)


def write_config(path: Path, config: RunConfig) -> None:
    """Write `config_text` atomically."""
    write_atomic(path, config_text(config).encode())


def _write_section(table: tomlkit.TOMLDocument | Any, section: BaseModel) -> None:  # noqa: ANN401 - tomlkit's own tables share no typed base
    fields = type(section).model_fields
    # Plain values come first: in TOML, whatever follows a [table] belongs to it.
    for name in sorted(fields, key=lambda name: _is_table(getattr(section, name))):
        value = getattr(section, name)
        comment = tomlkit.comment(fields[name].description or name)
        if isinstance(value, BaseModel):
            inner = tomlkit.table()
            inner.add(comment)
            inner.add(tomlkit.nl())
            _write_section(inner, value)
            table.add(name, inner)
        else:
            table.add(comment)
            table.add(name, list(value) if isinstance(value, tuple) else value)


def _is_table(value: object) -> bool:
    return isinstance(value, BaseModel | Mapping)


def _read_preset(name: str) -> Tree:
    if name not in preset_names():
        raise ConfigError(
            f"preset = {name!r} is unknown; known: {', '.join(preset_names())}"
            + nearest(name, preset_names())
        )
    return tomllib.loads((resources.files("trainer") / "presets" / f"{name}.toml").read_text())


def _parse_overrides(overrides: Sequence[str]) -> Tree:
    tree: Tree = {}
    for name, value in parse_settings(overrides, "--set").items():
        tree = merge(tree, tree_of(name, value))
    return tree


def parse_settings(words: Sequence[str], source: str) -> dict[str, object]:
    """Values by name from words such as "ppo.epochs=2".

    Raises:
        ConfigError: When one is written otherwise; `source` says where it was.
    """
    values: dict[str, object] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name.strip():
            raise ConfigError(f"{source} {word}: write it as section.key=value")
        values[name.strip()] = _parse_value(text.strip())
    return values


def tree_of(name: str, value: object) -> Tree:
    """The sections around one value; a key may stand in quotes, as TOML has it."""
    leaf: Any = value
    for part in reversed(name.split(".")):
        leaf = {part.strip('"'): leaf}
    tree: Tree = leaf
    return tree


def _parse_value(text: str) -> object:
    """A TOML value; words without quotes are taken as strings, as a shell user writes them."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def lay_over(base: Tree, top: Tree) -> Tree:
    """`base` with all that `top` says; modes and anchors are replaced whole: none slips in."""
    merged = merge(base, top)
    match top:
        case {"sim": {"modes": modes}}:
            merged["sim"]["modes"] = modes
    match top:
        case {"ratings": {"anchors": anchors}}:
            merged["ratings"]["anchors"] = anchors
    return merged


def merge(base: Tree, top: Tree) -> Tree:
    """`top` over `base`, section by section."""
    merged = dict(base)
    for key, value in top.items():
        below = merged.get(key)
        if isinstance(below, dict) and isinstance(value, dict):
            merged[key] = merge(below, value)
        else:
            merged[key] = value
    return merged


def _leaves(tree: Tree, prefix: str = "") -> Iterator[str]:
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield prefix + key


def _sentence(
    finding: ErrorDetails, where: str, sources: Mapping[str, str], known: Sequence[str]
) -> str:
    # Where a key of a dict is wrong, and not its value, pydantic's place ends by "[key]".
    is_key = finding["loc"][-1:] == ("[key]",)
    key = ".".join(map(str, finding["loc"][:-1] if is_key else finding["loc"]))
    source = sources.get(key, where)
    if finding["type"] == "extra_forbidden" and key in REPLACED:
        return f"{source}: {key} is no more: write {REPLACED[key]}"
    if finding["type"] == "extra_forbidden":
        return f"{source}: unknown key {key}{nearest(key, known)}"
    if finding["type"] == "value_error":
        return f"{source}: {finding['msg'].removeprefix('Value error, ')}"
    if finding["type"] == "model_type":
        return f"{source}: {key} is a section: set one of its keys, such as {_first_in(key, known)}"
    message = finding["msg"].removeprefix("Input ")
    allowed = finding.get("ctx", {}).get("expected", "")
    guess = nearest(
        str(finding["input"]), allowed.replace("'", "").replace(" or ", ", ").split(", ")
    )
    found = key if is_key else f"{key} = {finding['input']!r}"
    return f"{source}: {found} {message}{guess}"


def _first_in(section: str, known: Sequence[str]) -> str:
    return next(key for key in known if key.startswith(f"{section}."))


def nearest(name: str, known: Sequence[str]) -> str:
    """The nearest known name as "; nearest: …": the same last part wins, then likeness.

    Initials are as good as the part itself: lr is a learning_rate.
    """
    section, _, leaf = name.rpartition(".")
    meant = [key for key in known if leaf in (_leaf(key), _initials(_leaf(key)))]
    here = [key for key in meant if key.rpartition(".")[0] == section]
    found = here or meant or difflib.get_close_matches(name, known, 1, 0.6)
    return f"; nearest: {found[0]}" if found else ""


def _leaf(key: str) -> str:
    return key.rpartition(".")[2]


def _initials(leaf: str) -> str:
    return "".join(word[:1] for word in leaf.split("_"))
