"""What may be asked of a running trainer, and what it tells: commands.jsonl and events.jsonl.

Anybody who can write the folder may append a command; the trainer reads them between decisions of
a rollout and between the batches of an update. Knows no torch and no screen. Tested by
`tests/trainer/test_control.py`.
"""

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from trainer import jsonl
from trainer.checkpoint_marks import checked_name
from trainer.run_dir import RunDir

CommandName = Literal["save", "pause", "resume", "quit", "viewer_on", "viewer_off"]
EventKind = Literal[
    "start", "save", "version", "edit", "pause", "viewer", "rating", "warning", "error", "stop"
]
COMMAND_NAMES: tuple[CommandName, ...] = get_args(CommandName)
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)
_YEAR_5000 = 9.5e10


class Edit(NamedTuple):
    """The command "set": settings that somebody wants changed, all or none."""

    values: Mapping[str, object]
    """By dotted name; nothing is known of them yet."""
    id: str
    """What the event that answers it is found by."""


class Save(NamedTuple):
    """The command "save" of somebody who wants more than a checkpoint."""

    name: str = ""
    """What to call it; nothing is known of it yet."""
    pin: bool = False
    """Whether it is never to be pruned."""
    id: str = ""
    """What the event that answers it is found by."""


@dataclass(frozen=True)
class Event:
    """One thing that happened in a run."""

    time: float
    """Seconds since the epoch."""
    kind: EventKind
    """What sort of thing."""
    text: str
    """One sentence for a person."""
    steps: int
    """Agent steps of the run when it happened."""
    answers: str = ""
    """The id of the command that it is about; empty when it is about none."""


def send(run: RunDir, command: CommandName) -> None:
    """Ask the trainer of `run` for something."""
    jsonl.append(run.commands, {"time": time.time(), "command": command})


def send_edit(run: RunDir, values: Mapping[str, object]) -> str:
    """Ask the trainer of `run` to change settings; the id that its answer will bear.

    Raises:
        ValueError: When a value is nothing that JSON can say.
    """
    edit = uuid.uuid4().hex
    record = {"time": time.time(), "command": "set", "values": dict(values), "id": edit}
    jsonl.append(run.commands, record)
    return edit


def send_save(run: RunDir, name: str = "", pin: bool = False) -> str:
    """Ask the trainer of `run` for a checkpoint; the id that its answer will bear.

    Args:
        run: A run that trains.
        name: What to call the checkpoint; empty leaves the name that it may have.
        pin: Whether it is never to be pruned.

    Raises:
        ValueError: When the name is not short plain text.
    """
    save = uuid.uuid4().hex
    mark = {"name": checked_name(name), "pin": pin}
    jsonl.append(run.commands, {"time": time.time(), "command": "save"} | mark | {"id": save})
    return save


class CommandReader:
    """The trainer's side: commands that arrive after it began, each once, in order."""

    def __init__(self, run: RunDir) -> None:
        """Pass over what was asked of earlier trainers of this run."""
        self._follower = jsonl.Follower(run.commands, from_end=True)

    def read(self) -> list[CommandName | Edit | Save]:
        """The new commands; unknown words are passed over."""
        found = [_command(record) for record in self._follower.read_new()]
        return [command for command in found if command is not None]


def _command(record: jsonl.Record) -> CommandName | Edit | Save | None:
    word, values = record.get("command"), record.get("values")
    if word == "set":
        return Edit(values if isinstance(values, dict) else {}, str(record.get("id", "")))
    if word == "save" and record.keys() & set(Save._fields):
        name, pin, answers = (record.get(field) for field in Save._fields)
        return Save(str(name or ""), pin is True, str(answers or ""))
    return next((name for name in COMMAND_NAMES if name == word), None)


def tell(run: RunDir, kind: EventKind, text: str, steps: int, answers: str = "") -> None:
    """Add one event to the run's story; `answers` is the id of the command that it is about."""
    record = {"time": time.time(), "kind": kind, "text": text, "steps": steps}
    jsonl.append(run.events, record | ({"answers": answers} if answers else {}))


def event_from_record(record: jsonl.Record) -> Event | None:
    """One line of events.jsonl; None when it is no event."""
    try:
        kind = next(known for known in EVENT_KINDS if known == record["kind"])
        words, answers = str(record["text"]), str(record.get("answers", ""))
        moment, steps = float(record["time"]), int(record["steps"])
    except (KeyError, StopIteration, TypeError, ValueError, OverflowError):
        return None
    # No clock can show another time, and no screen draw other steps.
    drawable = 0 <= moment < _YEAR_5000 and 0 <= steps < 1 << 62
    return Event(moment, kind, words, steps, answers) if drawable else None
