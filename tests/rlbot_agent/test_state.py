import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

from rlbot_agent.state import CAR_FIELDS, CAR_WIDTH, GameState


def test_every_field_is_a_view_into_one_array_and_no_two_overlap() -> None:
    state = GameState(2, (0, 1, 0))
    names = ["ball_position", "ball_velocity", "ball_angular_velocity", "pad_timers"]
    names += ["controls", *CAR_FIELDS]
    for number, name in enumerate(names, start=1):
        view = getattr(state, name)
        assert np.shares_memory(view, state.raw), name
        assert not view.any(), f"{name} shows what another field holds"
        view[:] = number
    # Every column but the last belongs to exactly one field.
    assert (state.raw[:, :-1] > 0).all()


def test_the_last_column_stays_zero_for_padding() -> None:
    state = GameState(2, (0, 1))
    assert state.raw.shape == (2, 9 + 34 + 2 * (CAR_WIDTH + 8) + 1)
    state.cars[:] = state.controls[:] = 1
    assert (state.raw[:, -1] == 0).all()


def test_cars_are_told_apart_by_their_index() -> None:
    state = GameState(1, (0, 1, 0, 1))
    assert state.num_cars == 4
    state.boost[0, 2] = 50
    assert state.boost[0].tolist() == [0, 0, 50, 0]
    assert state.cars[0, 2, CAR_FIELDS["boost"]].tolist() == [50]


def through_another_process(state: GameState) -> GameState:
    copied: GameState = pickle.loads(pickle.dumps(state))
    return copied


@pytest.mark.parametrize("duplicate", [copy.deepcopy, through_another_process])
def test_a_copy_has_views_into_its_own_array(duplicate: Callable[[GameState], GameState]) -> None:
    state = GameState(1, (0, 1))
    state.boost[0, 1] = 50
    other = duplicate(state)
    other.ball_position[:] = 1
    assert (other.teams, other.boost[0].tolist()) == ((0, 1), [0, 50])
    assert other.raw[0, :3].tolist() == [1, 1, 1]
    assert not state.ball_position.any()
