import numpy as np
import pytest

from rlbot_agent.actions import ACTION_TABLE
from rlbot_agent.modes import teams_of
from rlbot_agent.state import GameState
from tests.trainer.anchors.nexto_oracle import slow_inputs
from trainer.anchors.nexto_senses import NextoSenses, inputs_of, width_of


def random_state(mode: str, arenas: int, seed: int) -> GameState:
    rng = np.random.default_rng(seed)
    state = GameState(arenas, teams_of(mode))
    cars = state.position.shape
    state.ball_position[:] = rng.uniform(-4000, 4000, (arenas, 3))
    state.ball_velocity[:] = rng.normal(0, 2000, (arenas, 3))
    state.ball_angular_velocity[:] = rng.normal(0, 3, (arenas, 3))
    state.pad_timers[:] = rng.uniform(-5, 5, (arenas, 34)).clip(0)
    state.position[:] = rng.uniform(-4000, 4000, cars)
    state.velocity[:] = rng.normal(0, 1000, cars)
    state.angular_velocity[:] = rng.normal(0, 3, cars)
    for axis in (state.forward, state.up):
        drawn = rng.normal(size=cars)
        axis[:] = drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)
    state.boost[:] = rng.uniform(0, 100, cars[:2])
    state.demo_timer[:] = rng.uniform(-3, 3, cars[:2]).clip(0)
    state.air_time_since_jump[:] = rng.uniform(-1, 2, cars[:2]).clip(0)
    for flag in (state.on_ground, state.has_flipped, state.has_double_jumped):
        flag[:] = rng.random(cars[:2]) < 0.3
    state.controls[:] = ACTION_TABLE[rng.integers(len(ACTION_TABLE), size=cars[:2])]
    return state


@pytest.mark.parametrize("mode", ["1v1", "1v2", "2v2", "3v1", "3v3"])
def test_every_car_sees_what_the_slow_way_says(mode: str) -> None:
    state = random_state(mode, 20, 1)
    built = NextoSenses().build(state)
    assert built.shape == (20, state.num_cars, width_of(state.num_cars))
    assert built.dtype == np.float32
    for arena in range(20):
        query, entities, mask = inputs_of(built[arena])
        for car in range(state.num_cars):
            slow_query, slow_entities, slow_mask = slow_inputs(state, arena, car)
            np.testing.assert_allclose(query[car, 0], slow_query, atol=2e-6)
            np.testing.assert_allclose(entities[car], slow_entities, atol=4e-6)
            assert mask[car].tolist() == slow_mask


def test_a_state_worked_out_by_hand() -> None:
    state = GameState(1, (0, 1))
    state.forward[0], state.up[0] = [(1, 0, 0), (0, -1, 0)], (0, 0, 1)
    state.position[0] = [(0, 0, 23), (0, 2300, 23)]
    state.velocity[0, 0] = (1150, 0, 0)
    state.angular_velocity[0, 0] = (0, 0, 5.5)
    state.ball_position[0] = (2300, 0, 46)
    state.ball_velocity[0] = (0, 0, -230)
    state.boost[0] = [33, 100]
    state.on_ground[0] = [1, 0]
    state.has_flipped[0] = [0, 1]
    state.demo_timer[0] = [0, 2]
    state.pad_timers[0, 0] = 3
    state.controls[0, 0] = (1, -1, 0, -1, 0, 0, 1, 0)

    query, entities, mask = inputs_of(NextoSenses().build(state)[0])
    # On the field: at z 23/2300, 1150/2300 along +x, nose along +x, spin 5.5/5.5, a third of boost.
    own = [1, 1, 0, 0, 0, 0, 0, 0.01, 0.5, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0.33, 0, 1, 1]
    np.testing.assert_allclose(query[0, 0], [*own, 1, -1, 0, -1, 0, 0, 1, 0], atol=1e-6)
    # Relative: a quarter turn to the left takes +x, the nose, to +y, and +y to -x.
    mine = [1, 1, 0, 0, 0, 0, 0, 0, 0, 0.5, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0.33, 0, 1, 1]
    theirs = [0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0]
    ball = [0, 0, 0, 1, 0, 0, 1, 0.01, 0, 0, -0.1, *[0] * 13]
    np.testing.assert_allclose(entities[0, :3], [mine, theirs, ball], atol=1e-6)
    # Of the pads the first, (0, -4240, 70), is gone; the fourth, (-3072, -4096, 73), is big.
    gone = [0, 0, 0, 0, 1, 4240 / 2300, 0, 47 / 2300, *[0] * 12, 0.12, 0, 0, 0]
    there = [0, 0, 0, 0, 1, 4096 / 2300, -3072 / 2300, 50 / 2300, *[0] * 12, 1, 1, 0, 0]
    np.testing.assert_allclose(entities[0, [3, 6]], [gone, there], atol=1e-6)
    # Orange faces its opponents' goal, so nothing turns but the field: it is at (0, -1), nose +y.
    np.testing.assert_allclose(query[1, 0, 5:14], [0, -1, 0.01, 0, 0, 0, 0, 1, 0], atol=1e-6)
    np.testing.assert_allclose(entities[1, 2, 5:8], [-1, 1, 0.01], atol=1e-6)
    assert entities[1, 0, :3].tolist() == [1, 1, 0]
    assert entities[1, 1, :3].tolist() == [0, 0, 1]
    assert not mask.any()


def test_orange_sees_the_turned_field_as_blue_sees_the_field() -> None:
    state = random_state("1v1", 5, 3)
    turned = GameState(5, (0, 1))
    turned.raw[:] = state.raw
    turned.cars[:] = state.cars[:, ::-1]
    turned.controls[:] = state.controls[:, ::-1]
    turned.pad_timers[:] = state.pad_timers[:, ::-1]
    for vector in (turned.ball_position, turned.ball_velocity, turned.ball_angular_velocity):
        vector *= np.array((-1, -1, 1), np.float32)
    for vector in (turned.position, turned.velocity, turned.forward, turned.up):
        vector *= np.array((-1, -1, 1), np.float32)
    turned.angular_velocity[:] *= np.array((-1, -1, 1), np.float32)
    blue = inputs_of(NextoSenses().build(state)[:, 0])
    orange = inputs_of(NextoSenses().build(turned)[:, 1])
    np.testing.assert_allclose(orange.query, blue.query, atol=1e-6)
    np.testing.assert_allclose(orange.entities[:, :3], blue.entities[:, :3], atol=1e-6)
    # The same pads from the other end of the list.
    np.testing.assert_allclose(orange.entities[:, :2:-1], blue.entities[:, 3:], atol=1e-6)
