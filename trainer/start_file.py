"""The user's own start states: a file, read once before anything starts, into arrays.

JSON lines, plain or gzip-compressed; one state a line (broken here to be read):

    {"ball": {"position": [0, 0, 93.15], "velocity": [0, 900, 0], "angular_velocity": [0, 0, 0]},
     "cars": [{"team": 0, "position": [0, -4608, 17], "velocity": [0, 0, 0],
               "angular_velocity": [0, 0, 0], "rotation": [0, 1.57, 0], "boost": 33},
              {"team": 1, "position": [0, 4608, 17], "rotation": [0, -1.57, 0], "boost": 33}]}

Lengths in uu, speeds in uu/s, spins in rad/s, rotation as pitch, yaw, roll in radians, boost 0 to
100; teams are 0 (blue) and 1 (orange), their cars in any order. Velocity and angular velocity are
0 when absent, all else must be there and nothing else may. All pads are active and nobody has
jumped. A level car within 1 uu of its resting height stands on its wheels, a higher one flies.

A state serves the mode whose teams it has; one of no mode of the run is passed over. Knows no
simulator and draws nothing. Tested by `tests/trainer/test_start_file.py`.
"""

import gzip
import json
import math
import reprlib
import zlib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from rlbot_agent.field import (
    BACK_WALL_Y,
    BALL_MAX_SPEED,
    BALL_RADIUS,
    BLUE,
    CAR_MAX_ANGULAR_SPEED,
    CAR_MAX_SPEED,
    CAR_RESTING_Z,
    CEILING_Z,
    GOAL_HALF_WIDTH,
    GOAL_HEIGHT,
    GOAL_LINE_Y,
    MAX_BOOST,
    ORANGE,
    SIDE_WALL_X,
)
from rlbot_agent.modes import mode_of
from trainer.config import ResetsConfig
from trainer.resets import Starts

BALL_MAX_ANGULAR_SPEED: Final = 6.0
"""rad/s."""
CORNER: Final = 8064.0
"""uu: |x| + |y| of the walls across the corners."""
BACK_NET_Y: Final = 6000.0
BALL_REACH: Final = BALL_RADIUS - 5
"""uu from the ball's centre to a wall, at least: a fast ball sinks in a little."""
CAR_REACH: Final = 10.0
"""uu from the car's centre to a wall, at least: on its wheels it has 17."""
SLACK: Final = 1.01
"""How far recorded speeds and angles may exceed what the game allows, by rounding."""
STANDS_WITHIN: Final = 1.0
"""uu between a standing car's height and `CAR_RESTING_Z`, at most."""
LEVEL: Final = 0.05
"""rad of pitch and of roll of a standing car, at most."""

CAR_WIDTH: Final = 13
"""Numbers of a car."""

Object = dict[str, Any]


class StartFileError(Exception):
    """The file of start states cannot be used; the message says where and why."""


class StoredStarts(NamedTuple):
    """What a file holds for a run."""

    starts: dict[str, Starts]
    """M states with the teams of each mode that the file has any for."""
    warnings: list[str]
    """What a person should know about the file, one sentence each."""


NO_STARTS: Final = StoredStarts({}, [])


def load_starts(path: Path, modes: Sequence[str]) -> StoredStarts:
    """The states of `path` whose cars, in any order, are those of `modes` such as "2v2".

    Raises:
        StartFileError: When the file cannot be read, says something impossible or holds no state
            for any of `modes`.
    """
    lines = enumerate(_read_lines(path), start=1)
    states = [_read_state(text, f"{path} line {line}") for line, text in lines if text.strip()]
    if not states:
        raise StartFileError(f"{path} is empty: resets.file needs one start state a line")
    fitting = {
        mode: [state for state in states if mode_of(tuple(state.teams)) == mode] for mode in modes
    }
    total, served = f"{len(states):,}", sum(map(len, fitting.values()))
    if not served:
        raise StartFileError(f"{path}: none of its {total} start states is a {' or '.join(modes)}")
    warnings = []
    if passed_over := len(states) - served:
        warnings.append(
            f"{path}: passed over {passed_over:,} of {total} start states that are not "
            f"{' or '.join(modes)}"
        )
    warnings += [
        f"{path}: none of its {total} start states is a {mode}, which starts by the other weights"
        for mode, found in fitting.items()
        if not found
    ]
    starts = {mode: _to_starts(found) for mode, found in fitting.items() if found}
    return StoredStarts(starts, warnings)


