"""Is the ball on its way into a goal? Where a shot and a save are told from.

Arrays in, arrays out. Knows no game. Tested by `tests/trainer/evaluation/test_shots.py`, against
the simulator. Axis: M balls.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import (
    BACK_WALL_Y,
    BALL_RADIUS,
    BALL_RESTING_Z,
    GOAL_HALF_WIDTH,
    GOAL_HEIGHT,
    SIDE_WALL_X,
)

Numbers = npt.NDArray[np.floating[Any]]
Flags = npt.NDArray[np.bool_]

LONGEST_S: Final = 3.0
"""A ball that needs longer to the goal is no shot."""
STEP_S: Final = 1 / 30
GRAVITY: Final = 650.0
"""uu/s²."""
DRAG: Final = 0.03
"""Share of its speed that the ball loses in a second."""
BOUNCE: Final = 0.6
"""Share of its speed that the ball keeps when it bounces."""


def is_on_target(position: Numbers, velocity: Numbers, sign: int) -> Flags:
    """(M,) whether each ball, if nobody touches it, comes through the mouth of a goal.

    It flies, bounces and rolls for `LONGEST_S`; when it comes to the back wall, all of it must be
    between the posts and under the bar. Walls stop it. Spin and friction are left out.

    Args:
        position: (M, 3) uu.
        velocity: (M, 3) uu/s.
        sign: Of y of the goal: 1 is orange's, which blue shoots at.
    """
    x, y, z = position.astype(np.float64).T
    speed_x, speed_y, speed_z = velocity.astype(np.float64).T
    y, speed_y = sign * y, sign * speed_y
    found: Flags = np.zeros(len(x), np.bool_)
    stopped = found.copy()
    for _ in range(round(LONGEST_S / STEP_S)):
        x = x + speed_x * STEP_S
        y = y + speed_y * STEP_S
        z = z + speed_z * STEP_S - GRAVITY / 2 * STEP_S**2
        speed_z = speed_z - GRAVITY * STEP_S
        lies = z < BALL_RESTING_Z
        z = np.where(lies, BALL_RESTING_Z, z)
        speed_z = np.where(lies, np.abs(speed_z) * BOUNCE, speed_z)
        kept = 1 - DRAG * STEP_S
        speed_x, speed_y, speed_z = speed_x * kept, speed_y * kept, speed_z * kept
        arrives = (y >= BACK_WALL_Y) & (speed_y > 0) & ~stopped
        found |= arrives & _is_in_mouth(x, z)
        stopped |= arrives | (np.abs(x) > SIDE_WALL_X - BALL_RADIUS)
    return found


def _is_in_mouth(x: Numbers, z: Numbers) -> Flags:
    inside: Flags = (np.abs(x) <= GOAL_HALF_WIDTH - BALL_RADIUS) & (z <= GOAL_HEIGHT - BALL_RADIUS)
    return inside
