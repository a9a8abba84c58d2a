"""The trainer's side of the command "set": an edit is taken whole or refused whole, and told.

Tested by `tests/trainer/test_edits.py`.
"""

from collections.abc import Callable

from trainer.config import RunConfig
from trainer.config_file import ConfigError, write_config
from trainer.control import Edit
from trainer.custom_rewards import RewardError
from trainer.live import differences, edited, require_live
from trainer.session import Session


def take_edit(
    edit: Edit, config: RunConfig, session: Session, change: Callable[[RunConfig], None]
) -> RunConfig:
    """The config in force after `edit`: the run's config.toml then says the same.

    Args:
        edit: What somebody asked for.
        config: What is in force.
        session: Is told, either way.
        change: Brings a config into what was built from `config`; RewardError refuses it.
    """
    try:
        wanted = edited(config, edit.values)
        changes = differences(config, wanted)
        require_live(changes)
        change(wanted)
        _write(session, config, wanted, change)
    except (ConfigError, RewardError, OSError) as error:
        sentences = str(error).replace("\n", "; ")
        session.tell("warning", f"{sentences}; nothing was changed", edit.id)
        return config
    words = ", ".join(map(str, changes)) or "nothing: these values are in force"
    session.tell("edit", f"set {words}, from iteration {session.status.iteration + 1} on", edit.id)
    return wanted


def _write(
    session: Session, config: RunConfig, wanted: RunConfig, change: Callable[[RunConfig], None]
) -> None:
    try:
        write_config(session.run.config, wanted)
    except OSError:
        change(config)
        raise
