"""Reads out of RocketSim where balls and cars are: through its interface, or out of its memory.

The interface is the truth. Memory is read in a fraction of the time (`sim_memory.py`), where it is
known and says in a trial game just what the interface says; after that, arenas in turn are compared
with the interface now and again. What differs then ends the run: it is not learned from silently.
Tested by `tests/trainer/test_sim_reading.py`.

Axes: B arenas, P cars of an arena, M arenas asked for.
"""

from collections.abc import Callable, Iterator, Sequence
from enum import Enum, auto
from functools import cache
from itertools import chain
from operator import attrgetter
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import RocketSim

from rlbot_agent.state import CAR_FIELDS, CAR_WIDTH
from trainer.sim_memory import BALLS, CARS, RELEASE, MemoryReader, is_known

Doubles = npt.NDArray[np.float64]
Reader = Callable[[object], tuple[float, ...]]

_BALL_NAMES: Final = (
    *("pos.x", "pos.y", "pos.z"),
    *("vel.x", "vel.y", "vel.z"),
    *("ang_vel.x", "ang_vel.y", "ang_vel.z"),
)
BALL: Reader = attrgetter(*_BALL_NAMES)
BALL_WIDTH: Final = len(_BALL_NAMES)
# One value for each column of a car, in the order of CAR_FIELDS. Some columns hold what their field
# is derived from (see `sim.py`), and that of `can_flip` the tick of the last touch of the ball.
_CAR_NAMES: Final = (
    *("pos.x", "pos.y", "pos.z"),
    *("rot_mat.forward.x", "rot_mat.forward.y", "rot_mat.forward.z"),
    *("rot_mat.up.x", "rot_mat.up.y", "rot_mat.up.z"),
    *("vel.x", "vel.y", "vel.z"),
    *("ang_vel.x", "ang_vel.y", "ang_vel.z"),
    *("boost", "demo_respawn_timer", "is_on_ground", "time_spent_boosting", "supersonic_time"),
    *("last_controls.jump", "handbrake_val", "has_jumped", "is_jumping", "has_flipped"),
    *("flip_time", "has_double_jumped", "ball_hit_info.tick_count_when_hit"),
    *("air_time_since_jump", "is_auto_flipping"),
)
CAR: Reader = attrgetter(*_CAR_NAMES)
LAST_HIT: Final = CAR_FIELDS["can_flip"].start
_DEMOLISHED: Final = CAR_FIELDS["demo_timer"].start
"""Column of a car: above 0, it is not on the field, and its memory not what it is said to be."""
_FLAGS: Final = (
    *("is_on_ground", "last_controls.jump", "has_jumped", "is_jumping", "has_flipped"),
    *("has_double_jumped", "is_auto_flipping"),
)
_NUMBERS: Final = (
    *("boost", "demo_respawn_timer", "time_spent_boosting", "supersonic_time", "handbrake_val"),
    *("flip_time", "air_time_since_jump"),
)
COMPARED_EVERY: Final = 32
"""Decisions: an arena is read both ways in one of so many, another each time."""
TRIAL_TICKS: Final = 30
"""Of the game in which memory is compared with the interface before it is trusted."""


class Trial(Enum):
    """How a game read from memory compares with the same game read through the interface."""

    UNKNOWN = auto()
    """Nobody knows where anything is: another release, another platform, or no look at memory."""
    EQUAL = auto()
    DIFFERS = auto()


class Reading(NamedTuple):
    """Where everything is in M arenas."""

    balls: Doubles
    """(M, 9) as `BALL` lists them."""
    cars: Doubles
    """(M, P, 30) as `CAR` lists them."""


