"""The facts that reach the dashboard from its feed, named for what happened.

A fact that a newer one makes worthless replaces it while the screen is busy. Knows no widget.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message

from trainer.control import Event
from trainer.run_dir import Status
from tui.history import Board
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
class ConfigWritten(Message):
    """Somebody changed the config.toml of a run that nobody trains, or tried to."""

    words: str
    """How it ended, for a person."""
    refused: bool
    """Whether the file is as it was."""
