import pytest

from tui.curve import Curve, smoothed


def curve(*iterations: int, width: int = 1, value: float = 0.0) -> Curve:
    """Buckets of `width` iterations that begin at these, 10 steps an iteration."""
    n = len(iterations)
    steps = [10.0 * (first + (width - 1) / 2) for first in iterations]
    last = [first + width - 1 for first in iterations]
    values = [value] * n
    return Curve(steps, steps, list(iterations), last, [width] * n, values, values, values)


def test_detail_takes_the_place_of_the_buckets_that_it_covers() -> None:
    whole, detail = curve(1, 5, 9, 13, width=4), curve(*range(5, 13), value=1.0)
    together = whole.with_detail(detail)
    assert together.first == [1, 5, 6, 7, 8, 9, 10, 11, 12, 13]
    assert together.means == [0.0, *[1.0] * 8, 0.0]
    assert together.counts == [4, *[1] * 8, 4]


def test_no_detail_changes_nothing() -> None:
    whole = curve(1, 5, width=4)
    assert whole.with_detail(curve()) is whole


def test_smoothing_begins_at_the_first_value_and_moves_towards_the_next() -> None:
    # Over 2 iterations each step keeps a half. Weights of 1 and 3: (1/4 · 1 + 1/2 · 3) / (3/4).
    assert smoothed([1.0, 3.0], [1, 1], 2) == pytest.approx([1.0, 1.75 / 0.75])
    assert smoothed([5.0] * 9, [1] * 9, 30) == pytest.approx([5.0] * 9)


def test_a_merged_value_weighs_as_much_as_the_values_it_is_made_of() -> None:
    single = smoothed([1.0, 1.0, 1.0, 1.0, 7.0, 7.0, 7.0, 7.0], [1] * 8, 10)
    assert smoothed([1.0, 7.0], [4, 4], 10) == pytest.approx([single[3], single[7]])
