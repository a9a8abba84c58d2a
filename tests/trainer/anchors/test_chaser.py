import hashlib

import numpy as np
import pytest

from rlbot_agent.actions import ACTION_TABLE, NUM_ACTIONS, action_masks
from rlbot_agent.state import GameState
from tests.trainer.anchors.test_nexto_senses import random_state
from tests.trainer.evaluation.players import RANDOM, all_allowed
from trainer.anchors.chaser import BEHAVIOUR, ChaserChooser, ChaserSenses, chaser_contestant
from trainer.evaluation.contestants import load_contestant
from trainer.evaluation.standings import habits_of, record_of
from trainer.evaluation.versus import Terms, play_all

FULL_THROTTLE_AND_BOOST = [1, 0, 0, 0, 0, 0, 1, 0]


def chosen(state: GameState, masks: np.ndarray | None = None) -> np.ndarray:
    """(B, P, 8) controls."""
    flat = ChaserSenses().build(state).reshape(state.num_arenas * state.num_cars, -1)
    allowed = all_allowed(len(flat)) if masks is None else masks.reshape(len(flat), -1)
    rows = ChaserChooser().choose(flat, allowed, np.zeros(len(flat)))
    return ACTION_TABLE[rows].astype(int).reshape(state.num_arenas, state.num_cars, -1)


def standing(place: tuple[float, float], nose: tuple[float, float]) -> GameState:
    """One blue car on the floor, the ball at rest in the middle, and an orange car elsewhere."""
    state = GameState(1, (0, 1))
    state.ball_position[0] = (0, 0, 93)
    state.position[0] = [(*place, 17), (3000, 3000, 17)]
    state.forward[0] = [(*nose, 0), (0, -1, 0)]
    state.up[..., 2] = state.on_ground[:] = 1
    state.boost[:] = 50
    return state


def test_with_the_ball_and_the_goal_ahead_it_boosts_straight_on() -> None:
    assert chosen(standing((0, -2000), (0, 1)))[0, 0].tolist() == FULL_THROTTLE_AND_BOOST


def test_it_steers_to_the_side_where_the_ball_is() -> None:
    # In the game's frame the right of +y is -x.
    for x, steer in ((2000, 1), (-2000, -1)):
        state = standing((x, -2000), (0, 1))
        throttle, pressed, *_ = chosen(state)[0, 0]
        assert (throttle, pressed) == (1, steer)


def test_a_fast_car_turns_round_by_the_handbrake_and_a_slow_one_backwards() -> None:
    state = standing((0, 2000), (0, 1))
    assert chosen(state)[0, 0][0] == -1
    state.velocity[0, 0] = (0, 1500, 0)
    fast = chosen(state)[0, 0]
    assert fast[7] == 1
    assert abs(fast[1]) == 1
    assert fast[6] == 0


def test_from_the_wrong_side_it_drives_round_the_ball_on_the_side_where_it_is() -> None:
    # Ahead of the ball and facing its own goal, right is +x; the ball lies at most 4 degrees off.
    for x, steer in ((100, 1), (-100, -1)):
        state = standing((x, 1500), (0, -1))
        state.velocity[0, 0] = (0, -1000, 0)
        assert chosen(state)[0, 0][1] == steer


def test_it_jumps_at_a_ball_that_hangs_ahead_once_and_not_while_jump_is_held() -> None:
    state = standing((0, -200), (0, 1))
    state.velocity[0, 0] = (0, 1000, 0)
    state.ball_position[0] = (0, 0, 300)
    assert chosen(state)[0, 0][5] == 1
    state.is_holding_jump[0, 0] = 1
    assert chosen(state)[0, 0][5] == 0


def test_without_boost_or_jump_it_does_the_rest_of_what_it_would_do() -> None:
    state = standing((0, -2000), (0, 1))
    masks = np.ones((1, 2, NUM_ACTIONS), np.bool_)
    masks[..., ACTION_TABLE[:, 6] > 0] = False
    assert chosen(state, masks)[0, 0].tolist() == [1, 0, 0, 0, 0, 0, 0, 0]


