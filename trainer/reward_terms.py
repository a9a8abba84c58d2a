"""What the agents are paid for: one free function a reward.

Every reward takes the state after a decision, the state before it and the events between, and
returns one number for each car, unweighted and finite. A car that waits for its respawn gets 0 from
the rewards that look at the car itself (`velocity_player_to_ball`, `face_ball`, `velocity`,
`in_air`, `save_boost`, `wavedash`); what it did before, and what its team does, still counts. No
reward depends on the order of the cars, and none remembers anything. Knows no simulator, no weights
and no episodes. Tested by `tests/trainer/test_reward_terms.py`.

Axes: B arenas, P cars of an arena.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import (
    BACK_WALL_Y,
    BALL_MAX_SPEED,
    BLUE,
    CAR_MAX_SPEED,
    GOAL_HEIGHT,
    MAX_BOOST,
)
from rlbot_agent.state import GameState
from trainer.events import Events

Array = npt.NDArray[np.float32]

SHORTEST: Final = 1e-6
"""uu below which a vector has no direction."""
WEAKEST_STRONG_TOUCH: Final = 500
"""uu/s (18 km/h) of change below which a touch is not strong. Gravity alone changes the ball's
velocity by 43 uu/s in a decision of 8 ticks."""
HARDEST_TOUCH: Final = 3600
"""uu/s (130 km/h) of change from which on a touch cannot be stronger: a shot at full speed."""


def goal(state: GameState, previous: GameState, events: Events) -> Array:
    """1 for every car of the team that scored.

    Returns:
        (B, P) 0 or 1.
    """
    return _flags(events.goal[:, None] * attack_signs(state.teams) > 0)


def concede(state: GameState, previous: GameState, events: Events) -> Array:
    """1 for every car of the team that was scored on; a negative weight makes it a penalty.

    Returns:
        (B, P) 0 or 1.
    """
    return _flags(events.goal[:, None] * attack_signs(state.teams) < 0)


def touch(state: GameState, previous: GameState, events: Events) -> Array:
    """1 for a car that touched the ball.

    Returns:
        (B, P) 0 or 1.
    """
    return _flags(events.touched)


def velocity_player_to_ball(state: GameState, previous: GameState, events: Events) -> Array:
    """v_car · direction(ball - car) / 2300; 0 for a demolished car.

    Returns:
        (B, P) -1 to 1.
    """
    speeds = dot(state.velocity, _to_ball(state))
    return _alive(state) * speeds / np.float32(CAR_MAX_SPEED)


def velocity_ball_to_goal(state: GameState, previous: GameState, events: Events) -> Array:
    """v_ball · direction(centre of the opponent's goal - ball) / 6000.

    Returns:
        (B, P) -1 to 1, the same for all cars of a team.
    """
    to_goal = directions(goal_centres(state.teams) - state.ball_position[:, None])
    return dot(state.ball_velocity[:, None], to_goal) / np.float32(BALL_MAX_SPEED)


def face_ball(state: GameState, previous: GameState, events: Events) -> Array:
    """Cosine between nose and ball, forward · direction(ball - car); 0 for a demolished car.

    Returns:
        (B, P) -1 to 1.
    """
    return _alive(state) * dot(state.forward, _to_ball(state))


def in_air(state: GameState, previous: GameState, events: Events) -> Array:
    """1 for a car with fewer than three wheels on anything; 0 for a demolished car.

    Returns:
        (B, P) 0 or 1.
    """
    return _alive(state) * (1 - state.on_ground)


def save_boost(state: GameState, previous: GameState, events: Events) -> Array:
    """sqrt(boost / 100): the first drops count most; 0 for a demolished car.

    Returns:
        (B, P) 0 to 1.
    """
    held: Array = np.sqrt(state.boost / np.float32(MAX_BOOST))
    return _alive(state) * held


def boost_pickup(state: GameState, previous: GameState, events: Events) -> Array:
    """sqrt((boost - boost before) / 100) for a car that took a pad.

    What the car burnt in the same decision counts against it, down to 0.

    Returns:
        (B, P) 0 to 1.
    """
    gained = np.maximum(state.boost - previous.boost, 0)
    paid: Array = np.sqrt(gained / np.float32(MAX_BOOST))
    return _flags(events.pickups > 0) * paid


def demo(state: GameState, previous: GameState, events: Events) -> Array:
    """1 for a car that demolished an opponent.

    Returns:
        (B, P) 0 or 1.
    """
    return _flags(events.demos > 0)


def velocity(state: GameState, previous: GameState, events: Events) -> Array:
    """v_car · forward / 2300, the speed along the nose; 0 for a demolished car.

    Returns:
        (B, P) -1 to 1, negative in reverse.
    """
    return _alive(state) * dot(state.velocity, state.forward) / np.float32(CAR_MAX_SPEED)


def bump(state: GameState, previous: GameState, events: Events) -> Array:
    """1 for a car that bumped another, of either team, without demolishing it.

    Returns:
        (B, P) 0 or 1.
    """
    return _flags(events.bumps > 0)


def bumped(state: GameState, previous: GameState, events: Events) -> Array:
    """1 for a car that was bumped so; a negative weight makes it a penalty.

    Returns:
        (B, P) 0 or 1.
    """
    return _flags(events.bumped > 0)


def demoed(state: GameState, previous: GameState, events: Events) -> Array:
    """1 for a car that was demolished, once; a negative weight makes it a penalty.

    The timer of the respawn only ever rises when a car is demolished, so the three seconds after it
    cost nothing more, whatever the tick skip.

    Returns:
        (B, P) 0 or 1.
    """
    return _flags(state.demo_timer > previous.demo_timer)


def wavedash(state: GameState, previous: GameState, events: Events) -> Array:
    """1 for a car that stands on its wheels and was in the middle of a flip one decision before.

    A demolished car stays frozen in its flip: coming back on its wheels is no dash.

    Returns:
        (B, P) 0 or 1.
    """
    landed = state.on_ground * (1 - state.is_flipping) * previous.is_flipping
    return _alive(state) * _alive(previous) * landed


def touch_accel(state: GameState, previous: GameState, events: Events) -> Array:
    """max(0, |v_ball| - |v_ball before|) / 6000 for every car that touched the ball.

    Speeds above the ball's top speed count as the top speed.

    Returns:
        (B, P) 0 to 1.
    """
    speed = np.minimum(lengths(state.ball_velocity), np.float32(BALL_MAX_SPEED))
    before = np.minimum(lengths(previous.ball_velocity), np.float32(BALL_MAX_SPEED))
    risen: Array = np.maximum(speed - before, 0) / np.float32(BALL_MAX_SPEED)
    return _flags(events.touched) * risen[:, None]


def strong_touch(state: GameState, previous: GameState, events: Events) -> Array:
    """min(|v_ball - v_ball before| / 3600, 1) for every car that touched the ball.

    0 where the ball's velocity changed by less than 500 uu/s. A wall that the ball met in the same
    decision counts too.

    Returns:
        (B, P) 0 to 1.
    """
    change = lengths(state.ball_velocity - previous.ball_velocity)
    strength: Array = np.minimum(change / np.float32(HARDEST_TOUCH), 1)
    strength *= change >= WEAKEST_STRONG_TOUCH
    return _flags(events.touched) * strength[:, None]


def attack_signs(teams: tuple[int, ...]) -> Array:
    """(P,) sign of y of the goal that each car attacks: 1 for blue, -1 for orange."""
    return np.array([1 if team == BLUE else -1 for team in teams], np.float32)


def goal_centres(teams: tuple[int, ...]) -> Array:
    """(P, 3) uu, the middle of the mouth of the goal that each car attacks."""
    centres = np.zeros((len(teams), 3), np.float32)
    centres[:, 1] = attack_signs(teams) * BACK_WALL_Y
    centres[:, 2] = GOAL_HEIGHT / 2
    return centres


def directions(vectors: Array) -> Array:
    """(..., 3) the vectors at length 1; a vector without a length stays 0."""
    unit: Array = vectors / np.maximum(lengths(vectors), np.float32(SHORTEST))[..., None]
    return unit


def lengths(vectors: Array) -> Array:
    """(...) Euclidean lengths of (..., 3) vectors."""
    measured: Array = np.sqrt(dot(vectors, vectors))
    return measured


def dot(left: Array, right: Array) -> Array:
    """(...) scalar products of (..., 3) vectors."""
    products: Array = np.einsum("...k,...k->...", left, right)
    return products


def _to_ball(state: GameState) -> Array:
    """(B, P, 3) direction from each car to the ball."""
    return directions(state.ball_position[:, None] - state.position)


def _alive(state: GameState) -> Array:
    """(B, P) 1 for cars on the field, 0 for those that wait for their respawn."""
    return _flags(state.demo_timer <= 0)


def _flags(conditions: npt.NDArray[np.bool_]) -> Array:
    return conditions.astype(np.float32)
