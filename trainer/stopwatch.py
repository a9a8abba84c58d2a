"""Where the time goes: every moment of a rollout, and of an update, belongs to one phase.

A reading of the clock a phase, which is a thousandth of the shortest. Tested by
`tests/trainer/test_stopwatch.py`.
"""

import time
from collections.abc import Callable, Sequence
from typing import Final

PHASES: Final = ("physics", "state", "rewards", "resets", "observations", "decisions", "storing")
"""Of a process that plays: RocketSim; reading what it did; paying; starting episodes anew; what
agents see and may do; networks and draws; copies into the rollout."""
UPDATE_PHASES: Final = ("advantages", "steps", "measures")
"""Of an update: rows to the device, scaled rewards and GAE; optimizer steps, each of which shuffled
rows together, passes forth and back, clips and changes the weights; what is measured of it all."""


class Stopwatch:
    """Seconds by phase since the last `cut`."""

    def __init__(
        self, clock: Callable[[], float] = time.perf_counter, phases: Sequence[str] = PHASES
    ) -> None:
        """Begin with nothing; `clock` gives seconds, `phases` are all that there are."""
        self._clock, self._phases = clock, phases
        self._last = clock()
        self._seconds = dict.fromkeys(phases, 0.0)

    def start(self) -> None:
        """Whatever was until now belongs to no phase."""
        self._last = self._clock()

    def lap(self, phase: str) -> None:
        """What has passed since the last look belonged to `phase`."""
        now = self._clock()
        self._seconds[phase] += now - self._last
        self._last = now

    def cut(self) -> dict[str, float]:
        """Seconds by phase since the last call."""
        seconds, self._seconds = self._seconds, dict.fromkeys(self._phases, 0.0)
        return seconds
