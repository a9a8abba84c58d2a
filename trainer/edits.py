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
        change: Brings a config into what was built from `config`; what it raises refuses the edit.
    """
    try:
        wanted = edited(config, edit.values)
        changes = differences(config, wanted)
        require_live(changes)
        _bring(wanted, config, session, change)
    except (ConfigError, RewardError) as error:
        return _refuse(edit, config, session, str(error).replace("\n", "; "))
    except Exception as error:  # Whatever somebody asked for must not end the run.
        return _refuse(edit, config, session, f"set: {error}")
    words = ", ".join(map(str, changes)) or "nothing: these values are in force"
    but = ", but for the rollout in flight" if config.ppo.overlap else ""
    when = f"from iteration {session.status.iteration + 1} on{but}"
    session.tell("edit", f"set {words}, {when}", edit.id)
    return wanted


def _bring(
    wanted: RunConfig, config: RunConfig, session: Session, change: Callable[[RunConfig], None]
) -> None:
    """Put `wanted` in force and into the run folder; when either fails, `config` still is."""
    try:
        change(wanted)
        write_config(session.run.config, wanted)
    except Exception:
        change(config)
        raise


def _refuse(edit: Edit, config: RunConfig, session: Session, sentence: str) -> RunConfig:
    session.tell("warning", f"{sentence}; nothing was changed", edit.id)
    return config
