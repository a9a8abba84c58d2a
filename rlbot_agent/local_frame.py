"""Everything around every car in the car's own frame: what `obs_local.py` picks from.

Arenas are the last axis in here: numpy then works on long rows of B numbers, which is several times
faster than on vectors of 3. Axes: B arenas, P cars, O = P - 1 others of a car, K vectors of a car,
3 components (ahead, to the right, above). Knows no order of columns and no scales. Tested by
`tests/rlbot_agent/test_obs_local.py`.
"""

from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import (
    BACK_WALL_Y,
    CAR_RESTING_Z,
    DOUBLE_JUMP_WINDOW_S,
    GOAL_HEIGHT,
    ORANGE,
)
from rlbot_agent.places import others_of
from rlbot_agent.state import (
    CAR_FIELDS,
    CAR_WIDTH,
    CARS_START,
    CONTROLS_WIDTH,
    PAD_COLUMNS,
    Array,
    GameState,
    raw_width,
)

NEAR: Final = 500.0
"""uu at which a closeness is one half."""
LEAST: Final = 1.0
"""uu: what is nearer than that has no direction."""
NUM_TARGETS: Final = 4
"""Ball, goal to attack, goal to defend, each from the car; goal to attack from the ball."""
SCALARS: Final = ("air_time", "has_flip", "floor")
"""Seconds since the jump, at most 1.25; whether neither a flip nor a double jump is used nor the
time for them over; 17 / z, 1 on the floor."""

Indices = npt.NDArray[np.intp]
Rows = list[int]
"""Indices of rows."""


class Source(NamedTuple):
    """What rows are of; `find` finds them."""

    kind: Literal["car", "ball", "pads", "controls", "vector", "closeness", "scalar", "one"]
    name: str = ""
    """A field of a car, a group of vectors, one of `SCALARS`."""
    number: int = 0
    """Which of the group; of other cars', that of the first."""
    step: int = 1
    """From one other car's to the next one's."""


