import numpy as np
import numpy.typing as npt
import pytest
import RocketSim
from rlgym.rocket_league.action_parsers import LookupTableAction

from rlbot_agent.actions import ACTION_TABLE, NUM_ACTIONS, TABLE_HASH, action_masks
from rlbot_agent.state import GameState
from trainer.meshes import find_meshes
from trainer.resets import Starts
from trainer.sim import Simulator

THROTTLE, STEER, PITCH, YAW, ROLL, JUMP, BOOST, HANDBRAKE = range(8)
ROW = {tuple(row): index for index, row in enumerate(ACTION_TABLE.astype(int).tolist())}
FULL_JUMP = ROW[0, 0, 0, 0, 0, 1, 0, 0]
FRONT_FLIP = ROW[0, 0, -1, 0, 0, 1, 0, 1]
REST = ROW[0, 0, 0, 0, 0, 0, 0, 0]


def one_car(**values: float) -> GameState:
    """A car high in the air with boost and a flip left, except for `values`."""
    state = GameState(1, (0,))
    state.up[..., 2] = 1
    state.position[..., 2] = 800
    state.boost[:] = 50
    for name, value in values.items():
        getattr(state, name)[:] = value
    return state


def mask_of(state: GameState) -> npt.NDArray[np.bool_]:
    return action_masks(state)[0, 0]


def test_the_table_is_rlgyms_row_for_row() -> None:
    np.testing.assert_array_equal(ACTION_TABLE, LookupTableAction.make_lookup_table())
    assert NUM_ACTIONS == 90
    # A trained policy relies on it: whoever changes the table changes this line on purpose.
    assert TABLE_HASH == "12a14d4223fad869"


# The table has 24 driving rows, of which 6 boost; 48 aerial rows without a jump, of which half
# boost; 18 jumps (9 pairs of pitch and roll), of which half boost. The air borrows 6 driving rows
# (3 yaws, with boost and without).
@pytest.mark.parametrize(
    ("values", "count"),
    [
        ({"on_ground": 1}, 24 + 18),
        ({"on_ground": 1, "boost": 0}, 24 - 6 + 9),
        ({}, 48 + 6 + 18),
        ({"boost": 0}, 24 + 3 + 9),
        ({"has_flipped": 1}, 48 + 6),
        ({"has_double_jumped": 1}, 48 + 6),
        ({"has_jumped": 1, "air_time_since_jump": 1.26}, 48 + 6),
        ({"has_jumped": 1, "air_time_since_jump": 1.24}, 48 + 6 + 18),
        ({"has_flipped": 1, "boost": 0}, 24 + 3),
        ({"is_holding_jump": 1}, 48 + 6 + 18),
    ],
)
def test_as_many_actions_are_left_as_the_situation_has(
    values: dict[str, float], count: int
) -> None:
    assert mask_of(one_car(**values)).sum() == count


def test_every_way_to_turn_can_be_chosen_in_the_air_with_and_without_boost() -> None:
    left = ACTION_TABLE[mask_of(one_car(has_flipped=1))]
    turns = {tuple(row) for row in left[:, [PITCH, YAW, ROLL, BOOST]].astype(int).tolist()}
    assert len(turns) == 3 * 3 * 3 * 2


def test_row_24_is_offered_in_the_air() -> None:
    assert ACTION_TABLE[24].tolist() == [0, -1, -1, -1, -1, 0, 0, 0]
    assert mask_of(one_car())[24]


def test_an_empty_tank_leaves_nothing_that_boosts() -> None:
    for on_ground in (0, 1):
        left = ACTION_TABLE[mask_of(one_car(boost=0, on_ground=on_ground))]
        assert (left[:, BOOST] == 0).all()


def test_masks_are_worked_out_for_each_car_of_each_arena() -> None:
    state = GameState(2, (0, 1))
    state.on_ground[:] = ((0, 1), (1, 0))
    state.boost[:] = ((0, 0), (1, 1))
    state.position[..., 2] = 800
    assert action_masks(state).sum(axis=2).tolist() == [[36, 27], [42, 72]]


def test_a_demolished_car_can_still_choose() -> None:
    state = one_car(demo_timer=2, boost=0, has_flipped=1)
    assert mask_of(state).any()


def start(z: float, boost: float, roll: float = 0.0) -> Starts:
    """One blue car near the middle, the ball far away."""
    here, still = np.array([[[0, 0, z]]], np.float32), np.zeros((1, 1, 3), np.float32)
    rotation = np.array([[[0, 0, roll]]], np.float32)
    ball, unmoved = np.array([[0, 4000, 93.15]], np.float32), np.zeros((1, 3), np.float32)
    tank = np.array([[boost]], np.float32)
    return Starts(ball, unmoved, unmoved, here, still, still, rotation, tank)


def play(starts: Starts, actions: list[int], copies: int = 1) -> Simulator:
    """`copies` arenas after `actions`: fresh ones with the same history are equal bit for bit."""
    sim = Simulator(copies, (0,), 8, 0, find_meshes(""), np.random.default_rng(0))
    repeated = Starts(*(np.repeat(array, copies, axis=0) for array in vars(starts).values()))
    sim.reset(np.arange(copies), repeated)
    for action in actions:
        sim.step(np.full((copies, 1), action))
    return sim