def starts_of(config: ResetsConfig, folder: Path, modes: Sequence[str]) -> StoredStarts:
    """The start states that `config` names, by mode; every mode can start somehow.

    Args:
        config: The run's settings of starts.
        folder: Where its file is.
        modes: Those that are played.

    Raises:
        StartFileError: As `load_starts`, or when a mode without a stored state has no other start.
    """
    if not config.file:
        return NO_STARTS
    path = folder / config.file
    stored = load_starts(path, modes)
    mixes = (config, config.later) if config.later_at_steps else (config,)
    needed = not all(mix.kickoff + mix.random for mix in mixes)
    for mode in modes:
        if needed and mode not in stored.starts:
            raise StartFileError(
                f"{path}: none of its start states is a {mode}, and without weight for kickoffs "
                f"and random states a {mode} cannot start"
            )
    return stored


class _State(NamedTuple):
    """One line."""

    ball: list[float]
    """(9,) position, velocity, angular velocity."""
    teams: list[int]
    """(P,) of each car."""
    cars: list[list[float]]
    """(P, 13) position, velocity, angular velocity, rotation, boost."""


def _to_starts(states: list[_State]) -> Starts:
    """Stack `states` of one mode: of each the blue cars, then the orange ones, in their order."""
    balls = np.array([state.ball for state in states], np.float32)
    cars = np.zeros((len(states), len(states[0].teams), CAR_WIDTH), np.float32)
    for index, state in enumerate(states):
        order = np.argsort(state.teams, kind="stable")
        cars[index] = np.array(state.cars, np.float32)[order]
    return Starts(
        ball_position=balls[:, 0:3],
        ball_velocity=balls[:, 3:6],
        ball_angular_velocity=balls[:, 6:9],
        car_position=cars[..., 0:3],
        car_velocity=cars[..., 3:6],
        car_angular_velocity=cars[..., 6:9],
        car_rotation=cars[..., 9:12],
        car_boost=cars[..., 12],
    )


def _read_lines(path: Path) -> list[str]:
    try:
        data = path.read_bytes()
        # The two bytes that every gzip file begins with.
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        return data.decode("utf-8-sig").split("\n")
    except FileNotFoundError as error:
        raise StartFileError(f"resets.file: {path} does not exist") from error
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise StartFileError(f"resets.file: {path} cannot be read: {error}") from error


def _read_state(text: str, where: str) -> _State:
    """The state in one line; `where` is how a refusal begins."""
    try:
        found = json.loads(text, parse_int=float)
    except (ValueError, RecursionError) as error:
        raise StartFileError(f"{where} is not JSON: {error}") from error
    state = _object(found, where, ("ball", "cars"), ())
    cars = state["cars"]
    if not isinstance(cars, list):
        raise StartFileError(f"{where}: cars is {reprlib.repr(cars)}, not a list")
    named = [(car, f"{where}: cars[{index}]") for index, car in enumerate(cars)]
    rows = [_car(car, name) for car, name in named]
    return _State(_ball(state["ball"], f"{where}: ball"), [_team(*pair) for pair in named], rows)


def _ball(found: object, where: str) -> list[float]:
    ball = _object(found, where, ("position",), ("velocity", "angular_velocity"))
    position = _vector(ball, "position", where)
    # Behind a goal line it would be a goal already.
    if not _is_inside(position, BALL_REACH, GOAL_LINE_Y):
        raise _outside(position, where)
    velocity = _vector(ball, "velocity", where, BALL_MAX_SPEED)
    return [
        *position,
        *velocity,
        *_vector(ball, "angular_velocity", where, BALL_MAX_ANGULAR_SPEED),
    ]


