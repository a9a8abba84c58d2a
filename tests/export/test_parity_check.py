import math

import numpy as np
import pytest

from export.parity import (
    FEW,
    Agreements,
    ParityError,
    Simulated,
    compare,
    late_actions,
    require_parity,
    simulated_at,
)
from rlbot_agent.actions import ACTION_TABLE
from rlbot_agent.obs import DefaultObs, Term
from rlbot_agent.record import Records, record_type
from rlbot_agent.state import GameState

TERMS = (
    Term("ball_position", 2, "ball_position"),  # exact
    Term("own.on_ground", 1, "on_ground"),  # reconstructed: 1 % may differ, by 1
    Term("own.handbrake", 1, "handbrake"),  # exact while no frame is skipped
)


def seen(*rows: tuple[float, ...], skipped: int = 0) -> Records:
    made = [(100 + 8 * index, 1, 0, skipped, row) for index, row in enumerate(rows)]
    return np.array(made, record_type(4))


def check(
    simulated: list[tuple[float, ...]],
    records: Records,
    terms: tuple[Term, ...] = TERMS,
    steep: bool = False,
) -> None:
    agreements: Agreements = {}
    shown = Simulated(np.array(simulated, np.float32), np.full(len(records), steep))
    compare(agreements, terms, shown, records)
    require_parity(agreements)


def test_equal_observations_and_rounding_pass() -> None:
    check([(1, 2, 0, 0)], seen((1, 2, 0, 0)))
    check([(1, 2, 0, 0)], seen((1.000005, 2, 0, 0)))


@pytest.mark.parametrize("value", [2.1, math.nan])
def test_an_exact_term_that_differs_is_named_with_frame_and_values(value: float) -> None:
    words = (
        rf"ball_position\[1\] of car 1 in frame 108 is {value} to the bot and 2 in the simulator"
    )
    with pytest.raises(ParityError, match=words):
        check([(1, 2, 0, 0)] * 2, seen((1, 2, 0, 0), (1, value, 0, 0)))


def test_a_reconstructed_term_may_differ_in_its_share_of_decisions() -> None:
    rows = 2000  # 1 % is 20
    right, wrong = (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0)
    check([right] * rows, seen(*[wrong] * 20, *[right] * (rows - 20)))
    with pytest.raises(ParityError, match=r"on_ground differs in 1.1% of decisions, 1.0% are"):
        check([right] * rows, seen(*[wrong] * 21, *[right] * (rows - 21)))


NOSE = (Term("own.up", 3, "up"), Term("own.handbrake", 1, "handbrake"))


def test_angles_may_be_off_for_as_long_as_a_car_points_straight_up_and_by_a_little_only() -> None:
    right, off, far = (0.0, 0.0, 1.0, 0.0), (5e-4, 0.0, 1.0, 0.0), (2e-3, 0.0, 1.0, 0.0)
    check([right] * 100, seen(*[off] * 100), NOSE, steep=True)
    with pytest.raises(ParityError, match=r"up differs in 100.0% of decisions, 0.1% are"):
        check([right] * 100, seen(*[off] * 100), NOSE)
    with pytest.raises(ParityError, match=r"more than 0\.001 apart"):
        check([right] * 100, seen(*[far] * 100), NOSE, steep=True)


def test_few_differences_say_nothing_about_a_share() -> None:
    check([(0, 0, 0, 0)] * FEW, seen(*[(0.0, 0.0, 1.0, 0.0)] * FEW))
    with pytest.raises(ParityError, match="on_ground differs"):
        check([(0, 0, 0, 0)] * (FEW + 1), seen(*[(0.0, 0.0, 1.0, 0.0)] * (FEW + 1)))


def test_a_reconstructed_term_may_not_differ_by_more_than_its_error() -> None:
    with pytest.raises(ParityError, match=r"own.on_ground\[0\] .* more than 1 apart"):
        check([(0, 0, 0, 0)], seen((0, 0, 1.5, 0)))


def test_what_is_remembered_is_not_compared_after_skipped_frames() -> None:
    with pytest.raises(ParityError, match=r"own\.handbrake"):
        check([(0, 0, 0, 0)], seen((0, 0, 0, 0.5)))
    check([(0, 0, 0, 0)], seen((0, 0, 0, 0.5), skipped=1))
    with pytest.raises(ParityError, match="ball_position"):
        check([(0, 0, 0, 0)], seen((0.5, 0, 0, 0), skipped=1))


def test_the_simulators_observation_is_that_of_the_records_frame_and_car() -> None:
    obs = DefaultObs((0, 1))
    played = {}
    for frame in (100, 108):
        state = GameState(1, (0, 1))
        state.ball_position[:] = (0, 23 * frame, 0)
        played[frame] = state.raw[0]
    records = np.array(
        [(108, 0, 0, 0, np.zeros(92)), (100, 1, 0, 0, np.zeros(92))], record_type(92)
    )
    shown = simulated_at(played, records, (0, 1), obs)
    # y / 2300, from orange's side with the other sign.
    np.testing.assert_allclose(shown.obs[:, 1], [1.08, -1.0], rtol=1e-6)
    with pytest.raises(ParityError, match="decided in frame 108, in which nobody plays"):
        simulated_at({100: played[100]}, records, (0, 1), obs)


def test_terms_can_be_kept_apart_by_their_names() -> None:
    agreements: Agreements = {}
    records = seen((1, 2, 1, 0))
    simulated = Simulated(np.array([(1, 2, 0, 0)], np.float32), np.zeros(1, np.bool_))
    compare(agreements, TERMS, simulated, records, key=lambda term: term.name)
    assert {name: found.wrong for name, found in agreements.items()} == {
        "ball_position": 0,
        "own.on_ground": 1,
        "own.handbrake": 0,
    }


def test_an_action_is_late_when_others_act_in_its_first_tick() -> None:
    records = np.array([(100, 1, 18, 0, (0,) * 4)] * 1, record_type(4))
    controls = np.zeros((2, 8), np.float32)
    controls[1] = ACTION_TABLE[18]
    assert late_actions({101: controls}, records, action_delay=1) == 0
    assert late_actions({101: controls[::-1]}, records, action_delay=1) == 1
    # A goal came first.
    assert late_actions({100: controls[::-1]}, records, action_delay=1) == 0
