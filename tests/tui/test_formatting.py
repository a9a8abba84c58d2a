import math

import pytest

from tui.formatting import NOTHING, age, compact, duration, shorten


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0, "0"),
        (48.0, "48"),
        (999.0, "999"),
        (999.96, "1.00k"),  # rounds up into the next suffix, never "1000"
        (1_240_000, "1.24M"),
        (12_400_000, "12.4M"),
        (1_000_000_000, "1.00B"),
        (3.5e12, "3.50T"),
        (0.0312, "0.0312"),
        (0.412, "0.412"),
        (-0.00227, "-0.00227"),
        (9.996, "10.0"),
        (1.2e-5, "1.20e-5"),
        (1e30, "1.00e30"),
        (-1e30, "-1.00e30"),
        (math.inf, "∞"),
        (-math.inf, "-∞"),
        (math.nan, NOTHING),
    ],
)
def test_a_number_is_three_digits_and_a_suffix(value: float, words: str) -> None:
    assert compact(value) == words


def test_no_number_is_wider_than_its_column() -> None:
    powers = [sign * 10.0**power * 9.876 for power in range(-40, 41) for sign in (1, -1)]
    assert max(len(compact(value)) for value in powers) <= 9


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5.0, "0s"),
        (0.9, "0s"),
        (59.0, "59s"),
        (184.0, "3m04s"),
        (3 * 3600 + 4 * 60 + 59, "3h04m"),
        (2 * 86400 + 5 * 3600, "2d05h"),
        (math.nan, NOTHING),
        (math.inf, NOTHING),
    ],
)
def test_a_span_is_told_by_its_two_largest_units(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5.0, "<1m"),
        (59.9, "<1m"),
        (60.0, "1m"),
        (59 * 60 + 59, "59m"),
        (3600, "1h"),
        (86_399, "23h"),
        (86_400, "1d"),
        (400 * 86_400, "400d"),
        (math.nan, NOTHING),
    ],
)
def test_an_age_is_told_by_one_unit(seconds: float, words: str) -> None:
    assert age(seconds) == words


def test_a_long_name_is_cut_with_an_ellipsis() -> None:
    assert shorten("laptop", 6) == "laptop"
    assert shorten("laptops", 6) == "lapto…"
    assert shorten("laptops", 0) == "…"
