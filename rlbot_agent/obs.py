"""What an agent sees: RLGym v2's DefaultObs for all agents of all arenas in one gather.

An observation is a row of numbers picked from `GameState.raw` and scaled. Which numbers, and by
what, is worked out once per builder; orange sees the field turned by 180 degrees through negative
scales and a reversed pad list. Knows no simulator and no game. Tested against RLGym itself by
`tests/rlbot_agent/test_obs.py`.
"""

import hashlib
import json
import math
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import NUM_PADS, ORANGE
from rlbot_agent.places import Places, largest_team, others_of
from rlbot_agent.state import (
    CAR_FIELDS,
    CAR_WIDTH,
    CARS_START,
    PAD_COLUMNS,
    GameState,
    raw_width,
)

Array = npt.NDArray[np.float32]

LENGTH_SCALE = 1 / 2300
"""Of positions (uu) and velocities (uu/s): a car's top speed becomes 1."""
SPIN_SCALE = 1 / math.pi
"""Of angular velocities, rad/s."""
PAD_SCALE = 1 / 10
"""Of pad timers: a big pad that was just taken becomes 1."""
BOOST_SCALE = 1 / 100


class Term(NamedTuple):
    """A run of neighbouring columns of an observation."""

    name: str
    """Whose and what: `ball_position`, `own.velocity`, `other1.boost`."""
    width: int
    """Columns."""
    field: str
    """The `GameState` attribute it shows, or the quantity made of several that it is; under this
    name `RECONSTRUCTION` says how well the live game shows it."""


class _Part(NamedTuple):
    """A field of the state as the observation shows it."""

    field: str
    start: int
    """First column: in `raw`, or in a car's block."""
    width: int
    scale: float
    turns: bool = False
    """Whether it is a vector, whose x and y change sign when the field is turned."""


BALL_PARTS = (
    _Part("ball_position", 0, 3, LENGTH_SCALE, turns=True),
    _Part("ball_velocity", 3, 3, LENGTH_SCALE, turns=True),
    _Part("ball_angular_velocity", 6, 3, SPIN_SCALE, turns=True),
)
PAD_PART = _Part("pad_timers", PAD_COLUMNS.start, NUM_PADS, PAD_SCALE)


def _car_part(field: str, scale: float = 1.0) -> _Part:
    columns = CAR_FIELDS[field]
    width = columns.stop - columns.start
    return _Part(field, columns.start, width, scale, turns=width == 3)


OWN_PARTS = tuple(
    _car_part(field)
    for field in (
        "is_holding_jump",
        "handbrake",
        "has_jumped",
        "is_jumping",
        "has_flipped",
        "is_flipping",
        "has_double_jumped",
        "can_flip",
        "air_time_since_jump",
    )
)
"""What an agent sees of its own car only."""
CAR_PARTS = (
    _car_part("position", LENGTH_SCALE),
    _car_part("forward"),
    _car_part("up"),
    _car_part("velocity", LENGTH_SCALE),
    _car_part("angular_velocity", SPIN_SCALE),
    _car_part("boost", BOOST_SCALE),
    _car_part("demo_timer"),
    _car_part("on_ground"),
    _car_part("is_boosting"),
    _car_part("is_supersonic"),
)
"""What an agent sees of every car."""