class StateReader:
    """Reads B arenas whose cars stay the same for as long as it lives."""

    def __init__(
        self, arenas: Sequence[RocketSim.Arena], cars: Sequence[Sequence[RocketSim.Car]]
    ) -> None:
        """Read `arenas` (B) and their `cars` (B, P)."""
        self._balls, self._cars = [arena.ball for arena in arenas], cars
        self._memory: _Memory | None = None
        if try_memory() is Trial.EQUAL:
            self._memory = _Memory.of(self._balls, [car for added in cars for car in added])
        self._reads = 0

    def read(self) -> Reading:
        """All arenas.

        Raises:
            RuntimeError: When memory differs from the interface.
        """
        if self._memory is None:
            return self.ask(range(len(self._balls)))
        reading = self._memory.read()
        self._reads += 1
        if self._reads % COMPARED_EVERY == 0:
            self._compare(reading, self._reads // COMPARED_EVERY % len(self._balls))
        return reading

    def _compare(self, reading: Reading, arena: int) -> None:
        """Refuse a `reading` of all arenas from memory that is wrong about `arena`."""
        told, seen = self.ask([arena]), Reading(*(part[[arena]] for part in reading))
        if not _are_equal(told, seen):
            raise RuntimeError(
                f"RocketSim's memory was misread: in arena {arena}, {_difference(told, seen)}"
            )

    def ask(self, arenas: Sequence[int]) -> Reading:
        """`arenas` (M,), through the interface."""
        balls = [self._balls[arena] for arena in arenas]
        cars = [car for arena in arenas for car in self._cars[arena]]
        return ask(balls, cars, len(self._cars[0]))


class _Memory(NamedTuple):
    """The same arenas, in memory."""

    balls: MemoryReader
    cars: MemoryReader
    handles: list[RocketSim.Car]
    """(B · P,)."""

    @classmethod
    def of(cls, balls: Sequence[RocketSim.Ball], handles: list[RocketSim.Car]) -> "_Memory | None":
        """Where they are, if that is known."""
        if not handles or not (is_known(balls, BALLS) and is_known(handles, CARS)):
            return None
        return cls(MemoryReader(balls, BALLS), MemoryReader(handles, CARS), handles)

    def read(self) -> Reading:
        balls, cars = self.balls.read(), self.cars.read()
        # The interface shows what it knew when it was last asked: in the collision, by RocketSim.
        for car in np.flatnonzero(cars[:, _DEMOLISHED] > 0).tolist():
            cars[car] = CAR(self.handles[car].get_state())
        return Reading(balls, cars.reshape(len(balls), -1, CAR_WIDTH))


def ask(balls: Sequence[RocketSim.Ball], cars: Sequence[RocketSim.Car], num_cars: int) -> Reading:
    """Where M `balls` and the P = `num_cars` of each, arena by arena, are: by the interface."""
    numbers = values_of(CAR, [car.get_state() for car in cars], CAR_WIDTH)
    return Reading(
        values_of(BALL, [ball.get_state() for ball in balls], BALL_WIDTH),
        numbers.reshape(len(balls), num_cars, CAR_WIDTH),
    )


def values_of(read: Reader, objects: Sequence[object], width: int) -> Doubles:
    """(K, width) what `read` finds in each of K objects."""
    found = chain.from_iterable(map(read, objects))
    return np.fromiter(found, np.float64, len(objects) * width).reshape(len(objects), width)


def memory_warnings() -> list[str]:
    """A sentence if memory should be known here and is not read all the same, else nothing."""
    if try_memory() is not Trial.DIFFERS:
        return []
    return [
        f"rocketsim {RELEASE} keeps balls and cars elsewhere in memory than it is known to: they "
        "are read through its interface, which is right and takes longer"
    ]


@cache
def try_memory() -> Trial:
    """How memory does in a trial game; takes some 40 ms, once in a process.

    RocketSim must have its meshes.
    """
    light = RocketSim.MemoryWeightMode.LIGHT
    arena = RocketSim.Arena(RocketSim.GameMode.SOCCAR, light)
    cars = [arena.add_car(team) for team in (0, 1)]
    memory = _Memory.of([arena.ball], cars)
    if memory is None:
        return Trial.UNKNOWN
    agrees = all(
        _are_equal(ask([arena.ball], cars, len(cars)), memory.read()) for _ in _play(arena, cars)
    )
    return Trial.EQUAL if agrees else Trial.DIFFERS


def _play(arena: RocketSim.Arena, cars: Sequence[RocketSim.Car]) -> Iterator[None]:
    """Bring `arena` into states that together tell every column from every other."""
    for flag in _FLAGS:
        for car in cars:
            car.set_state(_planted(flag))
        yield
    arena.reset_kickoff(seed=0)
    drive = RocketSim.CarControls()
    drive.throttle, drive.steer, drive.boost, drive.jump, drive.handbrake = 1, 0.3, True, True, True
    for tick in range(TRIAL_TICKS):
        cars[0].set_controls(drive)
        if tick == TRIAL_TICKS // 3:
            fallen = RocketSim.BallState()
            fallen.pos = cars[0].get_state().pos
            arena.ball.set_state(fallen)
        if tick == TRIAL_TICKS // 2:
            cars[1].demolish()
        arena.step(1)
        yield


def _planted(flag: str) -> RocketSim.CarState:
    """A car in which every number is another, and of all flags only `flag` is set."""
    state = RocketSim.CarState()
    state.pos, state.vel, state.ang_vel = (RocketSim.Vec(n, n + 1, n + 2) for n in (10, 20, 30))
    state.rot_mat = RocketSim.RotMat(*(RocketSim.Vec(n, n + 1, n + 2) for n in (40, 50, 60)))
    for number, name in enumerate(_NUMBERS, 1):
        # Negative, because a car with a positive timer is demolished, and is not read from memory.
        setattr(state, name, -number)
    controls = RocketSim.CarControls()
    for each in _FLAGS:
        of, name = (controls, "jump") if each == "last_controls.jump" else (state, each)
        setattr(of, name, each == flag)
    state.last_controls = controls
    return state


def _difference(told: Reading, seen: Reading) -> str:
    """The first number of one arena of which its interface and its memory say different things."""
    names = [f"the ball's {name}" for name in _BALL_NAMES]
    names += [f"car {car}'s {name}" for car in range(told.cars.shape[1]) for name in _CAR_NAMES]
    theirs, ours = (np.concatenate([part.ravel() for part in each]) for each in (told, seen))
    equal = np.isclose(theirs, ours, rtol=0, atol=0, equal_nan=True)
    first = int(equal.argmin())
    return f"{names[first]} is {ours[first]}, and {theirs[first]} by its interface"


def _are_equal(told: Reading, seen: Reading) -> bool:
    """Bit for bit, except that one nan is any other."""
    parts = zip(told, seen, strict=True)
    return all(np.array_equal(theirs, ours, equal_nan=True) for theirs, ours in parts)
