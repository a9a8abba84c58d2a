import math

import pytest

from trainer.evaluation.intervals import normal_mean, wilson


def test_wilson_of_eight_points_in_ten_games() -> None:
    # z² = 3.841459; centre (0.8 + 0.192073) / 1.384146 = 0.716740
    # half: 1.959964 / 1.384146 · sqrt(0.016 + 0.009604) = 1.416010 · 0.160011 = 0.226577
    found = wilson(8, 10)
    assert found == pytest.approx((0.490162, 0.8, 0.943317), abs=2e-6)


def test_all_points_leave_a_doubt_that_shrinks_with_the_games() -> None:
    # p = 1: low = 1 / (1 + z²/n)
    assert wilson(4, 4) == pytest.approx((1 / 1.960365, 1, 1), abs=1e-6)
    assert wilson(0, 4) == pytest.approx((0, 0, 1 - 1 / 1.960365), abs=1e-6)
    assert wilson(1000, 1000).low > 0.996


def test_bounds_hold_the_mean_and_possible_points_to_the_last_bit() -> None:
    # 1 is 0.9999999999999999 by the formula for 4 of 4, and 1.0000000000000002 for others.
    for games in range(1, 400):
        for points in (0, games / 2, games):
            low, mean, high = wilson(points, games)
            assert 0 <= low <= mean <= high <= 1


def test_draws_count_as_half_a_win() -> None:
    assert wilson(5 + 4 / 2, 14) == wilson(7, 14)


def test_without_games_nothing_is_known() -> None:
    low, mean, high = wilson(0, 0)
    assert (low, high) == (0, 1)
    assert math.isnan(mean)


def test_the_mean_of_differences_has_bounds_by_their_spread() -> None:
    # mean 1, s = sqrt((4 + 0 + 4 + 0 + 0) / 4) = sqrt(2); 1.959964 · sqrt(2 / 5) = 1.239590
    assert normal_mean([-1, 1, 3, 1, 1]) == pytest.approx((-0.239590, 1, 2.239590), abs=1e-5)


def test_one_value_has_no_bounds() -> None:
    assert normal_mean([2.5]) == (-math.inf, 2.5, math.inf)
    assert math.isnan(normal_mean([]).mean)