class DefaultObs:
    """Ball, pads, own car in detail, then every car: itself, mates, opponents.

    Mates and opponents come in the order of their index. With `max_team_size`, zeros stand for
    absent mates and absent opponents, so that one network fits every team size.
    """

    name: ClassVar[str] = "default"

    def __init__(self, teams: tuple[int, ...], max_team_size: int = 0) -> None:
        """Plan the observations of cars that belong to `teams` (0 blue, 1 orange, any order).

        Raises:
            ValueError: When a team has more cars than a `max_team_size` above 0.
        """
        largest_team(teams, max_team_size)
        num_others = 2 * max_team_size - 1 if max_team_size else len(teams) - 1
        self.terms: tuple[Term, ...] = _terms(num_others)
        """The columns by name, first to last."""
        self.width: int = sum(term.width for term in self.terms)
        """D: 52 + 20 for each car, or for each place when padded."""
        self.layout_hash: str = _layout_hash(self.name, self.terms, max_team_size)
        """16 hex digits that differ when the meaning of any column does."""
        self.places: tuple[tuple[Places, ...], ...] = tuple(
            _places(teams, agent, max_team_size) for agent in range(len(teams))
        )
        """Of each of the P cars: where mates and where opponents stand."""
        views = [_Columns(teams, agent, max_team_size) for agent in range(len(teams))]
        self._index = np.array([view.index for view in views], np.intp)
        self._scale = np.array([view.scale for view in views], np.float32)

    def build(self, state: GameState, out: Array | None = None) -> Array:
        """What every car sees.

        Args:
            state: Its `teams` are those the builder was made for.
            out: (B, P, D) float32 to fill; a new array when absent.

        Returns:
            (B, P, D) float32, `out` when it was given.
        """
        # With mode="raise", numpy would fill a hidden copy of `out` first.
        seen = np.take(state.raw, self._index, axis=1, out=out, mode="clip")
        seen *= self._scale
        return seen


class _Columns:
    """Where each column of one agent's observation is found in `raw`, and its scale."""

    def __init__(self, teams: tuple[int, ...], agent: int, max_team_size: int) -> None:
        self.index: list[int] = []
        self.scale: list[float] = []
        self._turned = teams[agent] == ORANGE
        self._zero = raw_width(len(teams)) - 1
        mates, opponents = others_of(teams, agent)

        for part in BALL_PARTS:
            self._add(part, 0)
        self._add_pads()
        for part in OWN_PARTS:
            self._add(part, _block(agent))
        self._add_cars([agent], 1)
        self._add_cars(mates, max_team_size - 1)
        self._add_cars(opponents, max_team_size)

    def _add(self, part: _Part, offset: int) -> None:
        # Turning the field by 180 degrees about z: (x, y, z) becomes (-x, -y, z).
        signs = (-1, -1, 1) if part.turns and self._turned else (1,) * part.width
        self.index += range(offset + part.start, offset + part.start + part.width)
        self.scale += [part.scale * sign for sign in signs]

    def _add_pads(self) -> None:
        start, stop = PAD_PART.start, PAD_PART.start + PAD_PART.width
        self.index += reversed(range(start, stop)) if self._turned else range(start, stop)
        self.scale += [PAD_PART.scale] * PAD_PART.width

    def _add_cars(self, cars: list[int], places: int) -> None:
        for car in cars:
            for part in CAR_PARTS:
                self._add(part, _block(car))
        width = sum(part.width for part in CAR_PARTS) * max(places - len(cars), 0)
        self.index += [self._zero] * width
        self.scale += [1.0] * width


def _places(teams: tuple[int, ...], agent: int, max_team_size: int) -> tuple[Places, ...]:
    width = sum(part.width for part in CAR_PARTS)
    parts = (*BALL_PARTS, PAD_PART, *OWN_PARTS, *CAR_PARTS)
    mates, opponents = map(len, others_of(teams, agent))
    if max_team_size:
        mates, opponents = max_team_size - 1, max_team_size
    start = sum(part.width for part in parts)
    return Places(start, mates, width), Places(start + mates * width, opponents, width)


def _block(car: int) -> int:
    return CARS_START + CAR_WIDTH * car


def _terms(num_others: int) -> tuple[Term, ...]:
    owners = ("own", *(f"other{place}" for place in range(1, num_others + 1)))
    return (
        *(Term(part.field, part.width, part.field) for part in (*BALL_PARTS, PAD_PART)),
        *(Term(f"own.{part.field}", part.width, part.field) for part in OWN_PARTS),
        *(
            Term(f"{owner}.{part.field}", part.width, part.field)
            for owner in owners
            for part in CAR_PARTS
        ),
    )


def _layout_hash(name: str, terms: tuple[Term, ...], max_team_size: int) -> str:
    parts = (*BALL_PARTS, PAD_PART, *OWN_PARTS, *CAR_PARTS)
    scales = [(part.field, part.scale) for part in parts]
    text = json.dumps([name, max_team_size, terms, scales])
    return hashlib.sha256(text.encode()).hexdigest()[:16]
