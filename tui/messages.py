"""The facts that reach the dashboard from its feed and its pages, named for what happened.

A fact that a newer one makes worthless replaces it while the screen is busy. Knows no widget.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.message import Message

from trainer.checkpoint_list import CheckpointInfo
from trainer.control import Event
from trainer.ratings.ladder_table import Ladder
from trainer.ratings.table import Ratings
from trainer.run_dir import Status
from tui.history import Board
from tui.log_tail import Piece
from tui.run_list import RunEntry
from tui.run_reader import Situation


@dataclass
class MetricsArrived(Message):
    """At least one iteration ended."""

    board: Board
    """The metrics after the newest one."""

    def can_replace(self, message: Message) -> bool:
        """A newer board says all that an older one said."""
        return isinstance(message, MetricsArrived)


@dataclass
class StatusArrived(Message):
    """The trainer said what it does, or is no longer there to say it."""

    status: Status | None
    """Its last words; None before its first."""
    situation: Situation
    """Whether it trains."""
    last_words: Sequence[str]
    """The end of its output, when it died."""

    def can_replace(self, message: Message) -> bool:
        """Only the newest status is of use."""
        return isinstance(message, StatusArrived)


@dataclass
class EventsArrived(Message):
    """Something happened in the run."""

    events: Sequence[Event]
    """In the order it happened."""


@dataclass
class CheckpointsListed(Message):
    """A look at the run's checkpoints is over."""

    found: Sequence[CheckpointInfo]
    """Newest first."""
    problem: str = ""
    """Why they cannot be listed, for a person; empty when they can."""
    ratings: Ratings | None = None
    """Of the run's versions; None where there are none that can be read."""


@dataclass
class RatingsRead(Message):
    """A look at the run's ratings and its ladder is over."""

    ratings: Ratings | None
    """None where there are none that can be read."""
    ladder: Ladder | None
    """None where there is none that can be read."""
    damaged: Sequence[str]
    """Names of the files that are there and cannot be read."""


@dataclass
class CheckpointNews(Message):
    """Something was done with a checkpoint, or refused."""

    words: str
    """What, in a sentence."""
    refused: bool = False
    """Whether it was not done."""


@dataclass
class RollBackWanted(Message):
    """Somebody agreed to go on from a checkpoint as a new run."""

    checkpoint: Path
    """Its folder, of the watched run."""
    new_run: Path
    """Folder of the run that is to be; it does not exist yet."""


@dataclass
class MatchWanted(Message):
    """Two checkpoints of the watched run are to play each other."""

    blue: Path
    """Folder of the one that plays the blue team."""
    orange: Path
    """Folder of the other, which may be the same."""


@dataclass
class RunsListed(Message):
    """A look at a folder of runs is over."""

    folder: Path
    """The folder."""
    found: Sequence[RunEntry]
    """In the order of the list."""
    problem: str = ""
    """Why it cannot be read, for a person; empty when it can."""


@dataclass
class RunWanted(Message):
    """Another run is to be watched; the present one goes on as it is."""

    path: Path
    """Its folder."""


@dataclass
class NewRunWanted(Message):
    """A run that does not exist yet is to be set up."""

    folder: Path
    """Where its own folder is to lie."""


@dataclass
class LogRead(Message):
    """A look at the trainer's output is over."""

    piece: Piece
    """What it found."""
    problem: str = ""
    """Why it cannot be read, for a person; empty when it can."""


@dataclass
class ConfigWritten(Message):
    """Somebody changed the config.toml of a run that nobody trains, or tried to."""

    words: str
    """How it ended, for a person."""
    refused: bool
    """Whether the file is as it was."""
