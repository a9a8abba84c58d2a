"""What an agent sees from its own seat: ball, goals and cars ahead, to the right and above it.

Made of what the live game shows exactly: no wheel contact and no guessed flags, but the controls
that the car holds, and which boost pads are there. Numbers stay around [-1, 1]; orange sees the
field turned by 180 degrees. Knows no simulator and no game; the geometry is in `local_frame.py`.
Tested by `tests/rlbot_agent/test_obs_local.py`, against a slow builder of one car at a time.
"""

import hashlib
import json
from typing import ClassVar, Final, NamedTuple

import numpy as np

from rlbot_agent.field import (
    BACK_WALL_Y,
    CAR_MAX_ANGULAR_SPEED,
    CAR_MAX_SPEED,
    CEILING_Z,
    DEMO_RESPAWN_S,
    DOUBLE_JUMP_WINDOW_S,
    MAX_BOOST,
    NUM_PADS,
    ORANGE,
    SIDE_WALL_X,
)
from rlbot_agent.local_frame import LocalFrames, Source
from rlbot_agent.obs import Term
from rlbot_agent.places import Places, largest_team, mates_then_opponents, others_of, padded
from rlbot_agent.state import CONTROLS_WIDTH, Array, GameState

LENGTH: Final = 1 / SIDE_WALL_X
SPEED: Final = 1 / CAR_MAX_SPEED
SPIN: Final = 1 / CAR_MAX_ANGULAR_SPEED
FIELD: Final = (1 / SIDE_WALL_X, 1 / BACK_WALL_Y, 1 / CEILING_Z)


class _Part(NamedTuple):
    """Some columns."""

    name: str
    width: int
    scale: float | tuple[float, ...]
    """Of all columns, or of each."""
    field: str
    """Attribute of the state, or quantity of `RECONSTRUCTION`."""
    source: Source
    turns: bool = False
    """Whether it is a vector of the field, whose x and y change sign for orange."""


def _own(field: str, scale: float = 1) -> _Part:
    return _Part(f"own.{field}", 1, scale, field, Source("car", field))


def _local(name: str, kind: str, scale: float, vectors: str, number: int = 0) -> _Part:
    return _Part(name, 3, scale, f"local_{kind}", Source("vector", vectors, number))


def _closeness(name: str, vectors: str, number: int = 0) -> _Part:
    return _Part(name, 1, 1, "closeness", Source("closeness", vectors, number))


TARGETS: Final = ("ball", "goal", "own_goal", "shot")
"""Ball, goal to attack, goal to defend, each from the car; the goal to attack from the ball."""
CORE: Final = (
    _Part("ball.position", 3, FIELD, "ball_position", Source("ball", number=0), turns=True),
    _Part("ball.velocity", 3, SPEED, "ball_velocity", Source("ball", number=1), turns=True),
    _Part("own.position", 3, FIELD, "position", Source("car", "position"), turns=True),
    _Part("own.forward", 3, 1, "forward", Source("car", "forward"), turns=True),
    _Part("own.up", 3, 1, "up", Source("car", "up"), turns=True),
    _own("boost", 1 / MAX_BOOST),
    _own("demo_timer", 1 / DEMO_RESPAWN_S),
    _own("is_supersonic"),
    _own("has_jumped"),
    _own("is_jumping"),
    _own("has_flipped"),
    _own("is_flipping"),
    _own("has_double_jumped"),
    _Part("own.controls", CONTROLS_WIDTH, 1, "controls", Source("controls")),
    # The first 1.25 s of it, in which a flip may be left.
    _Part(
        "own.air_time_since_jump",
        1,
        1 / DOUBLE_JUMP_WINDOW_S,
        "air_time_since_jump",
        Source("scalar", "air_time"),
    ),
    _Part("own.has_flip", 1, 1, "has_flip", Source("scalar", "has_flip")),
    # 17 / z: a few uu tell driving from flying.
    _Part("own.floor", 1, 1, "position", Source("scalar", "floor")),
    # From here on in the car's frame: ahead, to the right, above.
    *(_local(f"{name}.direction", "axis", 1, "directions", i) for i, name in enumerate(TARGETS)),
    *(_closeness(f"{name}.closeness", "directions", i) for i, name in enumerate(TARGETS)),
    _local("ball.local_position", "position", LENGTH, "ball_position"),
    _local("ball.local_velocity", "velocity", SPEED, "ball_velocity"),
    _local("ball.local_spin", "spin", SPIN, "ball_spin"),
    _local("own.local_velocity", "velocity", SPEED, "motion", 0),
    _local("own.local_spin", "spin", SPIN, "motion", 1),
    _Part("pads", NUM_PADS, 1, "pad_is_active", Source("pads")),
)
"""What an agent sees of ball, field and itself. The ball's local position and velocity are relative
to the car's; a closeness is 500 uu over 500 uu + distance."""
OTHER: Final = (
    _Part("is_there", 1, 1, "presence", Source("one")),
    _Part("boost", 1, 1 / MAX_BOOST, "boost", Source("car", "boost")),
    _Part("demo_timer", 1, 1 / DEMO_RESPAWN_S, "demo_timer", Source("car", "demo_timer")),
    _Part("is_supersonic", 1, 1, "is_supersonic", Source("car", "is_supersonic")),
    _closeness("closeness", "positions"),
    _local("local_position", "position", LENGTH, "positions"),
    _local("local_velocity", "velocity", SPEED, "velocities"),
    _Part("local_forward", 3, 1, "local_axis", Source("vector", "axes", 0, step=2)),
    _Part("local_up", 3, 1, "local_axis", Source("vector", "axes", 1, step=2)),
)
"""What it sees of each other car, relative to its own; of a demolished one not where it is."""
BLOCK: Final = sum(part.width for part in OTHER)