def test_in_any_state_it_does_what_is_possible_whether_demolished_or_not() -> None:
    for mode in ("1v1", "2v3", "4v4"):
        state = random_state(mode, 500, 0)
        masks = action_masks(state)
        flat = ChaserSenses().build(state).reshape(-1, 24)
        allowed = masks.reshape(len(flat), -1)
        rows = ChaserChooser().choose(flat, allowed, np.zeros(len(flat)))
        assert allowed[np.arange(len(rows)), rows].all()
        assert len(set(rows.tolist())) > 20
        assert (ChaserChooser().choose(flat[5:6], allowed[5:6], np.zeros(1)) == rows[5]).all()
    nothing = GameState(1, (0, 1))
    assert np.isfinite(chosen(nothing)).all()


@pytest.mark.parametrize("seed", range(3))
def test_as_orange_it_does_on_the_turned_field_exactly_what_it_does_as_blue(seed: int) -> None:
    state = random_state("2v2", 500, seed)
    state.position[:100, :, 0] = state.ball_position[:100, 0] = state.forward[:100, :, 0] = 0
    turned = GameState(500, (0, 0, 1, 1))
    turned.raw[:] = state.raw
    turned.cars[:] = state.cars[:, [2, 3, 0, 1]]
    vectors = (
        *(turned.ball_position, turned.ball_velocity, turned.position, turned.velocity),
        *(turned.forward, turned.up, turned.angular_velocity),
    )
    for vector in vectors:
        vector *= np.array((-1, -1, 1), np.float32)
    assert np.array_equal(chosen(turned)[:, [2, 3, 0, 1]], chosen(state))


def test_a_car_on_its_roof_jumps_and_one_in_the_air_turns_its_wheels_down() -> None:
    state = standing((0, -2000), (0, 1))
    state.on_ground[0, 0], state.up[0, 0] = 0, (0, 0, -1)
    state.position[0, 0, 2] = 40
    assert chosen(state)[0, 0][5] == 1
    # High up and heading for +y, its right side is above when its roof shows to +x.
    state.position[0, 0, 2] = 1000
    for roof_x, roll in ((1, 1), (-1, -1)):
        state.up[0, 0] = (roof_x, 0, 0)
        assert chosen(state)[0, 0][4] == roll


def test_it_clearly_beats_chance_and_touches_the_ball_all_the_time() -> None:
    found = load_contestant("chaser", "chaser", sampled=False)
    assert (found.contract, found.sha256) == (chaser_contestant().contract, "")
    played = play_all([found, RANDOM], "1v1", Terms(games=8, seconds=60))
    record = record_of(played, 0, 1)
    assert record.wins >= 7
    assert record.scored >= 4 * max(record.conceded, 1)
    chaser, random = (habits_of(played, who, 8).values for who in (0, 1))
    assert chaser["touches"] > 10
    assert chaser["speed"] > 1.5 * random["speed"]


def test_who_changes_what_it_does_raises_its_number() -> None:
    states = [random_state("2v2", 1024, seed) for seed in range(4)]
    for state in states[:3]:  # on the floor, where it drives
        state.position[..., 2], state.forward[..., 2], state.on_ground[:] = 17, 0, 1
    for state in states[:2]:  # and behind a ball at rest, where it shoots
        state.ball_position[:, 2], state.ball_velocity[:] = 93, 0
        state.position[..., :2] = 0.1 * state.position[..., :2] + state.ball_position[:, None, :2]
    table = np.concatenate([chosen(state) for state in states]).astype(np.int8)
    found = hashlib.sha256(table.tobytes()).hexdigest()[:16]
    assert (BEHAVIOUR, found) == (1, "bbb27c9da4967400")
