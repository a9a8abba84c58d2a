"""How episodes start: kickoffs, random states, stored ones, or a mix, as plain arrays.

Every function draws M starts at once from the generator it is given. Knows no simulator;
`trainer/sim.py` puts the cars and the ball there. Tested by `tests/trainer/test_resets.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import (
    BALL_RESTING_Z,
    CAR_MAX_ANGULAR_SPEED,
    CAR_MAX_SPEED,
    CAR_RESTING_Z,
    MAX_BOOST,
    ORANGE,
)
from trainer.config import ResetsConfig

Array = npt.NDArray[np.float32]

KICKOFF_SLOTS: Final = np.array(
    [
        (-2048, -2560, np.pi / 4),
        (2048, -2560, 3 * np.pi / 4),
        (-256, -3840, np.pi / 2),
        (256, -3840, np.pi / 2),
        (0, -4608, np.pi / 2),
    ],
    dtype=np.float32,
)
"""(5, 3) x, y, yaw of the game's places for blue; orange has them turned by 180 degrees."""
KICKOFF_BOOST: Final = np.float32(100 / 3)

RANDOM_X: Final = 3500.0
RANDOM_Y: Final = 4000.0
RANDOM_AIR_Z: Final = (150.0, 1820.0)
RANDOM_BALL_SPEED: Final = 4000.0
RANDOM_BALL_SPIN: Final = 4.0
"""rad/s, about each axis."""
SEPARATION: Final = 250.0
"""uu between the centres of any two objects of a random start: a car's reach is 93, a ball's 91."""


@dataclass
class Starts:
    """M states in which an episode may start; every pad is active, nobody has jumped."""

    ball_position: Array
    """(M, 3) uu."""
    ball_velocity: Array
    """(M, 3) uu/s."""
    ball_angular_velocity: Array
    """(M, 3) rad/s."""
    car_position: Array
    """(M, P, 3) uu. At `CAR_RESTING_Z` a car stands on its wheels, above it flies."""
    car_velocity: Array
    """(M, P, 3) uu/s."""
    car_angular_velocity: Array
    """(M, P, 3) rad/s."""
    car_rotation: Array
    """(M, P, 3) pitch, yaw, roll in radians."""
    car_boost: Array
    """(M, P) 0 to 100."""


def kickoff_starts(num: int, teams: tuple[int, ...], rng: np.random.Generator) -> Starts:
    """The game's kickoffs: the ball at rest, each team on the same random places.

    Args:
        num: M.
        teams: Team of each car; at most 5 cars a team.
        rng: What to draw from.
    """
    starts = _blank_starts(num, len(teams))
    starts.ball_position[:, 2] = BALL_RESTING_Z
    starts.car_position[..., 2] = CAR_RESTING_Z
    starts.car_boost[:] = KICKOFF_BOOST
    # (M, 5) a shuffle of the places for each start: the n-th car of either team takes the n-th.
    shuffled = rng.permuted(np.tile(np.arange(len(KICKOFF_SLOTS)), (num, 1)), axis=1)
    for car, team in enumerate(teams):
        places = KICKOFF_SLOTS[shuffled[:, teams[:car].count(team)]]
        turn = -1 if team == ORANGE else 1
        starts.car_position[:, car, :2] = turn * places[:, :2]
        starts.car_rotation[:, car, 1] = places[:, 2] - (np.pi if team == ORANGE else 0)
    return starts


def random_starts(
    num: int, teams: tuple[int, ...], air_chance: float, rng: np.random.Generator
) -> Starts:
    """Ball and cars anywhere, moving, with any boost, at least `SEPARATION` apart.

    Args:
        num: M.
        teams: Team of each car.
        air_chance: Chance that each car, and the ball, flies; others roll or drive on the floor.
        rng: What to draw from.
    """
    num_cars = len(teams)
    starts = _blank_starts(num, num_cars)
    ball_flies = rng.random(num) < air_chance
    cars_fly = rng.random((num, num_cars)) < air_chance
    _place_apart(starts, ball_flies, cars_fly, rng)

    starts.ball_velocity[:] = _directions((num,), rng) * rng.uniform(0, RANDOM_BALL_SPEED, (num, 1))
    starts.ball_angular_velocity[:] = rng.uniform(-RANDOM_BALL_SPIN, RANDOM_BALL_SPIN, (num, 3))
    starts.ball_velocity[~ball_flies, 2] = 0

    cars = (num, num_cars)
    half_turns = np.pi * np.array((0.5, 1.0, 1.0))
    starts.car_rotation[:] = rng.uniform(-half_turns, half_turns, (*cars, 3))
    starts.car_velocity[:] = _directions(cars, rng) * rng.uniform(0, CAR_MAX_SPEED, (*cars, 1))
    spins = rng.uniform(0, CAR_MAX_ANGULAR_SPEED, (*cars, 1))
    starts.car_angular_velocity[:] = _directions(cars, rng) * spins
    starts.car_rotation[~cars_fly] *= (0, 1, 0)
    starts.car_velocity[~cars_fly, 2] = 0
    starts.car_angular_velocity[~cars_fly] = 0
    starts.car_boost[:] = rng.uniform(0, MAX_BOOST, cars)
    return starts


