"""The command `set`: settings of a run changed by name, through its trainer or in its config.toml.

Checks all that can be known from outside before it asks, and waits for the answer. Knows no torch
and nothing of how the trainer changes them (`edits.py`). Tested by `tests/trainer/test_asking.py`.
"""

import time
from collections.abc import Callable, Mapping, Sequence

from trainer import jsonl
from trainer.config import RunConfig
from trainer.config_file import load_config, parse_settings, write_config
from trainer.control import send_edit
from trainer.fitting import require_fitting
from trainer.live import Change, differences, edited, require_live
from trainer.run_dir import RunDir, read_status
from trainer.session import lock_run

ANSWER_S = 20.0
"""How long an answer is waited for: an iteration of the laptop preset takes less."""
LOOK_S = 0.1


class RefusedError(Exception):
    """The trainer did not do as asked, or nobody trains; the message is one sentence."""


def set_values(run: RunDir, words: Sequence[str], say: Callable[[str], None]) -> None:
    """Change the settings that `words` such as "ppo.epochs=3" name; all of them or none.

    Args:
        run: A run that trains, or that will be resumed.
        words: What to change.
        say: Gets each difference and how it ended, as lines for a person.

    Raises:
        ConfigError: When there is no such run, or the settings cannot be as asked.
        RefusedError: When the trainer says so, or ended before it answered.
        RunBusyError: When a trainer holds the run that nothing is known of yet.
    """
    config, values = load_config(run.config), parse_settings(words, "set")
    if not is_trained(run):
        write_values(run, values, say)
        return
    wanted = edited(config, values)
    require_fitting(run, config, wanted)
    require_live(differences(config, wanted))
    _, changes = _check(config, values, say)
    if changes:
        follower = jsonl.Follower(run.events, from_end=True)
        late = "sent: the trainer takes it before its next iteration, and says so among its events"
        say(answer_to(run, follower, send_edit(run, values), late))


def write_values(run: RunDir, values: Mapping[str, object], say: Callable[[str], None]) -> None:
    """Change settings in the config.toml of a run that nobody trains; all of them or none.

    Args:
        run: A run that will be resumed.
        values: What to change, by name.
        say: As `set_values` has it.

    Raises:
        ConfigError: When there is no such run, or the settings cannot be as asked, or its newest
            checkpoint does not fit them.
        RunBusyError: When a trainer holds the run.
        OSError: When the disk refuses; config.toml is then as it was.
    """
    # What cannot be is refused before the lock, which is a file of the run.
    config = load_config(run.config)
    require_fitting(run, config, edited(config, values))
    with lock_run(run):
        config, changes = _check(load_config(run.config), values, say)
        if changes:
            write_config(run.config, config)
            say(f"nobody trains in {run.path}: the next resume takes it")


def _check(
    config: RunConfig, values: Mapping[str, object], say: Callable[[str], None]
) -> tuple[RunConfig, list[Change]]:
    wanted = edited(config, values)
    changes = differences(config, wanted)
    for change in changes:
        say(str(change))
    if not changes:
        say("nothing to change: these values are in force")
    return wanted, changes


def answer_to(run: RunDir, follower: jsonl.Follower, asked: str, late: str) -> str:
    """What the trainer says to the command of the id `asked`, or `late` when it takes too long.

    Args:
        run: Whose trainer was asked.
        follower: Of its events, from before it was asked.
        asked: What `send_edit` or `send_save` gave.
        late: Said after `ANSWER_S`.

    Raises:
        RefusedError: When it warns instead, or ended before it answered.
    """

    def answer() -> str | None:
        for record in follower.read_new():
            if record.get("answers") == asked:
                if record["kind"] == "warning":
                    raise RefusedError(str(record["text"]))
                return str(record["text"])
        return None

    return wait_for(run, answer) or late


def wait_for(run: RunDir, answer: Callable[[], str | None]) -> str | None:
    """What `answer` gives as soon as it gives something; None when that takes too long.

    Raises:
        RefusedError: When the trainer of `run` ended before that.
    """
    ends = time.monotonic() + ANSWER_S
    while time.monotonic() < ends:
        trained = is_trained(run)
        found = answer()
        if found is not None:
            return found
        if not trained:
            raise RefusedError(f"the trainer of {run.path} ended before it answered: ask again")
        time.sleep(LOOK_S)
    return None


def is_trained(run: RunDir) -> bool:
    """Whether a trainer of `run` lives."""
    status = read_status(run)
    return status is not None and status.alive