def outcomes(sim: Simulator, rows: list[npt.NDArray[np.float32]]) -> npt.NDArray[np.float32]:
    """(K, 15) position, axes, velocity, spin of the cars of K arenas, 8 ticks into K controls."""
    after = []
    for arena, (car,), row in zip(sim.arenas, sim.cars, rows, strict=True):
        controls = RocketSim.CarControls()
        controls.throttle, controls.steer, controls.pitch, controls.yaw, controls.roll = row[:5]
        controls.jump, controls.boost, controls.handbrake = (bool(button) for button in row[5:])
        car.set_controls(controls)
        arena.step(8)
        state = car.get_state()
        axes = (state.rot_mat.forward, state.rot_mat.up)
        vectors = (state.pos, *axes, state.vel, state.ang_vel)
        after.append(np.concatenate([vector.as_numpy() for vector in vectors]))
    return np.array(after)


DRIVE, TURN = ROW[1, 0, 0, 0, 0, 0, 0, 0], ROW[1, 1, 0, 1, 0, 0, 0, 0]
CLIMB, FLY = ROW[1, 0, 1, 0, 0, 0, 1, 0], ROW[1, 0, 0, 0, 0, 0, 1, 0]
JUMP_OFF = [FULL_JUMP, FULL_JUMP, REST]
HISTORIES: dict[str, tuple[Starts, list[int]]] = {
    "driving": (start(17, 50), [DRIVE] * 5),
    "driving on an empty tank": (start(17, 0), [TURN] * 5),
    "jumping on an empty tank": (start(17, 0), JUMP_OFF),
    "after a flip": (start(17, 50), [*JUMP_OFF, FRONT_FLIP, *[REST] * 6]),
    "after a double jump on an empty tank": (start(17, 0), [*JUMP_OFF, FULL_JUMP, REST]),
    "too long after a jump": (start(17, 100), [*JUMP_OFF, *[CLIMB] * 4, *[FLY] * 15]),
}


def without_what_is_masked(index: int, now: GameState) -> npt.NDArray[np.float32]:
    """The controls of row `index`, less what should not matter in the state `now` of one car."""
    row = ACTION_TABLE[index].copy()
    if not now.on_ground[0, 0] and index < 24:
        row[[THROTTLE, HANDBRAKE]] = (row[BOOST], 0)
    if now.boost[0, 0] == 0:
        row[BOOST] = 0
    if now.on_ground[0, 0] and not row[JUMP]:
        row[[PITCH, ROLL]] = 0
    flips = now.has_flipped[0, 0] or now.has_double_jumped[0, 0]
    if flips or now.air_time_since_jump[0, 0] >= 1.25:
        row[JUMP] = 0
    return row


@pytest.mark.parametrize("name", HISTORIES)
def test_what_is_masked_does_nothing(name: str) -> None:
    starts, history = HISTORIES[name]
    now = play(starts, history).state
    masked = np.flatnonzero(~mask_of(now)).tolist()
    rows = [ACTION_TABLE[index] for index in masked]
    less = [without_what_is_masked(index, now) for index in masked]
    assert all((a != b).any() for a, b in zip(rows, less, strict=True))
    after = outcomes(play(starts, history, copies=2 * len(masked)), rows + less)
    difference = np.abs(after[: len(masked)] - after[len(masked) :]).max(axis=1)
    # Throttle in the air: 67 uu/s2 for 8/120 s is 4.5 uu/s.
    only_throttle = (now.on_ground[0, 0] == 0) & (np.array(masked) < 24)
    assert (difference <= np.where(only_throttle, 4.6, 0)).all()


def test_every_jump_that_is_offered_in_the_air_changes_the_path() -> None:
    starts, history = start(17, 50), JUMP_OFF
    now = play(starts, history).state
    assert now.on_ground[0, 0] == 0
    jumps = ACTION_TABLE[mask_of(now) & (ACTION_TABLE[:, JUMP] > 0)]
    rest = jumps.copy()
    rest[:, JUMP] = 0
    after = outcomes(play(starts, history, copies=36), [*jumps, *rest])
    change = np.abs(after[:18] - after[18:])[:, 9:12].max(axis=1)
    assert (change > 200).all()  # uu/s; a double jump adds 292, a flip 500


def test_a_car_on_its_roof_may_jump_back_on_its_wheels_though_its_flip_is_used() -> None:
    sim = play(start(40, 50, roll=np.pi), [REST] * 10, copies=2)
    for (car,) in sim.cars:
        flipped = car.get_state()
        flipped.has_flipped, flipped.flip_time = True, 2
        car.set_state(flipped)
    sim.step(np.full((2, 1), REST))
    assert sim.state.on_ground[0, 0] == 0
    assert sim.state.has_flipped[0, 0] == 1
    assert mask_of(sim.state)[FULL_JUMP]
    jumped, rested = outcomes(sim, [ACTION_TABLE[FULL_JUMP], ACTION_TABLE[REST]])
    assert np.abs(jumped - rested)[12:].max() > 2  # rad/s
