"""The observations of the Rust trainer rlgymppo_rs, column for column.

`DefaultObs` has 9 + 44 N columns for teams of up to N: the ball, then 22 for each car. With the 34
boost pads after the ball and other scales of positions it is `AdvancedObs`, 43 + 44 N. What that
trainer shuffles at every look stays in the order of the cars' index here; `trainer/shuffling.py`
shuffles it for training. Knows no simulator and no game. Tested by
`tests/rlbot_agent/test_obs_rlgymppo.py`, against a slow builder that was written from its
specification.
"""

import hashlib
import json
from typing import ClassVar, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import DOUBLE_JUMP_WINDOW_S, ORANGE, PAD_POSITIONS
from rlbot_agent.obs import Term
from rlbot_agent.places import Places, largest_team, mates_then_opponents, others_of, padded
from rlbot_agent.state import (
    CAR_FIELDS,
    CAR_WIDTH,
    CARS_START,
    PAD_COLUMNS,
    Array,
    GameState,
    raw_width,
)

Scale = tuple[float, ...]

VELOCITY_SCALE: Final = 1 / 6000
SPIN_SCALE: Final = 1 / 6
BOOST_SCALE: Final = 1 / 100
DEMO_SCALE: Final = 1 / 3
PAD_SCALE: Final = 1 / 10
EVEN_SCALE: Final = (1 / 6000,) * 3
FIELD_SCALE: Final = (1 / 4096, 1 / 6000, 1 / 2044)
"""Of positions: in `DefaultObs` and in `AdvancedObs`."""

PAD_ORDER: Final[list[int]] = np.lexsort((PAD_POSITIONS[:, 0], PAD_POSITIONS[:, 1])).tolist()
"""Index into `PAD_POSITIONS` of each pad when they are sorted by y, then by x."""


class _Part(NamedTuple):
    """Some columns of a car's block."""

    name: str
    field: str
    """Attribute of the state, or quantity made of several."""
    column: str
    """Of the state: where it is read from."""
    scale: Scale


def _car_parts(position_scale: Scale) -> tuple[_Part, ...]:
    scales: tuple[tuple[str, Scale], ...] = (
        ("position", position_scale),
        ("forward", (1.0,) * 3),
        ("up", (1.0,) * 3),
        ("velocity", (VELOCITY_SCALE,) * 3),
        ("angular_velocity", (SPIN_SCALE,) * 3),
        ("boost", (BOOST_SCALE,)),
        ("on_ground", (1.0,)),
        ("has_flip_or_jump", (1.0,)),
        ("is_auto_flipping", (1.0,)),
        ("air_time_since_jump", (1.0,)),
        ("handbrake", (1.0,)),
        ("demo_timer", (DEMO_SCALE,)),
    )
    # The wheels are one half of `has_flip_or_jump`, the other is added by `build`.
    return tuple(
        _Part(name, name, "on_ground" if name == "has_flip_or_jump" else name, scale)
        for name, scale in scales
    )


BLOCK: Final = 22
"""Columns of a car."""
FLIP: Final = 17
"""That of `has_flip_or_jump` in a block."""


