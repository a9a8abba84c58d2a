"""What the cars of a match did, in the terms of `rlppo evaluate`: by decisions, not by ticks.

Knows no simulator. Tested by `tests/export/test_tally.py`.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import TICKS_PER_SECOND
from rlbot_agent.modes import mode_of
from trainer.events import Events

Counts = npt.NDArray[np.int64]


class Tally:
    """Counts over a match; `add` every tick, `kick_off` where a rally begins."""

    def __init__(self, num_cars: int, ticks: int) -> None:
        """Nothing yet, of P cars that decide every so many ticks."""
        self._ticks = ticks
        self.touches: Counts = np.zeros(num_cars, np.int64)
        """(P,) decisions in which the car touched the ball, however often."""
        self.demos: Counts = np.zeros(num_cars, np.int64)
        """(P,) opponents demolished."""
        self.pickups: Counts = np.zeros(num_cars, np.int64)
        """(P,) boost pads taken."""
        self._touched = np.zeros(num_cars, np.bool_)
        self._tick = 0

    def add(self, events: Events) -> None:
        """Count a tick of the one arena."""
        if self._tick % self._ticks == 0:
            self._touched[:] = False
        self._tick += 1
        touched = events.touched[0]
        self.touches += touched & ~self._touched
        self._touched |= touched
        self.demos += events.demos[0]
        self.pickups += events.pickups[0]

    def kick_off(self) -> None:
        """Decisions begin with the next tick."""
        self._tick = 0


@dataclass(frozen=True)
class SideResult:
    """What one side did."""

    cars: int
    goals: int
    """Scored."""
    touches: int
    """Decisions of cars in which they touched the ball."""
    demos: int
    """Opponents demolished."""
    pickups: int
    """Boost pads taken."""


@dataclass(frozen=True)
class Result:
    """How a match went."""

    mode: str
    """Blue v orange cars."""
    minutes: float
    """Of kickoffs and play."""
    blue: SideResult
    orange: SideResult

    def rates(self, side: SideResult) -> dict[str, float]:
        """`goals` a minute; `touches`, `demos` and `pickups` a minute of each car."""
        car_minutes = self.minutes * side.cars
        return {
            "goals": side.goals / self.minutes,
            "touches": side.touches / car_minutes,
            "demos": side.demos / car_minutes,
            "pickups": side.pickups / car_minutes,
        }


def result_of(tally: Tally, teams: tuple[int, ...], score: tuple[int, int], ticks: int) -> Result:
    """The result of a match that lasted so many ticks of kickoffs and play."""
    blue, orange = (_side(tally, np.array(teams) == team, score[team]) for team in (0, 1))
    return Result(mode_of(teams), ticks / TICKS_PER_SECOND / 60, blue, orange)


def _side(tally: Tally, cars: npt.NDArray[np.bool_], goals: int) -> SideResult:
    return SideResult(
        cars=int(cars.sum()),
        goals=goals,
        touches=int(tally.touches[cars].sum()),
        demos=int(tally.demos[cars].sum()),
        pickups=int(tally.pickups[cars].sum()),
    )
