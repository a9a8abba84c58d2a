"""What a bot can do: the 90 rows of controls of RLGym's LookupTableAction, and which can matter.

The table is the one community policies are trained with, row for row. Knows no network and no
game. Tested by `tests/rlbot_agent/test_actions.py`, against RLGym and against the simulator.
"""

import hashlib
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import DOUBLE_JUMP_WINDOW_S
from rlbot_agent.state import GameState

Array = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

THROTTLE, STEER, PITCH, YAW, ROLL, JUMP, BOOST, HANDBRAKE = range(8)
"""Columns of `ACTION_TABLE`."""

NUM_GROUND_ROWS: Final = 24


def _ground_rows() -> list[tuple[int, ...]]:
    """Driving: no pitch, no roll, no jump; boost only with full throttle."""
    return [
        (throttle, steer, 0, steer, 0, 0, boost, handbrake)
        for throttle, steer, boost, handbrake in product((-1, 0, 1), (-1, 0, 1), (0, 1), (0, 1))
        if not boost or throttle == 1
    ]


def _aerial_rows() -> list[tuple[int, ...]]:
    """Flying: throttle only with boost; a jump never with yaw, for a side flip is a roll."""
    return [
        (boost, yaw, pitch, yaw, roll, jump, boost, int(jump and (pitch or roll) != 0))
        for pitch, yaw, roll, jump, boost in product(
            (-1, 0, 1), (-1, 0, 1), (-1, 0, 1), (0, 1), (0, 1)
        )
        if not (jump and yaw) and (pitch or roll or jump)
    ]


ACTION_TABLE: Final[Array] = np.array(_ground_rows() + _aerial_rows(), np.float32)
"""(90, 8) throttle, steer, pitch, yaw, roll in {-1, 0, 1}; jump, boost, handbrake in {0, 1}."""
ACTION_TABLE.flags.writeable = False
NUM_ACTIONS: Final = len(ACTION_TABLE)
TABLE_HASH: Final = hashlib.sha256(ACTION_TABLE.astype(np.int8).tobytes()).hexdigest()[:16]
"""16 hex digits that differ when any row does."""

_IS_GROUND_ROW: Final = np.arange(NUM_ACTIONS) < NUM_GROUND_ROWS
_JUMPS: Final = ACTION_TABLE[:, JUMP] > 0
_BOOSTS: Final = ACTION_TABLE[:, BOOST] > 0
# Driving rows that an aerial row with pitch = roll = jump = 0 would equal: the table lists such
# controls once, among the driving rows (6, 8, 10, 14, 18, 22).
_FLIES_STRAIGHT: Final = (
    _IS_GROUND_ROW
    & (ACTION_TABLE[:, THROTTLE] == ACTION_TABLE[:, BOOST])
    & (ACTION_TABLE[:, HANDBRAKE] == 0)
)
_ON_GROUND: Final = _IS_GROUND_ROW | _JUMPS
_IN_AIR: Final = ~_IS_GROUND_ROW | _FLIES_STRAIGHT

TILTED_UP_Z: Final = 0.9
"""Height of the up vector of a car that is tilted by 26 degrees."""
FLOOR_REACH_Z: Final = 170.0
"""Highest centre of a car whose body touches floor: its far corner is 93 uu from the centre, and
the ramps count as floor up to 77 uu."""


def action_masks(state: GameState) -> Mask:
    """Which actions can do something, for every car.

    - On the ground (three wheels or more): the driving rows and the jumps. Other aerial rows would
      do what a driving row does.
    - In the air: the aerial rows, and the driving rows that complete them (any yaw, with or without
      boost, neither pitch nor roll). The other driving rows differ from those by throttle or
      handbrake alone, which barely act in the air (67 uu/s2; a slide upon landing).
    - Jumps in the air only while a double jump or flip is left, or while the car may lie on its
      side or roof, where a jump turns it over: tilted and close to the floor. Whether jump is held
      now does not matter, because a row without a jump releases it.
    - Nothing that boosts with an empty tank.

    At least 27 actions are always left, also for demolished cars.

    Returns:
        (B, P, A) bool.
    """
    on_ground = state.on_ground > 0
    has_flip = (
        (state.has_flipped == 0)
        & (state.has_double_jumped == 0)
        & (state.air_time_since_jump < DOUBLE_JUMP_WINDOW_S)
    )
    may_lie = (state.up[..., 2] < TILTED_UP_Z) & (state.position[..., 2] < FLOOR_REACH_Z)
    can_jump = on_ground | has_flip | may_lie
    can_boost = state.boost > 0
    masks: Mask = np.where(on_ground[..., None], _ON_GROUND, _IN_AIR)
    masks &= can_jump[..., None] | ~_JUMPS
    masks &= can_boost[..., None] | ~_BOOSTS
    return masks
