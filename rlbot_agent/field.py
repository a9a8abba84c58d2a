"""The soccar field and its clock: lengths in uu, speeds in uu/s, times in seconds or ticks.

Knows no state and no simulator. Numbers are the game's own, as RLGym publishes them
(`rlgym.rocket_league.common_values`). Tested by `tests/rlbot_agent/test_field.py`.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

TICKS_PER_SECOND: Final = 120

BLUE: Final = 0
ORANGE: Final = 1

SIDE_WALL_X: Final = 4096.0
BACK_WALL_Y: Final = 5120.0
CEILING_Z: Final = 2044.0
GOAL_HEIGHT: Final = 642.775
GOAL_HALF_WIDTH: Final = 892.755
GOAL_LINE_Y: Final = 5215.5
"""The ball's |y| beyond which it counts as a goal (back wall plus clearance plus radius)."""

BALL_RADIUS: Final = 91.25
BALL_RESTING_Z: Final = 93.15
BALL_MAX_SPEED: Final = 6000.0
CAR_RESTING_Z: Final = 17.0
CAR_MAX_SPEED: Final = 2300.0
CAR_MAX_ANGULAR_SPEED: Final = 5.5
"""rad/s."""

MAX_BOOST: Final = 100.0
DEMO_RESPAWN_S: Final = 3.0
SMALL_PAD_RECHARGE_S: Final = 4.0
BIG_PAD_RECHARGE_S: Final = 10.0

DOUBLE_JUMP_WINDOW_S: Final = 1.25
"""How long after a jump's force ends the car may still double jump or flip."""
FLIP_TORQUE_S: Final = 0.65
"""How long a flip's torque acts."""

NUM_PADS: Final = 34
PAD_POSITIONS: Final[npt.NDArray[np.float32]] = np.array(
    [
        (0, -4240), (-1792, -4184), (1792, -4184), (-3072, -4096), (3072, -4096),
        (-940, -3308), (940, -3308), (0, -2816), (-3584, -2484), (3584, -2484),
        (-1788, -2300), (1788, -2300), (-2048, -1036), (0, -1024), (2048, -1036),
        (-3584, 0), (-1024, 0), (1024, 0), (3584, 0), (-2048, 1036),
        (0, 1024), (2048, 1036), (-1788, 2300), (1788, 2300), (-3584, 2484),
        (3584, 2484), (0, 2816), (-940, 3308), (940, 3308), (-3072, 4096),
        (3072, 4096), (-1792, 4184), (1792, 4184), (0, 4240),
    ],
    dtype=np.float32,
)  # fmt: skip
"""(34, 2) x, y of every boost pad in RLGym's order, which is also the simulator's.

Reversing it turns the field by 180 degrees, which the orange observation relies on.
"""
