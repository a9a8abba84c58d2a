"""B games of soccar in RocketSim, one decision at a time.

State comes out as a `GameState`, what happened as `Events`. The caller decides when an episode
ends: nothing resets by itself, so the state after a goal is the goal's. Knows no rewards, no
observations and no networks. Tested by `tests/trainer/test_sim.py`, against RLGym's own engine.

Same seed, same starts and same actions give the same states bit for bit from the construction on,
with two cars. Not from a reset on, because RocketSim keeps hidden suspension state through it; and
not with more cars, which it treats in an order that depends on memory addresses: games then part by
rounding, sooner or later. Only this module, `sim_reading.py`, `sim_events.py` and
`rlviser.py` import RocketSim.

Times in the state are seconds, ticks are 1/120 s to the caller; in here a beat is a step of the
physics, of one or more ticks.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import RocketSim

from rlbot_agent.actions import ACTION_TABLE
from rlbot_agent.field import (
    CAR_RESTING_Z,
    DOUBLE_JUMP_WINDOW_S,
    FLIP_TORQUE_S,
    GOAL_LINE_Y,
    TICKS_PER_SECOND,
)
from rlbot_agent.rotation import Axes, axes_from_angles
from rlbot_agent.state import BALL_COLUMNS, CAR_FIELDS, GameState
from trainer.beats import beats_of
from trainer.events import Events
from trainer.meshes import mesh_warnings
from trainer.resets import Starts
from trainer.sim_events import EventReader
from trainer.sim_reading import LAST_HIT, StateReader, memory_warnings

Array = npt.NDArray[np.float32]
Indices = npt.NDArray[np.integer[Any]]

LOWEST: Final = np.array([-4300, -6300, -100], np.float32)
HIGHEST: Final = np.array([4300, 6300, 2300], np.float32)
"""uu: x, y, z between which everything inside the arena is; the nets end at y = 6000."""

_meshes_in_use: list[Path] = []


class Simulator:
    """B arenas with the same teams, stepped together. Build it in the process that steps it."""

    def __init__(
        self,
        num_arenas: int,
        teams: tuple[int, ...],
        tick_skip: int,
        action_delay: int,
        meshes: Path,
        rng: np.random.Generator | Sequence[np.random.Generator],
        physics_hz: int = TICKS_PER_SECOND,
    ) -> None:
        """Make the arenas. They hold no sensible state before all of them were `reset`.

        Args:
            num_arenas: B.
            teams: Team of each of the P cars, 0 blue and 1 orange, in any order.
            tick_skip: Ticks of a decision.
            action_delay: Ticks of a decision before its actions take over, below `tick_skip`.
            meshes: Folder that holds soccar/*.cmf.
            rng: Draws where demolished cars come back; one for all arenas, or B of them.
            physics_hz: Beats a second; 120 is the game's own.

        Raises:
            ValueError: As `beats_of`.
            RuntimeError: When RocketSim cannot read the meshes, or runs with others already.
        """
        self._rngs = [rng] * num_arenas if isinstance(rng, np.random.Generator) else rng
        self._beats = beats_of(physics_hz, tick_skip, action_delay)
        self._beat_s = np.float32(self._beats.seconds)
        _load(meshes)
        self.warnings: list[str] = [*mesh_warnings(meshes), *memory_warnings()]
        """What a person should know about the simulation, one sentence each."""
        self.arenas: list[RocketSim.Arena] = [_make_arena(physics_hz) for _ in range(num_arenas)]
        """The B RocketSim arenas."""
        self.cars: list[list[RocketSim.Car]] = [list(map(a.add_car, teams)) for a in self.arenas]
        """The P RocketSim cars of each arena."""
        self.state = GameState(num_arenas, teams)
        """Where everything is now, updated in place."""
        self.events = Events.none(num_arenas, len(teams))
        """What happened in the last decision, updated in place."""
        self.broken: npt.NDArray[np.bool_] = np.zeros(num_arenas, np.bool_)
        """(B,) whose physics exploded or lost an object in the last decision. They still show the
        state before it and no events: truncate and reset them."""

        self._before = np.zeros_like(self.state.raw)
        self._controls = [make_controls(row) for row in ACTION_TABLE.tolist()]
        self._pads = [arena.get_boost_pads() for arena in self.arenas]
        self._happened = EventReader(self.arenas, self.cars, self.events)
        self._states = StateReader(self.arenas, self.cars)

    def step(self, actions: Indices) -> None:
        """Play one decision of `actions` (B, P), rows of `ACTION_TABLE`, and read what it did."""
        self.play(actions)
        self.read(actions)

    def play(self, actions: Indices) -> None:
        """The physics of a decision: held controls during the delay, then `actions`. See `read`."""
        self._before[:] = self.state.raw
        self._happened.begin()
        self._advance(actions)

    def read(self, actions: Indices) -> None:
        """Bring `state` and `events` up to what `play` did with `actions`."""
        balls, cars = self._states.read()
        self._happened.read(cars[..., LAST_HIT])
        self._read_pads()
        self.state.raw[:, BALL_COLUMNS] = balls
        self.state.cars[:] = _derive(cars)
        self.state.controls[:] = ACTION_TABLE[actions]
        self._read_goals()
        self._quarantine(self._before)

    def reset(self, arenas: Indices, starts: Starts) -> None:
        """Put the M `starts` into `arenas` (M,): neutral controls, all pads active, no events."""
        axes = axes_from_angles(starts.car_rotation)
        neutral, active = RocketSim.CarControls(), RocketSim.BoostPadState()
        for start, arena in enumerate(arenas.tolist()):
            self.arenas[arena].ball.set_state(_ball_state(starts, start))
            for index, car in enumerate(self.cars[arena]):
                car.set_state(_car_state(starts, axes, start, index))
                car.set_controls(neutral)
            for pad in self._pads[arena]:
                pad.set_state(active)
        balls, cars = self._states.ask(arenas.tolist())
        self._happened.restart(arenas, cars[..., LAST_HIT])
        self.state.pad_timers[arenas] = 0
        self.state.raw[arenas, BALL_COLUMNS] = balls
        self.state.cars[arenas] = _derive(cars)
        self.state.controls[arenas] = 0
        self.broken[arenas] = False

    def _advance(self, actions: Indices) -> None:
        """Advance every arena by one decision."""
        respawns = self._respawns_soon()
        games = zip(self.arenas, self.cars, actions.tolist(), strict=True)
        for index, (arena, cars, rows) in enumerate(games):
            if index in respawns:
                self._play_with_respawns(arena, cars, rows, self._rngs[index])
                continue
            if self._beats.held:
                arena.step(self._beats.held)
            for car, row in zip(cars, rows, strict=True):
                car.set_controls(self._controls[row])
            arena.step(self._beats.new)

    def _respawns_soon(self) -> set[int]:
        """Arenas with a demolished car that comes back within the next decision."""
        timers = self.state.demo_timer
        soon = (timers > 0) & (timers < (self._beats.total + 1) * self._beat_s)
        return set(np.flatnonzero(soon.any(axis=1)).tolist())

    def _play_with_respawns(
        self,
        arena: RocketSim.Arena,
        cars: list[RocketSim.Car],
        rows: list[int],
        rng: np.random.Generator,
    ) -> None:
        """One decision beat by beat, so that we and not the clock choose where cars come back."""
        for beat in range(self._beats.total):
            if beat == self._beats.held:
                for car, row in zip(cars, rows, strict=True):
                    car.set_controls(self._controls[row])
            for car in cars:
                # RocketSim lets a car back in the beat in which its timer reaches 0.
                if 0 < car.get_state().demo_respawn_timer <= self._beat_s:
                    car.respawn(int(rng.integers(2**31)))
            arena.step(1)

    def _read_pads(self) -> None:
        """Count the pads' timers down as RocketSim does; ask it only where a pad was taken."""
        timers = self.state.pad_timers
        # Few pads are taken at any time; one beat after the other, to round as RocketSim does.
        taken = timers.nonzero()
        left = timers[taken]
        for _ in range(self._beats.total):
            left = np.maximum(left - self._beat_s, 0)
        timers[taken] = left
        for arena in np.flatnonzero(self.events.pickups.any(axis=1)).tolist():
            timers[arena] = [pad.get_state().cooldown for pad in self._pads[arena]]

    def _read_goals(self) -> None:
        """Find the balls behind a goal line."""
        ball_y = self.state.ball_position[:, 1]
        self.events.goal[:] = np.where(np.abs(ball_y) > GOAL_LINE_Y, np.sign(ball_y), 0)

    def _quarantine(self, before: Array) -> None:
        """Keep the last sound state of broken arenas; `before` (B, R) is the last `raw`."""
        np.logical_not(_is_sound(self.state), out=self.broken)
        if self.broken.any():
            self.state.raw[self.broken] = before[self.broken]
            self.events.clear(np.flatnonzero(self.broken))


def _load(meshes: Path) -> None:
    """Let RocketSim read `meshes`, which it does once in a process."""
    meshes = meshes.resolve()
    if not _meshes_in_use:
        RocketSim.init(str(meshes))
        _meshes_in_use.append(meshes)
    if _meshes_in_use != [meshes]:
        raise RuntimeError(
            f"this process already simulates with the meshes in {_meshes_in_use[0]}, "
            f"it cannot change to {meshes}"
        )


def _make_arena(physics_hz: int) -> RocketSim.Arena:
    # Heavy arenas are no faster and take four times as long to make.
    light = RocketSim.MemoryWeightMode.LIGHT
    return RocketSim.Arena(RocketSim.GameMode.SOCCAR, light, physics_hz)


def make_controls(row: list[float]) -> RocketSim.CarControls:
    """A row of the action table, or one like it, as RocketSim takes it."""
    controls = RocketSim.CarControls()
    controls.throttle, controls.steer, controls.pitch, controls.yaw, controls.roll = row[:5]
    controls.jump, controls.boost, controls.handbrake = (bool(button) for button in row[5:])
    return controls


def _derive(pulled: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Turn `CAR` values (..., 30) into `CAR_FIELDS`, in place, by RLGym's definitions."""
    car = {name: pulled[..., columns.start] for name, columns in CAR_FIELDS.items()}
    # A flip is left: neither it nor a double jump is used, and the jump is less than 1.25 s ago.
    has_flip = (
        (car["has_flipped"] == 0)
        & (car["has_double_jumped"] == 0)
        & (car["air_time_since_jump"] < DOUBLE_JUMP_WINDOW_S)
    )
    car["can_flip"][:] = (car["on_ground"] == 0) & (car["is_holding_jump"] == 0) & has_flip
    # These three columns hold how many seconds each has lasted.
    car["is_flipping"][:] = (car["has_flipped"] > 0) & (car["is_flipping"] < FLIP_TORQUE_S)
    car["is_boosting"][:] = car["is_boosting"] > 0
    car["is_supersonic"][:] = car["is_supersonic"] > 0
    return pulled


def _is_sound(state: GameState) -> npt.NDArray[np.bool_]:
    """(B,) whether all numbers are finite, and ball and cars inside the arena."""
    places = np.concatenate((state.ball_position[:, None], state.position), axis=1)
    inside = ((places > LOWEST) & (places < HIGHEST)).all(axis=(1, 2))
    sound: npt.NDArray[np.bool_] = inside & np.isfinite(state.raw).all(axis=1)
    return sound


def _ball_state(starts: Starts, start: int) -> RocketSim.BallState:
    state = RocketSim.BallState()
    state.pos = RocketSim.Vec(*starts.ball_position[start].tolist())
    state.vel = RocketSim.Vec(*starts.ball_velocity[start].tolist())
    state.ang_vel = RocketSim.Vec(*starts.ball_angular_velocity[start].tolist())
    return state


def _car_state(starts: Starts, axes: Axes, start: int, car: int) -> RocketSim.CarState:
    state = RocketSim.CarState()
    position = starts.car_position[start, car]
    stands = bool(position[2] <= CAR_RESTING_Z)
    state.pos = RocketSim.Vec(*position.tolist())
    state.vel = RocketSim.Vec(*starts.car_velocity[start, car].tolist())
    state.ang_vel = RocketSim.Vec(*starts.car_angular_velocity[start, car].tolist())
    state.rot_mat = RocketSim.RotMat(*(RocketSim.Vec(*axis[start, car].tolist()) for axis in axes))
    state.boost = float(starts.car_boost[start, car])
    state.is_on_ground = stands
    state.wheels_with_contact = (stands,) * 4
    return state