class RlgymPpoDefaultObs:
    """Ball, own car, N - 1 mates, N opponents; zeros for who is not there.

    Of a demolished car only the time until it returns is shown.
    """

    name: ClassVar[str] = "rlgymppo_default"
    _position_scale: ClassVar[Scale] = EVEN_SCALE
    _shows_pads: ClassVar[bool] = False

    def __init__(self, teams: tuple[int, ...], max_team_size: int = 0) -> None:
        """Plan the observations of cars that belong to `teams` (0 blue, 1 orange, any order).

        Args:
            teams: Team of each car.
            max_team_size: N; 0 takes the size of the larger team.

        Raises:
            ValueError: When a team has more cars than a `max_team_size` above 0.
        """
        size = largest_team(teams, max_team_size)
        scale = self._position_scale
        self._parts = _car_parts(scale)
        ball: tuple[tuple[str, Scale], ...] = (
            ("ball_position", scale),
            ("ball_velocity", (VELOCITY_SCALE,) * 3),
            ("ball_angular_velocity", (SPIN_SCALE,) * 3),
        )
        self._ball_scale = [value for _, scales in ball for value in scales]
        pads = (Term("pad_timers", len(PAD_ORDER), "pad_timers"),) if self._shows_pads else ()
        cars = ("own", *(f"other{place}" for place in range(1, 2 * size)))
        self.terms: tuple[Term, ...] = (
            *(Term(field, 3, field) for field, _ in ball),
            *pads,
            *(
                Term(f"{car}.{part.name}", len(part.scale), part.field)
                for car in cars
                for part in self._parts
            ),
        )
        """The columns by name, first to last."""
        self.width: int = sum(term.width for term in self.terms)
        """D: 9 or 43, and 44 N."""
        self._start = self.width - 2 * size * BLOCK
        places = mates_then_opponents(self._start + BLOCK, size, BLOCK)
        self.places: tuple[tuple[Places, ...], ...] = (places,) * len(teams)
        """Of each of the P cars: where mates and where opponents stand."""
        self.layout_hash: str = self._hash()
        """16 hex digits that differ when the meaning of any column does."""
        self._plan(teams, size)

    def build(self, state: GameState, out: Array | None = None) -> Array:
        """What every car sees.

        Args:
            state: Its `teams` are those the builder was made for.
            out: (B, P, D) float32 to fill; a new array when absent.

        Returns:
            (B, P, D) float32, `out` when it was given.
        """
        seen = np.take(state.raw, self._index, axis=1, out=out, mode="clip")
        seen *= self._scale
        blocks = seen[..., self._start :].reshape(*seen.shape[:2], -1, BLOCK)
        unused = (state.has_flipped == 0) & (state.has_double_jumped == 0)
        has_flip = unused & (state.air_time_since_jump < DOUBLE_JUMP_WINDOW_S)
        np.maximum(blocks[..., FLIP], self._at_places(has_flip), out=blocks[..., FLIP])
        if state.demo_timer.any():
            blocks[..., :-1] *= self._at_places(state.demo_timer == 0)[..., None]
        return seen

    def _at_places(self, of_cars: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """(B, P) of each car to (B, P, 2 N) of the car on each place, False on empty ones."""
        of_cars = np.concatenate((of_cars, np.zeros((len(of_cars), 1), np.bool_)), axis=1)
        return of_cars[:, self._cars]

    def _plan(self, teams: tuple[int, ...], size: int) -> None:
        """Find each column in `raw`, its scale, and the car on each place."""
        nobody = len(teams)
        index, scale, cars = [], [], []
        for agent, team in enumerate(teams):
            mates, opponents = others_of(teams, agent)
            there = [agent, *padded(mates, size - 1), *padded(opponents, size)]
            pads = [PAD_COLUMNS.start + pad for pad in PAD_ORDER] if self._shows_pads else []
            # Turning the field by 180 degrees reverses the sorted pads.
            index.append([*range(9), *(reversed(pads) if team == ORANGE else pads)])
            scale.append([*self._ball_scale, *[PAD_SCALE] * len(pads)])
            for car in there:
                index[-1] += self._car_columns(car, raw_width(len(teams)) - 1)
                scale[-1] += [value for part in self._parts for value in part.scale]
            cars.append([nobody if car is None else car for car in there])
        self._index = np.array(index, np.intp)
        self._cars = np.array(cars, np.intp)
        # (x, y, z) becomes (-x, -y, z) for orange.
        orange = np.array(teams)[:, None] == ORANGE
        self._scale = (np.where(orange, self._signs(), 1) * scale).astype(np.float32)

    def _car_columns(self, car: int | None, zero: int) -> list[int]:
        if car is None:
            return [zero] * BLOCK
        start = CARS_START + CAR_WIDTH * car
        return [
            start + column
            for part in self._parts
            for column in range(CAR_FIELDS[part.column].start, CAR_FIELDS[part.column].stop)
        ]

    def _signs(self) -> list[int]:
        """(D,) -1 where turning the field changes the sign."""
        vector = (-1, -1, 1)
        return [
            sign
            for term in self.terms
            for sign in (vector if term.width == 3 else [1] * term.width)
        ]

    def _hash(self) -> str:
        parts = [(part.name, part.scale) for part in self._parts]
        text = json.dumps([self.name, self.terms, self._ball_scale, parts])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class RlgymPpoAdvancedObs(RlgymPpoDefaultObs):
    """The same with positions by the field's size, and the boost pads after the ball."""

    name: ClassVar[str] = "rlgymppo_advanced"
    _position_scale: ClassVar[Scale] = FIELD_SCALE
    _shows_pads: ClassVar[bool] = True
