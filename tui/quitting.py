"""How a training is ended from the dashboard: asked once, then forced, never killed.

A small state machine without a screen or a process: it says what to do, `app.py` does it. Tested
by `tests/tui/test_quitting.py`.
"""

from dataclasses import dataclass
from typing import Literal

from tui.run_reader import Situation

PATIENCE_S = 5.0
"""Seconds a forced trainer has before its process is told as well."""

Order = Literal["send", "interrupt"]
"""send: write "quit" into commands.jsonl; interrupt: signal the process."""


@dataclass
class Quitting:
    """What was asked of the trainer so far, and what was done about it."""

    asked: bool = False
    """Finish the iteration, save, end."""
    forced_at: float | None = None
    """When it was told not to wait for the iteration (epoch seconds); None was not."""
    _sent: int = 0
    _interrupted: bool = False

    def ask(self, now: float) -> None:
        """Ask once; asking again forces."""
        if self.asked and self.forced_at is None:
            self.forced_at = now
        self.asked = True

    def orders(self, situation: Situation, now: float) -> list[Order]:
        """What is to be done at this moment, each thing once."""
        wanted = self.asked + (self.forced_at is not None)
        # A trainer that still starts reads only commands that come after it is ready.
        if situation == "running" and self._sent < wanted:
            due = wanted - self._sent
            self._sent = wanted
            return ["send"] * due
        if self._overdue(situation, now):
            self._interrupted = True
            return ["interrupt"]
        return []

    def _overdue(self, situation: Situation, now: float) -> bool:
        if self.forced_at is None or self._interrupted:
            return False
        return situation == "starting" or (
            situation == "running" and now - self.forced_at >= PATIENCE_S
        )
