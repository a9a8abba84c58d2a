"""Is the ball on its way into a goal? Where a shot and a save are told from.

Arrays in, arrays out. Knows no game. Tested by `tests/trainer/evaluation/test_shots.py`. Axis: B
arenas.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import (
    BACK_WALL_Y,
    BALL_RADIUS,
    BALL_RESTING_Z,
    GOAL_HALF_WIDTH,
    GOAL_HEIGHT,
)

Array = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

GRAVITY: Final = 650.0
"""uu/s²."""
LONGEST_S: Final = 2.0
"""A ball that needs longer to the goal is no shot."""


def is_on_target(position: Array, velocity: Array, sign: int) -> Flags:
    """(B,) whether the ball, if nobody touches it, flies or rolls through the mouth of a goal.

    At t = (sign · 5120 - y) / v_y, at most `LONGEST_S` ahead, all of it must be between the posts,
    x + v_x · t, and under the bar, z + v_z · t - g · t² / 2, where a ball that would be below the
    floor lies on it. Bounces off walls and drag are left out.

    Args:
        position: (B, 3) uu.
        velocity: (B, 3) uu/s.
        sign: Of y of the goal: 1 is orange's, which blue shoots at.
    """
    speed = sign * velocity[:, 1]
    comes = speed > 0
    gap = np.maximum(BACK_WALL_Y - sign * position[:, 1], 0)
    seconds = np.divide(gap, speed, out=np.full_like(speed, np.inf), where=comes)
    comes &= seconds <= LONGEST_S
    seconds = np.where(comes, seconds, 0)
    x = position[:, 0] + velocity[:, 0] * seconds
    z = position[:, 2] + velocity[:, 2] * seconds - GRAVITY / 2 * seconds**2
    z = np.maximum(z, BALL_RESTING_Z)
    found: Flags = (
        comes & (np.abs(x) <= GOAL_HALF_WIDTH - BALL_RADIUS) & (z <= GOAL_HEIGHT - BALL_RADIUS)
    )
    return found
