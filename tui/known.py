"""Everything that is known of the watched run at one moment, as a page is told it.

A record without behaviour: `app.py` fills it from the feed's messages, pages draw it.
"""

from dataclasses import dataclass, field

from trainer.config import RunConfig
from trainer.control import Event
from trainer.run_dir import RunDir, Status
from tui.history import Board
from tui.run_reader import Situation

KEPT_EVENTS = 1000
"""Most events that are kept, the newest."""


@dataclass(frozen=True)
class Known:
    """What is known now."""

    run: RunDir
    """The run's folder."""
    config: RunConfig
    """What it trains with, edits included."""
    situation: Situation = "starting"
    """Whether it trains."""
    status: Status | None = None
    """The trainer's last words; None before its first."""
    board: Board | None = None
    """The metrics; None before the first iteration."""
    events: tuple[Event, ...] = field(default=())
    """What happened, newest last, at most `KEPT_EVENTS`."""
    last_words: tuple[str, ...] = ()
    """The end of the trainer's output, when it died."""
    now: float = 0.0
    """Seconds since the epoch."""

    @property
    def training(self) -> bool:
        """Whether there is a trainer that reads its commands."""
        return self.situation == "running"
