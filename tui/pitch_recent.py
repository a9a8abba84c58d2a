"""What happened just before a frame: where ball and cars came from, who touched, who scored.

`after` is a pure function of what was known and the frame that came, with the game's own clock.
Knows nothing of drawing. Tested by `tests/tui/test_pitch_recent.py`.
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from trainer.frames import Frame

TRAIL_S = 1.5
"""How much of the game is remembered."""
STEP_S = 1 / 15
"""Between two remembered frames, at least."""
FLASH_S = 0.3
"""How long a touch shows."""


class Touch(NamedTuple):
    """Somebody touched the ball."""

    time_s: float
    """When, on the game's clock."""
    team: int
    """Whose car: 0 blue, 1 orange."""


@dataclass(frozen=True)
class Recent:
    """The last moments of one rally."""

    trail: tuple[Frame, ...] = ()
    """Earlier frames, oldest first."""
    last: Frame | None = None
    """The frame that all of this leads to."""
    touch: Touch | None = None
    """The last touch while it shows."""
    scored: int | None = None
    """The team that has just scored, until the next kickoff."""

    def speed(self, car: int) -> float | None:
        """How fast a car of `last` moves, in uu/s of the game; None when too little is known."""
        if self.last is None or not self.trail:
            return None
        # Two steps back, for positions are rounded and frames come unevenly.
        then, now = self.trail[-2:][0], self.last
        a, b = then.cars[car], now.cars[car]
        if now.time_s <= then.time_s or a.demolished or b.demolished:
            return None
        return math.dist((a.x, a.y, a.z), (b.x, b.y, b.z)) / (now.time_s - then.time_s)


def after(recent: Recent, frame: Frame) -> Recent:
    """What is known once `frame` has come."""
    last = recent.last
    if last is None or not _goes_on(last, frame):
        return Recent(last=frame, touch=_touch(frame))
    trail = recent.trail
    moved = frame.time_s > last.time_s
    if moved and last.time_s - (trail[-1].time_s if trail else -math.inf) >= STEP_S:
        trail = (*trail, last)
    trail = tuple(past for past in trail if past.time_s >= frame.time_s - TRAIL_S)
    touch = _touch(frame) or recent.touch
    if touch is not None and frame.time_s - touch.time_s > FLASH_S:
        touch = None
    return replace(
        recent, trail=trail, last=frame, touch=touch, scored=_scored(last, frame, recent.scored)
    )


def _goes_on(last: Frame, frame: Frame) -> bool:
    """Whether nothing was put back or left out between two frames."""
    same = last.rally == frame.rally and len(last.cars) == len(frame.cars)
    return same and 0 <= frame.time_s - last.time_s <= TRAIL_S


def _touch(frame: Frame) -> Touch | None:
    teams = [car.team for car in frame.cars if car.touched]
    return Touch(frame.time_s, teams[0]) if teams else None


def _scored(last: Frame, frame: Frame, before: int | None) -> int | None:
    if frame.blue > last.blue:
        return 0
    return 1 if frame.orange > last.orange else before
