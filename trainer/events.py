"""What happened in the last decision of every arena, for rewards, episodes and metrics.

Arrays only: whoever reads events needs no simulator. `trainer/sim.py` and `trainer/sim_events.py`
fill them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass
class Events:
    """Events between two decisions, updated in place."""

    touched: npt.NDArray[np.bool_]
    """(B, P) whether the car touched the ball."""
    goal: npt.NDArray[np.int8]
    """(B,) 1 when the ball lies in orange's goal (blue scored), -1 in blue's, else 0."""
    demos: npt.NDArray[np.int32]
    """(B, P) opponents the car demolished."""
    pickups: npt.NDArray[np.int32]
    """(B, P) boost pads the car took."""
    bumps: npt.NDArray[np.int32]
    """(B, P) times the car bumped another, of either team, without demolishing it. Two cars that
    meet nose to nose bump each other."""
    bumped: npt.NDArray[np.int32]
    """(B, P) times the car was bumped so."""

    @classmethod
    def none(cls, num_arenas: int, num_cars: int) -> "Events":
        """No events in any arena."""
        cars = (num_arenas, num_cars)
        return cls(
            touched=np.zeros(cars, np.bool_),
            goal=np.zeros(num_arenas, np.int8),
            demos=np.zeros(cars, np.int32),
            pickups=np.zeros(cars, np.int32),
            bumps=np.zeros(cars, np.int32),
            bumped=np.zeros(cars, np.int32),
        )

    def clear(self, arenas: npt.NDArray[np.integer[Any]]) -> None:
        """Forget what happened in `arenas` (M,)."""
        for events in vars(self).values():
            events[arenas] = 0