class LocalObs:
    """Ball, own car, goals, pads, then N - 1 mates and N opponents; zeros for who is not there."""

    name: ClassVar[str] = "local"

    def __init__(self, teams: tuple[int, ...], max_team_size: int = 0) -> None:
        """Plan the observations of cars that belong to `teams` (0 blue, 1 orange, any order).

        Args:
            teams: Team of each car.
            max_team_size: N; 0 takes the size of the larger team.

        Raises:
            ValueError: When a team has more cars than a `max_team_size` above 0.
        """
        size = largest_team(teams, max_team_size)
        others = [f"other{place}" for place in range(1, 2 * size)]
        self.terms: tuple[Term, ...] = (
            *(Term(part.name, part.width, part.field) for part in CORE),
            *(
                Term(f"{car}.{part.name}", part.width, part.field)
                for car in others
                for part in OTHER
            ),
        )
        """The columns by name, first to last."""
        self.width: int = sum(term.width for term in self.terms)
        """D: 116 for 1v1, and 17 for each further place."""
        start = self.width - len(others) * BLOCK
        places = mates_then_opponents(start, size, BLOCK)
        self.places: tuple[tuple[Places, ...], ...] = (places,) * len(teams)
        """Of each of the P cars: where mates and where opponents stand."""
        text = json.dumps([self.name, self.terms, [part.scale for part in (*CORE, *OTHER)]])
        self.layout_hash: str = hashlib.sha256(text.encode()).hexdigest()[:16]
        """16 hex digits that differ when the meaning of any column does."""
        self._frames = LocalFrames(teams)
        rows = [self._find_rows(teams, agent, size) for agent in range(len(teams))]
        self._rows = np.array(rows, np.intp)
        self._scale = np.array([_scales(team, 2 * size - 1) for team in teams], np.float32)
        self._scales = np.repeat(self._scale[..., None], 1, axis=-1)

    def build(self, state: GameState, out: Array | None = None) -> Array:
        """What every car sees.

        Args:
            state: Its `teams` are those the builder was made for.
            out: (B, P, D) float32 to fill; a new array when absent.

        Returns:
            (B, P, D) float32, `out` when it was given.
        """
        seen = out
        if seen is None:
            seen = np.empty((state.num_arenas, state.num_cars, self.width), np.float32)
        numbers = self._frames.compute(state)[self._rows]
        if self._scales.shape != numbers.shape:
            # One long multiplication is several times faster than many short ones.
            self._scales = np.repeat(self._scale[..., None], state.num_arenas, axis=-1)
        numbers *= self._scales
        seen[:] = numbers.transpose(2, 0, 1)
        return seen

    def _find_rows(self, teams: tuple[int, ...], agent: int, size: int) -> list[int]:
        """Of each column."""
        frames = self._frames
        found = [row for part in CORE for row in frames.find(part.source, agent)]
        mates, opponents = map(len, others_of(teams, agent))
        order = list(range(mates + opponents))
        for place in padded(order[:mates], size - 1) + padded(order[mates:], size):
            found += (
                [frames.zero] * BLOCK
                if place is None
                else [row for part in OTHER for row in frames.find(part.source, agent, place)]
            )
        return found


def _scales(team: int, num_places: int) -> list[float]:
    """Of each column, with the signs that turn the field for orange."""
    scales: list[float] = []
    for part in (*CORE, *OTHER * num_places):
        scale = part.scale if isinstance(part.scale, tuple) else (part.scale,) * part.width
        turned = part.turns and team == ORANGE
        scales += np.multiply(scale, (-1, -1, 1)).tolist() if turned else scale
    return scales
