import numpy as np
import pytest
from rlgym.rocket_league import common_values

from rlbot_agent import field


@pytest.mark.parametrize(
    ("ours", "rlgym"),
    [
        (field.TICKS_PER_SECOND, common_values.TICKS_PER_SECOND),
        (field.BLUE, common_values.BLUE_TEAM),
        (field.ORANGE, common_values.ORANGE_TEAM),
        (field.SIDE_WALL_X, common_values.SIDE_WALL_X),
        (field.BACK_WALL_Y, common_values.BACK_WALL_Y),
        (field.CEILING_Z, common_values.CEILING_Z),
        (field.GOAL_HEIGHT, common_values.GOAL_HEIGHT),
        (field.GOAL_HALF_WIDTH, common_values.GOAL_CENTER_TO_POST),
        (field.GOAL_LINE_Y, common_values.GOAL_THRESHOLD),
        (field.BALL_RADIUS, common_values.BALL_RADIUS),
        (field.BALL_RESTING_Z, common_values.BALL_RESTING_HEIGHT),
        (field.BALL_MAX_SPEED, common_values.BALL_MAX_SPEED),
        (field.CAR_MAX_SPEED, common_values.CAR_MAX_SPEED),
        (field.CAR_MAX_ANGULAR_SPEED, common_values.CAR_MAX_ANG_VEL),
        (field.DEMO_RESPAWN_S, common_values.DEMO_RESPAWN_SECONDS),
        (field.SMALL_PAD_RECHARGE_S, common_values.SMALL_PAD_RECHARGE_SECONDS),
        (field.BIG_PAD_RECHARGE_S, common_values.BIG_PAD_RECHARGE_SECONDS),
        (field.DOUBLE_JUMP_WINDOW_S, common_values.DOUBLEJUMP_MAX_DELAY),
        (field.FLIP_TORQUE_S, common_values.FLIP_TORQUE_TIME),
    ],
)
def test_the_numbers_are_the_ones_rlgym_publishes(ours: float, rlgym: float) -> None:
    assert ours == rlgym


def test_the_pads_stand_where_rlgym_has_them_in_its_order() -> None:
    # RLGym's table has one pad 2 uu away from where the simulator (and the game) has it.
    expected = np.array(common_values.BOOST_LOCATIONS)[:, :2]
    assert field.PAD_POSITIONS.shape == (field.NUM_PADS, 2)
    np.testing.assert_allclose(field.PAD_POSITIONS, expected, atol=2)


def test_reversing_the_pads_turns_the_field_by_180_degrees() -> None:
    np.testing.assert_array_equal(field.PAD_POSITIONS[::-1], -field.PAD_POSITIONS)
