"""How the chaser moves: where the ball can be met, how to drive there, what to press in the air.

Free functions of what M cars see, each as if it were blue. Knows no action table and no masks.
Tested by `tests/trainer/anchors/test_chaser.py`.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import (
    BACK_WALL_Y,
    BALL_RADIUS,
    BALL_RESTING_Z,
    CAR_RESTING_Z,
    SIDE_WALL_X,
)

Doubles = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

GRAVITY: Final = 650.0
"""uu/s2."""
FLOOR_REACH: Final = np.array((SIDE_WALL_X, BACK_WALL_Y)) - BALL_RADIUS
"""Greatest |x|, |y| of a ball on the floor."""
LOW_BOUNCE: Final = 60.0
"""uu above the floor below which a bouncing ball counts as rolling."""
LOOK_AHEAD_S: Final = 2.0
GOAL: Final = np.array((0.0, BACK_WALL_Y + 300.0))
"""What it shoots at: x, y inside the opponents' goal."""
TURNING: Final = np.array(
    [(0, 145), (500, 251), (1000, 425), (1500, 727), (1750, 909), (2300, 1136)], np.float64
).T
"""Speeds in uu/s, and the radius in uu of the tightest turn at each."""


class View(NamedTuple):
    """What M cars see, as if each were blue; vectors (M, 3) in uu, uu/s, rad/s, flags (M,)."""

    place: Doubles
    speed: Doubles
    spin: Doubles
    nose: Doubles
    roof: Doubles
    ball: Doubles
    ball_speed: Doubles
    on_ground: Flags
    holds_jump: Flags
    can_flip: Flags


class Wish(NamedTuple):
    """What M cars would press: (M,) of -1, 0 and 1; in the air `steer` yaws."""

    throttle: Doubles
    steer: Doubles
    pitch: Doubles
    roll: Doubles
    jump: Doubles
    boost: Doubles
    handbrake: Doubles


def _dot(a: Doubles, b: Doubles) -> Doubles:
    products: Doubles = (a * b).sum(-1)
    return products


def _unit(vectors: Doubles) -> Doubles:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    units: Doubles = vectors / np.maximum(lengths, 1e-6)
    return units


def _meeting(view: View) -> Doubles:
    """(M, 2) where the ball will be on the floor when both it and the car have come there."""
    speed = view.ball_speed
    height = np.maximum(view.ball[:, 2] - BALL_RESTING_Z, 0)
    # h + v t - g t² / 2 = 0  =>  t = (v + √(v² + 2 g h)) / g
    falling_s = (speed[:, 2] + np.sqrt(speed[:, 2] ** 2 + 2 * GRAVITY * height)) / GRAVITY
    apart = np.linalg.norm((view.ball - view.place)[:, :2], axis=-1)
    driving_s = apart / np.maximum(np.linalg.norm(view.speed, axis=-1) + 500, 1000)
    wait_s = np.minimum(np.maximum(falling_s * (height > LOW_BOUNCE), driving_s), LOOK_AHEAD_S)
    there = view.ball[:, :2] + speed[:, :2] * wait_s[:, None]
    meeting: Doubles = np.clip(there, -FLOOR_REACH, FLOOR_REACH)
    return meeting


def target_of(view: View) -> Doubles:
    """(M, 3) where to drive: behind the meeting as seen from the goal, or round the ball to it."""
    meeting = _meeting(view)
    gap = meeting - view.place[:, :2]
    shot = _unit(GOAL - meeting)
    apart, along = np.linalg.norm(gap, axis=-1), _dot(gap, shot)
    beside = gap - along[:, None] * shot
    must_return = along < 0.3 * apart
    behind = np.where(must_return, 500.0, np.minimum(0.4 * apart, 900.0))
    aside = 300.0 * (along < 0)
    spot = meeting - behind[:, None] * shot - aside[:, None] * _unit(beside)
    on_floor = np.full((len(spot), 1), CAR_RESTING_Z)
    return np.concatenate([np.clip(spot, -FLOOR_REACH, FLOOR_REACH), on_floor], -1)


def drive(view: View, target: Doubles) -> Wish:
    """On its wheels, also on a wall, where the floor's target lies down the wall."""
    gap = target - view.place
    angle = np.arctan2(_dot(gap, np.cross(view.roof, view.nose)), _dot(gap, view.nose))
    pace, off = _dot(view.speed, view.nose), np.abs(angle)
    # What the car's present turning will have left of the angle a moment later.
    left = angle - 0.12 * _dot(view.spin, view.roof)
    steer = np.sign(left) * (np.abs(left) > 0.08)
    # An arc along the nose to a point at distance d and angle a has the radius d / (2 sin a).
    arc = np.linalg.norm(gap, axis=-1) / np.maximum(2 * np.abs(np.sin(angle)), 1e-3)
    too_fast = (arc < np.interp(pace, *TURNING)) & (pace > 400)
    backs = (off > 1.6) & (pace < 150)
    slower = np.where(pace > 1000, -1.0, 0.0)
    return _wish(
        throttle=np.where(backs, -1.0, np.where(too_fast, slower, 1.0)),
        steer=np.where(backs, -steer, steer),
        jump=_jumps(view, pace, off),
        boost=(off < 0.25) & (pace < 2250) & ~too_fast,
        handbrake=(off > 1.4) & (pace > 300),
    )


def _jumps(view: View, pace: Doubles, off: Doubles) -> Flags:
    """(M,) whether a jump can reach the ball: it hangs ahead, or over the roof."""
    to_ball = view.ball - view.place
    flat, above = np.linalg.norm(to_ball[:, :2], axis=-1), to_ball[:, 2]
    near = (flat < 100 + 0.25 * np.maximum(pace, 0)) & (above > 120) & (above < 420)
    reachable: Flags = near & ((off < 0.4) | (flat < 150)) & ~view.holds_jump
    return reachable


def fly(view: View, target: Doubles) -> Wish:
    """Wheels to the floor, nose to the target; a flip into a near ball, a jump off the roof."""
    level = _unit((target - view.place) * (1, 1, 0))
    # Axis and strength of the turn that is missing, less what the car turns already.
    missing = np.cross(view.nose, level) + 1.5 * np.cross(view.roof, (0.0, 0.0, 1.0))
    torque = missing - 0.35 * view.spin
    to_ball = view.ball - view.place
    ahead = _dot(_unit(to_ball), view.nose) > 0.8
    flips = view.can_flip & (np.linalg.norm(to_ball, axis=-1) < 260) & ahead
    slow = np.abs(view.speed[:, 2]) < 50
    lies = (view.place[:, 2] < 70) & (view.roof[:, 2] < 0.7) & slow
    # In the game's frame a pitch turns about the left side, a roll about the tail.
    pitch = _press(_dot(torque, np.cross(view.nose, view.roof)))
    return _wish(
        throttle=np.zeros(len(flips)),
        steer=_press(_dot(torque, view.roof)),
        pitch=np.where(flips, -1, pitch * ~lies),
        roll=_press(-_dot(torque, view.nose)) * ~(flips | lies),
        jump=(flips | lies) & ~view.holds_jump,
    )


def _press(torque: Doubles) -> Doubles:
    return np.where(np.abs(torque) > 0.15, np.sign(torque), 0.0)


def _wish(**pressed: Doubles | Flags) -> Wish:
    nothing = np.zeros(len(pressed["throttle"]))
    return Wish(*(pressed.get(name, nothing).astype(np.float64) for name in Wish._fields))
