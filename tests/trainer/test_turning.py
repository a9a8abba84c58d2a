"""Cars turn along the one rotation between two attitudes, held against the axes of the bot."""

import math

import numpy as np
import pytest

from rlbot_agent.rotation import Axes, axes_from_angles
from trainer.turning import Angles, turn


def axes(angles: Angles) -> Axes:
    return axes_from_angles(np.array(angles))


def angle_between(a: Angles, b: Angles) -> float:
    """rad: of the rotation from one to the other, by the trace of its matrix."""
    trace = sum(float(np.dot(p, q)) for p, q in zip(axes(a), axes(b), strict=True))
    return math.acos(min(max((trace - 1) / 2, -1.0), 1.0))


ATTITUDES = [
    Angles(*row) for row in np.random.default_rng(3).uniform(-1, 1, (40, 3)) * (1.5, 3.1, 3.1)
]
PAIRS = list(zip(ATTITUDES[::2], ATTITUDES[1::2], strict=True))


@pytest.mark.parametrize(("earlier", "later"), PAIRS)
def test_the_ends_are_the_ends(earlier: Angles, later: Angles) -> None:
    assert turn(earlier, later, 0.0) == pytest.approx(earlier, abs=1e-9)
    assert turn(earlier, later, 1.0) == pytest.approx(later, abs=1e-9)


@pytest.mark.parametrize(("earlier", "later"), PAIRS)
def test_a_third_of_the_way_is_a_third_of_the_angle_and_on_the_way(
    earlier: Angles, later: Angles
) -> None:
    middle, whole = turn(earlier, later, 1 / 3), angle_between(earlier, later)
    assert angle_between(earlier, middle) == pytest.approx(whole / 3, abs=2e-3)
    assert angle_between(middle, later) == pytest.approx(whole * 2 / 3, abs=2e-3)


def test_a_nose_that_passes_the_vertical_neither_swings_round_nor_rolls() -> None:
    # From 80 degrees to 100: as angles, pitch 80 with yaw and roll turned by 180.
    earlier = Angles(math.radians(80), 0.0, 0.0)
    later = Angles(math.radians(80), math.pi, math.pi)
    nose = axes(turn(earlier, later, 0.5)).forward
    assert nose == pytest.approx((0.0, 0.0, 1.0), abs=1e-6)
    # A quarter of the way: 85 degrees, still on the near side.
    quarter = turn(earlier, later, 0.25)
    assert quarter == pytest.approx((math.radians(85), 0.0, 0.0), abs=1e-9)


def test_headings_turn_the_short_way_round() -> None:
    # From -3 to 3 rad is 0.2832 rad backwards through pi: a quarter of it is -3.0708.
    turned = turn(Angles(0.0, -3.0, 0.0), Angles(0.0, 3.0, 0.0), 0.25)
    assert turned == pytest.approx((0.0, -3.0 - (math.tau - 6.0) / 4, 0.0))


def test_a_car_that_hardly_turns_keeps_its_angles_exact() -> None:
    turned = turn(Angles(0.1, 1.0, -2.0), Angles(0.1, 1.002, -2.0), 0.5)
    assert turned == pytest.approx((0.1, 1.001, -2.0), abs=1e-7)
