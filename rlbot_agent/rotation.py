"""Pitch, yaw, roll and the three axes of a car, as the game defines them.

Angles are radians in RLBot's order (pitch, yaw, roll); axes are unit vectors in the world frame.
Knows nothing of cars or states. Tested by `tests/rlbot_agent/test_rotation.py`, which holds it
against the simulator's own conversion.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]


class Axes(NamedTuple):
    """Where a body's nose, right side and roof point; each (..., 3), unit length."""

    forward: Array
    right: Array
    up: Array


def axes_from_angles(angles: npt.NDArray[np.floating[Any]]) -> Axes:
    """The axes of bodies that are turned by `angles`.

    Args:
        angles: (..., 3) pitch (nose up), yaw (counter-clockwise from above), roll (right side
            down), in radians.

    Returns:
        Axes of shape (..., 3) in float32.
    """
    sin, cos = np.sin(angles, dtype=np.float64), np.cos(angles, dtype=np.float64)
    sp, sy, sr = sin[..., 0], sin[..., 1], sin[..., 2]
    cp, cy, cr = cos[..., 0], cos[..., 1], cos[..., 2]
    # Columns of yaw * pitch * roll, in the game's left-handed frame.
    forward = (cp * cy, cp * sy, sp)
    right = (cy * sp * sr - cr * sy, sy * sp * sr + cr * cy, -cp * sr)
    up = (-cr * cy * sp - sr * sy, -cr * sy * sp + sr * cy, cp * cr)
    return Axes(*(np.stack(axis, axis=-1).astype(np.float32) for axis in (forward, right, up)))


def angles_from_axes(forward: Array, up: Array) -> Array:
    """The reverse of `axes_from_angles`: (..., 3) pitch, yaw, roll in radians.

    Pitch is in [-pi/2, pi/2], yaw and roll in [-pi, pi]. Straight up or down, yaw and roll turn
    about the same axis and the answer is one of many.
    """
    pitch = np.arctan2(forward[..., 2], np.hypot(forward[..., 0], forward[..., 1]))
    yaw = np.arctan2(forward[..., 1], forward[..., 0])
    # right.z, from right = up x forward in the left-handed frame.
    right_z = up[..., 0] * forward[..., 1] - up[..., 1] * forward[..., 0]
    roll = np.arctan2(-right_z, up[..., 2])
    angles: Array = np.stack((pitch, yaw, roll), axis=-1).astype(np.float32)
    return angles