class Weights(NamedTuple):
    """How often each kind of start is drawn: its share of their sum."""

    kickoff: float
    """Of kickoffs."""
    random: float
    """Of random states."""
    from_file: float
    """Of stored states."""


def weights_at(config: ResetsConfig, steps: int) -> Weights:
    """The weights after `steps` agent steps of the run.

    w = (1 - p) · w_now + p · w_later, with p = steps / later_at_steps, at most 1.
    """
    now, later = config, config.later
    p = min(1.0, steps / config.later_at_steps) if config.later_at_steps else 0.0
    return Weights(
        kickoff=(1 - p) * now.kickoff + p * later.kickoff,
        random=(1 - p) * now.random + p * later.random,
        from_file=(1 - p) * now.from_file + p * later.from_file,
    )


def draw_starts(
    num: int,
    teams: tuple[int, ...],
    config: ResetsConfig,
    rng: np.random.Generator,
    steps: int = 0,
    stored: Starts | None = None,
) -> Starts:
    """M starts, each of a kind that is drawn with the weights of `config`.

    Args:
        num: M.
        teams: Team of each car.
        config: Its weights, and what random states are like.
        rng: What to draw from.
        steps: Agent steps of the run so far.
        stored: The states of `config.file` with the same teams, each as likely as the others.
            Without any, the other kinds share the weight; one of them must have some.
    """
    weights = weights_at(config, steps)
    if stored is None:
        weights = weights._replace(from_file=0.0)
    total = sum(weights)
    kind = rng.random(num)
    kickoffs = kickoff_starts(num, teams, rng)
    starts = random_starts(num, teams, config.air_chance, rng)
    _put(starts, kind < weights.kickoff / total, kickoffs)
    if stored is not None:
        drawn = rng.integers(len(stored.ball_position), size=num)
        _put(starts, kind >= (weights.kickoff + weights.random) / total, take_starts(stored, drawn))
    return starts


def _put(into: Starts, where: npt.NDArray[np.bool_], starts: Starts) -> None:
    """Overwrite `into` by `starts` `where` (M,) says so."""
    for field in fields(Starts):
        getattr(into, field.name)[where] = getattr(starts, field.name)[where]


def take_starts(starts: Starts, indices: npt.NDArray[np.int64]) -> Starts:
    """The starts at `indices` (M,)."""
    return Starts(*(getattr(starts, field.name)[indices] for field in fields(Starts)))


def join_starts(parts: Sequence[Starts]) -> Starts:
    """The starts of all `parts`, one after the other; at least one."""
    names = [field.name for field in fields(Starts)]
    return Starts(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _blank_starts(num: int, num_cars: int) -> Starts:
    """Everything 0, for the caller to fill in."""
    ball = (num, 3)
    cars = (num, num_cars, 3)
    shapes = (ball, ball, ball, cars, cars, cars, cars, (num, num_cars))
    return Starts(*(np.zeros(shape, np.float32) for shape in shapes))


def _place_apart(
    starts: Starts,
    ball_flies: npt.NDArray[np.bool_],
    cars_fly: npt.NDArray[np.bool_],
    rng: np.random.Generator,
) -> None:
    """Draw positions, again and again for the starts in which two objects are too close."""
    flies = np.concatenate((ball_flies[:, None], cars_fly), axis=1)
    floor_z = np.array([BALL_RESTING_Z, *[CAR_RESTING_Z] * cars_fly.shape[1]])
    todo = np.arange(len(flies))
    while len(todo):
        size = (len(todo), flies.shape[1])
        x = rng.uniform(-RANDOM_X, RANDOM_X, size)
        y = rng.uniform(-RANDOM_Y, RANDOM_Y, size)
        z = np.where(flies[todo], rng.uniform(*RANDOM_AIR_Z, size), floor_z)
        positions = np.stack((x, y, z), axis=-1)
        starts.ball_position[todo] = positions[:, 0]
        starts.car_position[todo] = positions[:, 1:]
        todo = todo[_closest(positions) < SEPARATION]


def _closest(positions: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Least distance between any two of the K points of each (M, K, 3)."""
    distances = np.linalg.norm(positions[:, :, None] - positions[:, None], axis=-1)
    distances += np.where(np.eye(positions.shape[1]), np.inf, 0)
    nearest: npt.NDArray[np.float64] = distances.min(axis=(1, 2))
    return nearest


def _directions(shape: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """(*shape, 3) unit vectors, uniform on the sphere."""
    vectors = rng.standard_normal((*shape, 3))
    directions: npt.NDArray[np.float64] = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return directions
