"""When packets are sent: how many ticks after the last one, and at what time.

A game draws a packet a picture, so a slow one skips ticks. Knows no packets. The clock is an
argument. Tested by `tests/export/test_pace.py`.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from export.terms import Fps
from rlbot_agent.field import TICKS_PER_SECOND

IRREGULAR_GAPS: Final = (1, 2, 3, 4)
"""Ticks from picture to picture of a game that stutters."""
IRREGULAR_CHANCES: Final = (0.6, 0.25, 0.1, 0.05)
"""Of each: 75 pictures a second on average."""
TICK_S: Final = 1 / TICKS_PER_SECOND
STALL_S: Final = TICK_S / 2
"""A host that is later than that to send a packet takes the whole timetable back by as much: a bot
must not pay for it."""


class Pace:
    """In lockstep it knows no time; otherwise `due` must be asked before each packet."""

    def __init__(
        self,
        fps: Fps,
        realtime: bool,
        rng: np.random.Generator,
        now: Callable[[], float],
    ) -> None:
        """A timetable that starts at the first packet.

        Args:
            fps: Pictures, and so packets, a second of game.
            realtime: Whether a tick takes 1/120 s, instead of as long as the bots do.
            rng: Draws irregular gaps.
            now: The clock, in seconds.
        """
        self._fps, self._realtime, self._rng, self._now = fps, realtime, rng, now
        self._due: float | None = None
        self.stalls = 0
        """Packets that this host sent late, by more than half a tick."""

    def gap(self) -> int:
        """Ticks from the next packet to the one after it."""
        if self._fps == "irregular":
            return int(self._rng.choice(IRREGULAR_GAPS, p=IRREGULAR_CHANCES))
        return 1 if self._fps == "120" else 2

    def due(self, gap: int) -> float | None:
        """Until when the packet that is sent now may be answered, `gap` ticks; None for ever."""
        if not self._realtime:
            return None
        now = self._now()
        if self._due is None:
            self._due = now
        elif now - self._due > STALL_S:
            self.stalls += 1
            self._due = now
        self._due += gap * TICK_S
        return self._due
