"""Where the time goes: every moment of a rollout belongs to one phase.

Two readings of the clock a phase, which is a thousandth of the shortest. Tested by
`tests/trainer/test_stopwatch.py`.
"""

import time
from collections.abc import Callable
from typing import Final

PHASES: Final = ("physics", "state", "rewards", "resets", "observations", "decisions", "storing")
"""Of a process that plays: RocketSim; reading what it did; paying; starting episodes anew; what
agents see and may do; networks and draws; copies into the rollout."""


class Stopwatch:
    """Seconds by phase since the last `cut`."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        """Begin with nothing; `clock` gives seconds."""
        self._clock = clock
        self._last = clock()
        self._seconds = dict.fromkeys(PHASES, 0.0)

    def start(self) -> None:
        """Whatever was until now belongs to no phase."""
        self._last = self._clock()

    def lap(self, phase: str) -> None:
        """What has passed since the last look belonged to `phase`, one of `PHASES`."""
        now = self._clock()
        self._seconds[phase] += now - self._last
        self._last = now

    def cut(self) -> dict[str, float]:
        """Seconds by phase since the last call."""
        seconds, self._seconds = self._seconds, dict.fromkeys(PHASES, 0.0)
        return seconds
