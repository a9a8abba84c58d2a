"""Turning a car part of the way from one attitude to another.

Angles are pitch, yaw, roll in radians as `rlbot_agent/rotation.py` has them. A car whose nose
passes the vertical jumps by half a turn in yaw and roll, so angles cannot be blended one by one: it
goes along the one rotation that leads there. Standard library only, because the dashboard plays
recorded games. Tested by `tests/trainer/test_turning.py`.
"""

import math
from typing import NamedTuple


class Angles(NamedTuple):
    """How a car lies."""

    pitch: float
    """Nose up."""
    yaw: float
    """Counter-clockwise from above, 0 along +x."""
    roll: float
    """Right side down."""


_Quaternion = tuple[float, float, float, float]
NEARLY_EQUAL = 0.9999
"""Cosine of half the angle between two attitudes above which a straight line is the arc."""


def turn(earlier: Angles, later: Angles, share: float) -> Angles:
    """The attitude `share` (0 to 1) of the way from one to the other, at constant speed."""
    start, end = _quaternion(earlier), _quaternion(later)
    cosine = sum(a * b for a, b in zip(start, end, strict=True))
    if cosine < 0:  # the same attitude, the short way round
        cosine, end = -cosine, (-end[0], -end[1], -end[2], -end[3])
    if cosine > NEARLY_EQUAL:
        weights = (1 - share, share)
    else:
        half_angle = math.acos(cosine)
        weights = (math.sin((1 - share) * half_angle), math.sin(share * half_angle))
    w, x, y, z = (a * weights[0] + b * weights[1] for a, b in zip(start, end, strict=True))
    return _angles(w, x, y, z)


def _quaternion(angles: Angles) -> _Quaternion:
    """The rotation by -roll about x, then -pitch about y, then yaw about z."""
    sx, cx = math.sin(-angles.roll / 2), math.cos(-angles.roll / 2)
    sy, cy = math.sin(-angles.pitch / 2), math.cos(-angles.pitch / 2)
    sz, cz = math.sin(angles.yaw / 2), math.cos(angles.yaw / 2)
    return (
        cx * cy * cz + sx * sy * sz,
        sx * cy * cz - cx * sy * sz,
        cx * sy * cz + sx * cy * sz,
        cx * cy * sz - sx * sy * cz,
    )


def _angles(w: float, x: float, y: float, z: float) -> Angles:
    """The reverse, of a quaternion of any length."""
    square = w * w + x * x + y * y + z * z
    sine = 2 * (w * y - z * x) / square
    return Angles(
        pitch=-math.asin(min(max(sine, -1.0), 1.0)),
        yaw=math.atan2(2 * (w * z + x * y), w * w + x * x - y * y - z * z),
        roll=-math.atan2(2 * (w * x + y * z), w * w - x * x - y * y + z * z),
    )
