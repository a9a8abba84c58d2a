"""Reads from RocketSim what happened in a decision, into `Events`.

Touches, demolitions and pickups come out of counters that RocketSim keeps; bumps it only calls out,
once each, within the step. Goals are `sim.py`'s to find: they follow from where the ball is. Knows
no rewards. Tested by `tests/trainer/test_sim_events.py`, on the real simulator.

Axes: B arenas, P cars of an arena.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import RocketSim

from trainer.events import Events
from trainer.sim_reading import Reader, values_of

Indices = npt.NDArray[np.integer[Any]]
Counts = npt.NDArray[np.int32]

NEVER_HIT: Final = 2.0**63
"""From here on, the tick of a last touch means that there was none."""
_COUNTERS: Reader = attrgetter("demos", "boost_pickups")
"""Of a car, since its arena was made."""


class _Bumps(NamedTuple):
    """Where the bumps of one arena are counted, (P,) each: views into `Events`."""

    given: Counts
    taken: Counts


class EventReader:
    """Fills `events` from the cars of B arenas: `begin`, let the arenas step, `read`."""

    def __init__(
        self,
        arenas: Sequence[RocketSim.Arena],
        cars: Sequence[Sequence[RocketSim.Car]],
        events: Events,
    ) -> None:
        """Listen to `arenas` (B), whose `cars` (B, P) stand in the order they were added in."""
        self._cars, self._events = [car for added in cars for car in added], events
        self._last_hit = np.full(events.touched.shape, NEVER_HIT)
        self._counted = np.zeros((len(self._cars), 2))
        for arena, given, taken in zip(arenas, events.bumps, events.bumped, strict=True):
            # A free function, and not a method: an arena that held its reader would never be freed.
            arena.set_car_bump_callback(_count_bump, _Bumps(given, taken))

    def begin(self) -> None:
        """Forget the bumps of the decision before."""
        self._events.bumps[:] = 0
        self._events.bumped[:] = 0

    def read(self, last_hit: npt.NDArray[np.float64]) -> None:
        """What happened since the last `read`; `last_hit` (B, P) are ticks."""
        touched = self._events.touched
        np.logical_and(last_hit != self._last_hit, last_hit < NEVER_HIT, out=touched)
        self._last_hit[:] = last_hit
        counts = values_of(_COUNTERS, self._cars, 2)
        since = (counts - self._counted).reshape(*touched.shape, 2)
        self._events.demos[:], self._events.pickups[:] = since[..., 0], since[..., 1]
        self._counted = counts

    def restart(self, arenas: Indices, last_hit: npt.NDArray[np.float64]) -> None:
        """No events in `arenas` (M,), whose cars now say `last_hit` (M, P) of their last touch."""
        self._last_hit[arenas] = last_hit
        self._events.clear(arenas)


def _count_bump(
    arena: RocketSim.Arena,
    bumper: RocketSim.Car,
    victim: RocketSim.Car,
    is_demo: bool,
    data: _Bumps,
) -> None:
    """RocketSim calls this with keywords, for bumps and demolitions."""
    if not is_demo:
        # Cars are numbered from 1, in the order in which they were added.
        data.given[bumper.id - 1] += 1
        data.taken[victim.id - 1] += 1
