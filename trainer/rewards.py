"""What the agents are paid for: one free function a reward, and the choice of them by weight.

Every reward takes the state after a decision, the state before it and the events between, and
returns one number for each car, unweighted. A car that waits for its respawn gets 0 from the
rewards that look at the car itself (`velocity_player_to_ball`, `face_ball`, `in_air`,
`save_boost`). Knows no simulator and no episodes. Tested by `tests/trainer/test_rewards.py`.

Axes: B arenas, P cars of an arena.
"""

from pathlib import Path
from typing import Final, NamedTuple

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
from trainer.config import RewardsConfig
from trainer.custom_rewards import Reward, load_rewards
from trainer.custom_rewards import RewardError as RewardError
from trainer.events import Events

Array = npt.NDArray[np.float32]

SHORTEST: Final = 1e-6
"""uu below which a vector has no direction."""


class NamedReward(NamedTuple):
    """One reward that a run pays."""

    name: str
    """A function of this module, or the user's "module:function"."""
    weight: float
    """What its values are multiplied by."""
    function: Reward
    """Computes them."""


def build_rewards(
    config: RewardsConfig, config_folder: Path, teams: tuple[int, ...]
) -> tuple[NamedReward, ...]:
    """The rewards whose weight is not 0: ours in the order of the config, then the user's own.

    Args:
        config: The weights.
        config_folder: Where the user's modules are.
        teams: Team of each car, for trying the user's functions.

    Raises:
        RewardError: When one of the user's own is missing or unusable.
    """
    ours = [NamedReward(name, getattr(config, name), reward) for name, reward in REWARDS.items()]
    custom = {name: weight for name, weight in config.custom.items() if weight}
    own = load_rewards(tuple(custom), config_folder, teams)
    return (
        *(reward for reward in ours if reward.weight),
        *(NamedReward(name, weight, own[name]) for name, weight in custom.items()),
    )


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


REWARDS: Final[dict[str, Reward]] = {
    reward.__name__: reward
    for reward in (
        goal,
        concede,
        touch,
        velocity_player_to_ball,
        velocity_ball_to_goal,
        face_ball,
        in_air,
        save_boost,
        boost_pickup,
        demo,
    )
}
"""Every reward of this module by its key in the config's section `rewards`."""


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
    lengths = np.sqrt(dot(vectors, vectors))
    unit: Array = vectors / np.maximum(lengths, np.float32(SHORTEST))[..., None]
    return unit


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
