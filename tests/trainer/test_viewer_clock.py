"""Game time is due when it should be, by a clock that the test turns."""

import pytest

from trainer.viewer_clock import GameClock, picture_times


class Wall:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def test_at_real_speed_a_second_of_game_is_a_second() -> None:
    wall = Wall()
    clock = GameClock(wall)
    wall.seconds = 100.5
    assert clock.due_in(2.0) == pytest.approx(1.5)
    assert clock.due_in(0.25) == pytest.approx(-0.25)


def test_a_change_of_speed_goes_on_from_where_the_game_is() -> None:
    wall = Wall()
    clock = GameClock(wall)
    wall.seconds = 102.0  # the game is at 2 s
    clock.set_speed(0.5)
    assert clock.due_in(2.0) == pytest.approx(0.0)
    assert clock.due_in(3.0) == pytest.approx(2.0)
    wall.seconds = 104.0  # at 3 s
    clock.set_speed(8.0)
    assert clock.due_in(3.0) == pytest.approx(0.0)
    assert clock.due_in(11.0) == pytest.approx(1.0)


def test_the_same_speed_again_changes_nothing() -> None:
    wall = Wall()
    clock = GameClock(wall)
    clock.hold(1.0)
    wall.seconds = 105.0
    clock.set_speed(1.0)
    assert clock.due_in(1.0) == pytest.approx(-5.0)


def test_what_is_held_is_due_now_at_the_speed_that_is_wished() -> None:
    wall = Wall()
    clock = GameClock(wall)
    clock.set_speed(2.0)
    wall.seconds = 200.0
    clock.hold(7.0)
    assert clock.due_in(7.0) == 0.0
    assert clock.due_in(8.0) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("earlier", "later", "rate", "ticks"),
    [
        (0, 8, 15, [8.0]),  # one picture a decision of 8 ticks
        (8, 16, 30, [12.0, 16.0]),
        (0, 8, 5, []),  # every 24 ticks
        (16, 24, 5, [24.0]),
        (24, 28, 60, [26.0, 28.0]),
        (0, 8, 15 / 0.5, [4.0, 8.0]),  # at half speed twice as many
        (0, 128, 15 / 8, [64.0, 128.0]),
    ],
)
def test_pictures_are_evenly_spaced_in_game_time(
    earlier: int, later: int, rate: float, ticks: list[float]
) -> None:
    assert list(picture_times(earlier, later, rate)) == ticks
