"""What Nexto sees: one row of its own, a table of everything on the field, and a mask.

Each fact is settled by its authors' own bot, not by a port of it; docs/nexto.md names the sources:

- q, 32 numbers: the car's own row of the table as it is on the field, then its last controls.
- kv, 24 numbers for each of E = P + 1 + 34 entities: own car, mates, opponents, ball, pads.
- Columns: 0 self, 1 mate (also of itself), 2 opponent, 3 ball, 4 pad; 5-7 position, 8-10 velocity,
  11-13 nose, 14-16 roof, 17-19 spin; 20 boost; 21 demolished, or pad active; 22 on the ground;
  23 a flip is left.
- Boost is 0 to 1; 0.12 for a small pad, 1 for a big one. Positions and velocities are over 2300,
  spins over 5.5.
- To orange the field is turned by 180 degrees. The last controls are not.
- In kv, not in q, positions count from the own car, and all five vectors are turned about the
  vertical so that the own nose points along +y. Velocities stay the field's.
- mask is 0: it would be 1 for a seat that is empty, and no seat is.

Knows no network. Tested by `tests/trainer/anchors/test_nexto_senses.py`.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import (
    CAR_MAX_ANGULAR_SPEED,
    CAR_MAX_SPEED,
    DOUBLE_JUMP_WINDOW_S,
    MAX_BOOST,
    NUM_PADS,
    PAD_POSITIONS,
)
from rlbot_agent.state import CONTROLS_WIDTH, GameState

Array = npt.NDArray[np.float32]

SELF, MATE, OPPONENT, BALL, PAD = range(5)
VECTORS: Final = slice(5, 20)
POSITION, VELOCITY, NOSE, ROOF, SPIN = (slice(start, start + 3) for start in range(5, 20, 3))
BOOST, GONE, ON_GROUND, HAS_FLIP = range(20, 24)
"""Columns of an entity; `GONE` is a car's, and of a pad whether it is there."""
ENTITY_WIDTH: Final = 24
QUERY_WIDTH: Final = ENTITY_WIDTH + CONTROLS_WIDTH

_NORMS: Final = np.ones(ENTITY_WIDTH, np.float32)
_NORMS[POSITION] = _NORMS[VELOCITY] = CAR_MAX_SPEED
_NORMS[SPIN] = CAR_MAX_ANGULAR_SPEED
_TURN: Final = np.tile(np.array((-1, -1, 1), np.float32), 5)

_BIG: Final = np.isin(np.abs(PAD_POSITIONS).sum(-1), (3072 + 4096, 3584))
_PADS: Final = np.zeros((NUM_PADS, ENTITY_WIDTH), np.float32)
_PADS[:, PAD] = 1
_PADS[:, 5:7] = PAD_POSITIONS
_PADS[:, 7] = np.where(_BIG, 73, 70)
_PADS[:, BOOST] = np.where(_BIG, 1, 0.12)


class Inputs(NamedTuple):
    """What the network takes, M rows."""

    query: Array
    """(M, 1, 32)."""
    entities: Array
    """(M, E, 24)."""
    mask: Array
    """(M, E), added to the attention's logits."""


def width_of(num_cars: int) -> int:
    """Of the flat row of a car: query, entities, mask."""
    return QUERY_WIDTH + (ENTITY_WIDTH + 1) * _num_entities(num_cars)


def inputs_of(flat: Array) -> Inputs:
    """The three inputs in M flat rows, (M, `width_of`), without copying."""
    num = (flat.shape[-1] - QUERY_WIDTH) // (ENTITY_WIDTH + 1)
    query, entities, mask = np.split(flat, (QUERY_WIDTH, flat.shape[-1] - num), -1)
    return Inputs(query[:, None], entities.reshape(-1, num, ENTITY_WIDTH), mask)


class NextoSenses:
    """Builds the three inputs of every car, flat, one after the other."""

    def build(self, state: GameState) -> Array:
        """(B, P, `width_of` P)."""
        num, cars = state.num_arenas, state.num_cars
        teams = np.array(state.teams)
        seen = (num, cars, _num_entities(cars), ENTITY_WIDTH)
        table = np.empty(seen, np.float32)
        table[:, :, :cars] = _cars_for_each(_car_rows(state), teams)
        table[:, :, cars] = _ball_row(state)[:, None]
        table[:, :, cars + 1 :] = _pad_rows(state)[:, None]
        table[:, teams == 1, :, VECTORS] *= _TURN
        table /= _NORMS
        query = np.concatenate([table[:, :, 0], state.controls], -1)
        _make_relative(table, query)
        mask = np.zeros(seen[:3], np.float32)
        return np.concatenate([query, table.reshape(num, cars, -1), mask], -1)


def _num_entities(num_cars: int) -> int:
    return num_cars + 1 + NUM_PADS


def _car_rows(state: GameState) -> Array:
    """(B, P, 24) of the cars, without whose they are."""
    rows = np.zeros((state.num_arenas, state.num_cars, ENTITY_WIDTH), np.float32)
    rows[..., POSITION], rows[..., VELOCITY] = state.position, state.velocity
    rows[..., NOSE], rows[..., ROOF] = state.forward, state.up
    rows[..., SPIN] = state.angular_velocity
    rows[..., BOOST] = state.boost / MAX_BOOST
    rows[..., GONE] = state.demo_timer > 0
    rows[..., ON_GROUND] = state.on_ground
    unused = (state.has_flipped == 0) & (state.has_double_jumped == 0)
    rows[..., HAS_FLIP] = unused & (state.air_time_since_jump < DOUBLE_JUMP_WINDOW_S)
    return rows


def _cars_for_each(rows: Array, teams: npt.NDArray[np.int64]) -> Array:
    """(B, P, P, 24): of each car itself, its mates, its opponents, each in the arena's order."""
    others, theirs = ~np.eye(len(teams), dtype=np.bool_), teams[:, None] != teams
    order = np.argsort(others + 1 * theirs, axis=-1, kind="stable")  # (P, P) of 0, 1 and 2
    cars = rows[:, order]
    cars[:, :, 0, SELF] = 1
    cars[..., OPPONENT] = teams[order] != teams[:, None]
    cars[..., MATE] = 1 - cars[..., OPPONENT]
    return cars


def _ball_row(state: GameState) -> Array:
    """(B, 24)."""
    row = np.zeros((state.num_arenas, ENTITY_WIDTH), np.float32)
    row[:, BALL] = 1
    row[:, POSITION], row[:, VELOCITY] = state.ball_position, state.ball_velocity
    row[:, SPIN] = state.ball_angular_velocity
    return row


def _pad_rows(state: GameState) -> Array:
    """(B, 34, 24)."""
    rows = np.tile(_PADS, (state.num_arenas, 1, 1))
    rows[..., GONE] = state.pad_timers == 0
    return rows


def _make_relative(table: Array, query: Array) -> None:
    """Count places from the own car, and turn so that its nose points along +y; in place."""
    table[..., POSITION] -= query[:, :, None, POSITION]
    # A nose (sin a, cos a) is turned to (0, 1) by x' = x cos a - y sin a, y' = x sin a + y cos a.
    angle = np.arctan2(query[..., NOSE.start], query[..., NOSE.start + 1])[..., None, None]
    sin, cos = np.sin(angle), np.cos(angle)
    xs, ys = (table[..., start : VECTORS.stop : 3] for start in (VECTORS.start, VECTORS.start + 1))
    xs[:], ys[:] = xs * cos - ys * sin, xs * sin + ys * cos
