"""Plays a tape: where it stands, how fast it goes, what it does when it is told.

Understands the lines of `pitch_source.RECORDED`. Knows no file, no screen and no clock: whoever has
one says how much time went by. Tested by `tests/tui/test_replay_deck.py`.
"""

from dataclasses import replace
from typing import NamedTuple

from trainer.frames import Frame, Mind
from tui.replay_tape import Tape

HOLD_S = 1.0
"""How long the last picture of a rally stays, as when it was played."""
AGAIN_S = 1.0
"""So soon after a kickoff, "previous" goes to the one before."""


class Place(NamedTuple):
    """Where a tape stands."""

    time_s: float
    """Seconds of game since its beginning."""
    duration_s: float
    """Seconds of game that it has, so far."""
    rally: int
    """Which rally it is, from 1; 0 while there is none."""
    rallies: int
    """How many there are, so far."""
    complete: bool
    """Whether all of it is there."""


class Deck:
    """One tape that plays; from its beginning, at real speed."""

    def __init__(self, tape: Tape) -> None:
        """Begin to play `tape`; pictures may still be added to it."""
        self._tape = tape
        self._time_s = 0.0
        self._held_s = 0.0
        self._speed = 1.0
        self._paused = False
        self._asked_to_follow = False
        self._followed: int | None = None

    @property
    def place(self) -> Place:
        """Where it stands."""
        tape = self._tape
        rally = tape.rally_of(self._index) + 1 if len(tape) else 0
        return Place(self._time_s, tape.duration_s, rally, len(tape.kickoffs), tape.complete)

    @property
    def at_end(self) -> bool:
        """Whether there is nothing more to play."""
        return self._tape.complete and self._time_s >= self._tape.duration_s

    def frame(self) -> Frame | None:
        """What is to be seen; None while there is nothing yet."""
        if not len(self._tape):
            return None
        frame = self._tape.picture(self._index)
        frame = replace(frame, speed=self._speed, paused=self._paused)
        return replace(frame, mind=self._mind(frame.mind)) if self._asked_to_follow else frame

    def advance(self, seconds: float) -> None:
        """So much time went by on the clock."""
        if self._paused or not len(self._tape):
            return
        later = self._time_s + seconds * self._speed
        kickoff = self._tape.kickoff_after(self._index)
        if kickoff is not None and later >= self._tape.time_s(kickoff):
            self._wait_for(kickoff, seconds)
        else:
            self._time_s = min(later, self._tape.duration_s)
        self._paused = self.at_end

    def say(self, line: str) -> None:
        """Do what a line says."""
        match line.split():
            case ["pause"]:
                self._paused = True
            case ["resume"]:
                if self.at_end:
                    self._go_to(0.0)
                self._paused = False
            case ["speed", speed]:
                self._speed = float(speed)
            case ["seek", seconds]:
                self._go_to(self._time_s + float(seconds))
            case ["kickoff"]:
                self._next_kickoff()
            case ["previous"]:
                self._previous_kickoff()
            case ["follow", car]:
                self._asked_to_follow = True
                self._followed = None if car == "none" else int(car)

    @property
    def _index(self) -> int:
        return self._tape.index_at(self._time_s)

    def _wait_for(self, kickoff: int, seconds: float) -> None:
        """Show the rally's last picture for a while, then the kickoff."""
        last_s = self._tape.time_s(kickoff - 1)
        self._held_s += seconds - (last_s - self._time_s) / self._speed
        self._time_s = last_s
        if self._held_s >= HOLD_S:
            self._go_to(self._tape.time_s(kickoff))

    def _go_to(self, time_s: float) -> None:
        self._held_s = 0.0
        self._time_s = min(max(0.0, time_s), self._tape.duration_s)

    def _next_kickoff(self) -> None:
        if len(self._tape):
            kickoff = self._tape.kickoff_after(self._index)
            if kickoff is not None:
                self._go_to(self._tape.time_s(kickoff))

    def _previous_kickoff(self) -> None:
        if len(self._tape):
            index = self._tape.index_at(max(0.0, self._time_s - AGAIN_S))
            self._go_to(self._tape.time_s(self._tape.kickoffs[self._tape.rally_of(index)]))

    def _mind(self, recorded: Mind | None) -> Mind | None:
        """What the followed car thought, if that was recorded."""
        if self._followed is None:
            return None
        if recorded is not None and recorded.car == self._followed:
            return recorded
        return Mind(self._followed, None, "", ())
