"""A run that does not exist yet: its name, its folder, and the words of the programs that measure.

Knows no screen. Tested by `tests/tui/test_new_run.py`.
"""

import re
import shlex
from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import Literal

from trainer.config import RunConfig
from trainer.config_file import ConfigError, parse_settings, write_config
from trainer.files import write_atomic, write_folder_atomic
from trainer.run_dir import RunDir
from tui import launcher
from tui.form_fields import setting_words, text_of
from tui.launcher import Launch

Measurement = Literal["check", "tune"]
"""The command that builds and measures once, and the one that looks for the fastest layout."""

_NAME = re.compile(r"\w[\w .-]*")
_SET = "--set"


def free_name(runs: Path, wanted: str) -> str:
    """`wanted`, or it with the first number behind it that no folder in `runs` has."""
    names = (wanted if number == 1 else f"{wanted}-{number}" for number in count(1))
    return next(name for name in names if not (runs / name).exists())


def name_fault(runs: Path, name: str) -> str:
    """Why a new run in the folder `runs` cannot be called `name`; empty when it can."""
    if not name.strip():
        return "the run needs a name"
    if not _NAME.fullmatch(name) or name != name.strip():
        return f"name {name!r}: take letters, digits, spaces, dots and dashes, a letter first"
    if (runs / name).exists():
        return f"{runs / name} exists already: take another name, such as {free_name(runs, name)}"
    return ""


def make_run(folder: Path, config: RunConfig, beside: Path) -> Launch:
    """Create the folder of a new run with its config and what that names, whole or not at all.

    Args:
        folder: To be made.
        config: Every setting.
        beside: Where the user's own rewards and start states are.

    Returns:
        What its trainer is started with.

    Raises:
        ConfigError: When a file that the config names is missing.
        FileExistsError: When the folder exists already.
        OSError: When the disk refuses.
    """
    modules = _reward_modules(config, beside)
    if config.resets.file:
        # Beside the run's own config it would be looked for in the run; the trainer copies it.
        states = (beside / config.resets.file).resolve()
        if not states.is_file():
            raise ConfigError(f"resets.file: {states} does not exist")
        resets = config.resets.model_copy(update={"file": str(states)})
        config = config.model_copy(update={"resets": resets})

    def fill(temporary: Path) -> None:
        write_config(temporary / RunDir(folder).config.name, config)
        for module in modules:
            write_atomic(temporary / module.name, module.read_bytes())

    folder.parent.mkdir(parents=True, exist_ok=True)
    write_folder_atomic(folder, fill)
    return Launch(RunDir(folder))


def _reward_modules(config: RunConfig, beside: Path) -> list[Path]:
    """The files of the user's own rewards."""
    modules = {}
    for name in config.rewards.custom:
        module = name.partition(":")[0]
        if not module.isidentifier():
            raise ConfigError(f'rewards.custom: {name} must read "module:function"')
        modules[module] = beside / f"{module}.py"
    for path in modules.values():
        if not path.is_file():
            raise ConfigError(f"rewards.custom: {path.resolve()} does not exist")
    return [*modules.values()]


def measuring_command(measurement: Measurement, config: RunConfig) -> list[str]:
    """The trainer's command that measures `config`, with all of it in words and no file."""
    words = [word for setting in setting_words(config) for word in (_SET, setting)]
    return [*launcher.TRAINER, measurement, *words]


def tuned_settings(lines: Sequence[str]) -> dict[str, str]:
    """What "tune" found by name, as it is typed: from its last line; empty when there is none."""
    if not lines or not lines[-1].startswith(_SET):
        return {}
    settings = [word for word in shlex.split(lines[-1]) if word != _SET]
    return {name: text_of(value) for name, value in parse_settings(settings, _SET).items()}


def measured_speed(lines: Iterable[str]) -> str:
    """What "check" says of an iteration, such as "about 1.2 s, 42,000 steps/s"; empty without."""
    found = (line.partition(" ")[2].strip() for line in lines if line.startswith("iteration "))
    return next(found, "")