class LocalFrames:
    """Works out rows of B numbers, and knows what each row is."""

    def __init__(self, teams: tuple[int, ...]) -> None:
        """Plan for cars that belong to `teams` (0 blue, 1 orange, any order)."""
        self.zero: int = raw_width(len(teams)) - 1
        """A row of zeros."""
        self.one: int = self.zero + 1
        """A row of ones."""
        self.teams = teams
        """Of the P cars."""
        self.others: list[list[int]] = [
            [car for side in others_of(teams, agent) for car in side] for agent in range(len(teams))
        ]
        """(P, O) the others of each car: mates, then opponents."""
        counts = _group_sizes(len(teams) - 1)
        stops = np.cumsum(list(counts.values())).tolist()
        self._groups = {
            name: slice(stop - count, stop)
            for (name, count), stop in zip(counts.items(), stops, strict=True)
        }
        self._num_vectors: int = stops[-1]
        self._num_places = self._groups["positions"].stop
        self._block = 3 * self._num_vectors + self._num_places + len(SCALARS)
        self._blocks_start = self.one + 1 + 3 * 2
        cars = range(len(teams))
        ends = np.array([self._vector_ends(car) for car in cars], np.intp)
        self._tips, self._tails = ends[..., 0, :], ends[..., 1, :]
        self._crossed = np.array([self._factors(car) for car in cars], np.intp)
        self._demo_timers = np.array(
            [[self._car(car, "demo_timer")[0] for car in others] for others in self.others], np.intp
        )
        names = ("air_time_since_jump", "has_flipped", "has_double_jumped")
        self._scalars = np.array(
            [
                *([self._car(car, name)[0] for car in cars] for name in names),
                [self._car(car, "position")[2] for car in cars],
            ]
        )

    def compute(self, state: GameState) -> Array:
        """All rows: `raw` turned on its side, what is the same everywhere, what surrounds each car.

        Instead of the pads' timers there are ones where a pad is active.

        Returns:
            (rows, B) float32.
        """
        num_cars = state.num_cars
        count = self._blocks_start + num_cars * self._block
        rows = np.empty((count, state.num_arenas), np.float32)
        rows[: self.one] = state.raw.T
        rows[PAD_COLUMNS] = rows[PAD_COLUMNS] == 0
        rows[self.one : self._blocks_start] = _CONSTANTS
        blocks = rows[self._blocks_start :].reshape(num_cars, self._block, -1)
        local = blocks[:, : 3 * self._num_vectors].reshape(num_cars, self._num_vectors, 3, -1)
        closeness = blocks[:, 3 * self._num_vectors : -len(SCALARS)]

        vectors = rows[self._tips] - rows[self._tails]
        places = vectors[:, : self._num_places]
        distances = np.sqrt(np.einsum("pkib,pkib->pkb", places, places))
        # A closeness is 500 uu over 500 uu + distance.
        np.divide(NEAR, distances + NEAR, out=closeness)
        vectors[:, :NUM_TARGETS] /= np.maximum(distances[:, :NUM_TARGETS, None], LEAST)
        # local component j = sum over i of vector component i · component i of axis j
        np.einsum("pkib,pjib->pkjb", vectors, self._axes(rows), out=local)
        self._hide_demolished(rows[self._demo_timers], local, closeness)
        self._fill_scalars(rows[self._scalars], blocks[:, -len(SCALARS) :])
        return rows

    def find(self, source: Source, agent: int, place: int | None = None) -> Rows:
        """The rows of what car `agent` sees of itself, or of the car at `place` of its `others`."""
        start = self._blocks_start + agent * self._block
        number = source.number + source.step * (place or 0)
        car = agent if place is None else self.others[agent][place]
        match source.kind:
            case "car":
                return self._car(car, source.name)
            case "ball":
                return list(range(3 * number, 3 * number + 3))
            case "pads":
                pads = list(range(PAD_COLUMNS.start, PAD_COLUMNS.stop))
                # Turning the field by 180 degrees reverses their list.
                return pads[::-1] if self.teams[agent] == ORANGE else pads
            case "controls":
                first = self.zero - CONTROLS_WIDTH * (len(self.teams) - car)
                return list(range(first, first + CONTROLS_WIDTH))
            case "vector":
                first = start + 3 * (self._groups[source.name].start + number)
                return list(range(first, first + 3))
            case "closeness":
                return [start + 3 * self._num_vectors + self._groups[source.name].start + number]
            case "scalar":
                return [start + self._block - len(SCALARS) + SCALARS.index(source.name)]
            case "one":
                return [self.one]

    def _car(self, car: int, field: str) -> Rows:
        start, columns = CARS_START + CAR_WIDTH * car, CAR_FIELDS[field]
        return list(range(start + columns.start, start + columns.stop))

    def _vector_ends(self, agent: int) -> list[tuple[Rows, Rows]]:
        """(K, 2, 3) the rows that each vector is the difference of, in the order of the groups."""
        ball, ball_velocity, ball_spin = ([i, i + 1, i + 2] for i in (0, 3, 6))
        nothing = [self.zero] * 3
        position, velocity = self._car(agent, "position"), self._car(agent, "velocity")
        blue_goal, orange_goal = ([self.one + 1 + 3 * i + j for j in range(3)] for i in (0, 1))
        attacked, defended = orange_goal, blue_goal
        if self.teams[agent] == ORANGE:
            attacked, defended = blue_goal, orange_goal
        others = self.others[agent]
        return [
            *((target, position) for target in (ball, attacked, defended)),
            (attacked, ball),
            (ball, position),
            *((self._car(car, "position"), position) for car in others),
            (ball_velocity, velocity),
            *((self._car(car, "velocity"), velocity) for car in others),
            (velocity, nothing),
            (self._car(agent, "angular_velocity"), nothing),
            (ball_spin, nothing),
            *((self._car(car, axis), nothing) for car in others for axis in ("forward", "up")),
        ]

    def _factors(self, car: int) -> Rows:
        """Of up × forward: three times up j, up k, forward k, forward j."""
        up, forward = self._car(car, "up"), self._car(car, "forward")
        j, k = (1, 2, 0), (2, 0, 1)
        pairs = ((up, j), (up, k), (forward, k), (forward, j))
        return [axis[component] for axis, order in pairs for component in order]

    def _axes(self, rows: Array) -> Array:
        """(P, 3, 3, B) the axes of every car, each with its three components in the world."""
        num_cars = len(self.teams)
        cars = rows[CARS_START : CARS_START + CAR_WIDTH * num_cars].reshape(num_cars, CAR_WIDTH, -1)
        axes = np.empty((num_cars, 3, 3, rows.shape[-1]), np.float32)
        axes[:, 0], axes[:, 2] = cars[:, CAR_FIELDS["forward"]], cars[:, CAR_FIELDS["up"]]
        # right = up × forward in the game's left-handed frame: up j forward k - up k forward j
        factors = rows[self._crossed]
        products = factors[:, :6] * factors[:, 6:]
        np.subtract(products[:, :3], products[:, 3:], out=axes[:, 1])
        return axes

    def _hide_demolished(self, demo_timers: Array, local: Array, closeness: Array) -> None:
        """Zeros for where, how fast and which way up another car is that is demolished."""
        if not demo_timers.any():
            return
        alive = demo_timers == 0
        closeness[:, self._groups["positions"]] *= alive
        for name, repeats in (("positions", 1), ("velocities", 1), ("axes", 2)):
            local[:, self._groups[name]] *= alive.repeat(repeats, axis=1)[:, :, None]

    def _fill_scalars(self, of_cars: Array, out: Array) -> None:
        """`SCALARS` into (P, 3, B), from (4, P, B): air time, flipped, double jumped, height."""
        air_time, has_flipped, has_double_jumped, z = of_cars
        np.minimum(air_time, DOUBLE_JUMP_WINDOW_S, out=out[:, 0])
        in_time = air_time < DOUBLE_JUMP_WINDOW_S
        np.logical_and(has_flipped + has_double_jumped == 0, in_time, out=out[:, 1])
        np.divide(CAR_RESTING_Z, np.maximum(z, CAR_RESTING_Z), out=out[:, 2])


_GOAL_Z = GOAL_HEIGHT / 2
_CONSTANTS: Final = np.array(
    [[1], [0], [-BACK_WALL_Y], [_GOAL_Z], [0], [BACK_WALL_Y], [_GOAL_Z]], np.float32
)
"""(7, 1) the row of ones, then the middle of blue's goal and of orange's."""


def _group_sizes(others: int) -> dict[str, int]:
    """How many vectors of each kind, in order; first those that lead somewhere."""
    return {
        "directions": NUM_TARGETS,  # of length 1
        "ball_position": 1,
        "positions": others,
        "ball_velocity": 1,
        "velocities": others,
        "motion": 2,  # own velocity and spin
        "ball_spin": 1,
        "axes": 2 * others,  # forward and up of each
    }
