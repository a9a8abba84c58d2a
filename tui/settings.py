"""A person's own settings of the dashboard: a TOML file of theirs, the same for every run.

The file is the platform's (`~/.config/rlppo/tui.toml` on Linux) or the one that RLPPO_TUI_CONFIG
names. Nothing here opens a screen; which keys there are is `keymap.py`'s. Tested by
`tests/tui/test_settings.py`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import tomlkit
from platformdirs import user_config_path
from pydantic import BeforeValidator, Field

from trainer.config_file import ConfigError, checked, read_toml
from trainer.config_section import Section
from trainer.files import write_atomic
from tui.keymap import Bound

PATH_VARIABLE = "RLPPO_TUI_CONFIG"
"""The environment's name for another file."""

ThemeName = Literal["dark", "light", "safe-dark", "safe-light", "mono"]
AsciiChoice = Literal["auto", True, False]


def _flat(tree: object, prefix: str = "") -> object:
    """`charts.log = "l"` means the binding "charts.log", in quotes or not."""
    if not isinstance(tree, dict):
        return tree
    flat: dict[str, object] = {}
    for name, value in tree.items():
        below = _flat(value, f"{prefix}{name}.")
        flat.update(below if isinstance(below, dict) else {f"{prefix}{name}": below})
    return flat


class Settings(Section):
    """How the dashboard looks to one person, and which keys they press."""

    theme: ThemeName = "dark"
    """Colours: dark, light, safe-dark and safe-light (told apart by the colour-blind), mono."""
    ascii: AsciiChoice = "auto"
    """Draw with ASCII alone: true, false, or "auto", where the terminal has nothing else."""
    keys: Annotated[dict[str, str], BeforeValidator(_flat)] = Field(default_factory=dict)
    """Other keys, by the binding's name; "f10", "ctrl+s", or several: "f10,x"."""


def settings_path(env: Mapping[str, str]) -> Path:
    """Where the file is, or would be."""
    named = env.get(PATH_VARIABLE)
    return Path(named) if named else user_config_path("rlppo", appauthor=False) / "tui.toml"


def load_settings(env: Mapping[str, str]) -> Settings:
    """The person's settings; the defaults when they have no file.

    Raises:
        ConfigError: One sentence a finding, or when the file that the environment names is missing.
    """
    path = settings_path(env)
    if not path.exists() and PATH_VARIABLE not in env:
        return Settings()
    return checked(Settings, read_toml(path), str(path))


def settings_text(settings: Settings, keys: tuple[Bound, ...]) -> str:
    """The file with every setting under its explanation, and every key of `keys` that may change.

    Keys that are as they come stand in comments, so that a later version may better them.
    """
    lines: list[str] = []
    for name in ("theme", "ascii"):
        lines += [f"# {_doc(name)}", f"{name} = {_toml(getattr(settings, name))}", ""]
    lines += [f"# {_doc('keys')}", "[keys]"]
    for bound in keys:
        mine = settings.keys.get(bound.id)
        name = bound.id if bound.id.isidentifier() else _toml(bound.id)
        mark = "# " if mine is None else ""
        lines.append(f"# {bound.where}, {bound.label}: {bound.help}".rstrip(": "))
        lines.append(f"{mark}{name} = {_toml(mine or bound.keys)}")
    return "\n".join(lines) + "\n"


def write_settings(path: Path, text: str) -> None:
    """Write a first file.

    Raises:
        ConfigError: When there is one: the person's own words are not written over.
    """
    if path.exists():
        raise ConfigError(f"{path} exists: edit it, or delete it first")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, text.encode())


def _doc(name: str) -> str:
    return Settings.model_fields[name].description or name


def _toml(value: object) -> str:
    return tomlkit.item(value).as_string()