def _car(found: object, where: str) -> list[float]:
    required = ("team", "position", "rotation", "boost")
    car = _object(found, where, required, ("velocity", "angular_velocity"))
    position = _vector(car, "position", where)
    if not _is_inside(position, CAR_REACH, BACK_NET_Y):
        raise _outside(position, where)
    rotation = _vector(car, "rotation", where)
    if max(map(abs, rotation)) > 2 * math.pi * SLACK:
        raise StartFileError(f"{where}.rotation is {rotation}: more than a full turn in radians")
    boost = car["boost"]
    if type(boost) is not float or not 0 <= boost <= MAX_BOOST:
        raise StartFileError(f"{where}.boost is {reprlib.repr(boost)}, not a number from 0 to 100")
    velocity = _vector(car, "velocity", where, CAR_MAX_SPEED)
    spin = _vector(car, "angular_velocity", where, CAR_MAX_ANGULAR_SPEED)
    return [*_settled(position, rotation), *velocity, *spin, *rotation, boost]


def _settled(position: list[float], rotation: list[float]) -> list[float]:
    """`position`, at the very resting height where a car stands: recordings tremble."""
    x, y, z = position
    pitch, _, roll = rotation
    level = abs(pitch) <= LEVEL and abs(roll) <= LEVEL
    return [x, y, CAR_RESTING_Z if level and abs(z - CAR_RESTING_Z) <= STANDS_WITHIN else z]


def _team(car: Object, where: str) -> int:
    team = car["team"]
    if type(team) is not float or team not in (BLUE, ORANGE):
        raise StartFileError(f"{where}.team is {reprlib.repr(team)}, not 0 (blue) or 1 (orange)")
    return int(team)


def _object(
    found: object, where: str, required: Collection[str], optional: Collection[str]
) -> Object:
    """`found` as an object with all `required` fields and none but them and the `optional`."""
    if not isinstance(found, dict):
        raise StartFileError(f"{where} is {reprlib.repr(found)}, not an object")
    for name in required:
        if name not in found:
            raise StartFileError(f"{where} has no {name}")
    known = (*required, *optional)
    for name in found:
        if name not in known:
            raise StartFileError(f"{where} has an unknown field {name}; known: {', '.join(known)}")
    return found


def _vector(thing: Object, name: str, where: str, most: float = math.inf) -> list[float]:
    """Three finite numbers, together at most `most` long; 0 when there is no such field."""
    found = thing.get(name, [0.0, 0.0, 0.0])
    if not (
        isinstance(found, list)
        and len(found) == 3
        and all(type(value) is float and math.isfinite(value) for value in found)
    ):
        raise StartFileError(f"{where}.{name} is {reprlib.repr(found)}, not three finite numbers")
    if math.hypot(*found) > most * SLACK:
        raise StartFileError(f"{where}.{name} is {found}: faster than the game's {most:g}")
    return found


def _is_inside(position: list[float], reach: float, deepest_y: float) -> bool:
    """Whether a sphere of radius `reach` is in the field, or its centre in a net before that y.

    The rounding between floor, walls and ceiling is left out: the physics push out what is stuck
    there, at worst of the arena, and the episode ends as broken.
    """
    x, y, z = (abs(value) for value in position)
    in_field = (
        x <= SIDE_WALL_X - reach
        and y <= BACK_WALL_Y - reach
        # The corner wall's normal is (1, 1) / √2.
        and x + y <= CORNER - reach * math.sqrt(2)
        and z <= CEILING_Z - reach
    )
    in_net = x <= GOAL_HALF_WIDTH and BACK_WALL_Y - reach <= y <= deepest_y and z <= GOAL_HEIGHT
    return position[2] >= reach and (in_field or in_net)


def _outside(position: list[float], where: str) -> StartFileError:
    return StartFileError(f"{where}.position is {position}: outside the arena")
