"""What may change while a run trains, and what a change comes to, as settings only.

A field marked `Live` in the config's models is the one place that says so; all others shape
something that was built once. Knows no trainer (`edits.py` is its side) and loads pydantic and
tomlkit only, so a form can ask it too. Tested by `tests/trainer/test_live.py`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import tomlkit
from pydantic import BaseModel

from trainer.config import RunConfig
from trainer.config_file import ConfigError, Tree, lay_over, merge, tree_of, validated
from trainer.config_section import LIVE


class Change(NamedTuple):
    """One setting that differs between two configs."""

    name: str
    """Such as "ppo.learning_rate"."""
    before: object
    """Its value in the first; None where it has none."""
    after: object
    """Its value in the second; None where it has none."""

    def __str__(self) -> str:
        """Such as "ppo.learning_rate 0.001 -> 0.0001"."""
        return f"{self.name} {_words(self.before)} -> {_words(self.after)}"


def is_live(name: str) -> bool:
    """Whether the setting of the RunConfig called `name` may change while a run trains."""
    section: type[BaseModel] = RunConfig
    for part in name.split("."):
        field = section.model_fields[part]
        if LIVE in field.metadata:
            return True
        if not (isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)):
            return False
        section = field.annotation
    return False


def edited(config: RunConfig, values: Mapping[str, object]) -> RunConfig:
    """`config` with `values` by name over it, valid as a whole.

    Raises:
        ConfigError: With the sentences that a config file would be refused with.
    """
    if not values:
        raise ConfigError("set: no values; give them by name, such as ppo.learning_rate=1e-4")
    asked: Tree = {}
    for name, value in values.items():
        asked = merge(asked, tree_of(name, value))
    return validated(lay_over(config.model_dump(), asked), "set")


def differences(before: RunConfig, after: RunConfig) -> list[Change]:
    """Every setting that differs, in the order of `before`; what only `after` has comes last."""
    old, new = (dict(_leaves(config.model_dump())) for config in (before, after))
    return [
        Change(name, old.get(name), new.get(name))
        for name in dict.fromkeys((*old, *new))
        if old.get(name) != new.get(name)
    ]


def require_live(changes: Sequence[Change]) -> None:
    """Refuse what cannot change while a run trains.

    Raises:
        ConfigError: Naming each setting that is not live, and what to do instead.
    """
    fixed = [change.name for change in changes if not is_live(change.name)]
    if fixed:
        raise ConfigError(
            "\n".join(
                f"set: {name} cannot change while the run trains: stop the run, set it then, "
                "and resume it"
                for name in fixed
            )
        )


def _leaves(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _words(value: object) -> str:
    """A value as TOML writes it."""
    if value is None:
        return "unset"
    return tomlkit.item(list(value) if isinstance(value, tuple) else value).as_string()
