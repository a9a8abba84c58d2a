"""When a page looks at the disk again: now and then while it is on top, one look at a time.

Reads nothing itself, and knows no page. Tested by `tests/tui/test_looking.py`.
"""

import time
from collections.abc import Callable
from typing import Final

LOOK_S: Final = 2.0
"""Seconds between two looks."""


class Looking:
    """Whether it is time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """The first look is due; `clock` tells seconds."""
        self._clock = clock
        self._under_way, self._due = False, 0.0

    def begin(self) -> bool:
        """Whether to look now; who is told so says `end` when it is over."""
        now = self._clock()
        if self._under_way or now < self._due:
            return False
        self._under_way, self._due = True, now + LOOK_S
        return True

    def end(self) -> None:
        """The look is over."""
        self._under_way = False

    def soon(self) -> None:
        """Something changed: the next look is due."""
        self._due = 0.0
