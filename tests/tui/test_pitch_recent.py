"""What is remembered of the last moments."""

from dataclasses import replace
from itertools import pairwise

import pytest

from trainer.frames import CarFrame, Frame
from tui.pitch_recent import FLASH_S, STEP_S, TRAIL_S, Recent, Touch, after

CAR = CarFrame(0, 0.0, 0.0, 17.0, 0.0, 33.0, True, False, False)
FRAME = Frame(10.0, 0, 0, 0.0, 0.0, 93.0, (CAR, replace(CAR, team=1)), 0, True, rally=1)


def at(time_s: float, x: float = 0.0, **changes: object) -> Frame:
    """Both cars at (x, 0)."""
    cars = tuple(replace(car, x=x) for car in FRAME.cars)
    return replace(FRAME, time_s=time_s, cars=cars, **changes)  # type: ignore[arg-type]


def known(*frames: Frame) -> Recent:
    recent = Recent()
    for frame in frames:
        recent = after(recent, frame)
    return recent


def touching(frame: Frame, car: int) -> Frame:
    cars = list(frame.cars)
    cars[car] = replace(cars[car], touched=True)
    return replace(frame, cars=tuple(cars))


def test_earlier_frames_are_kept_a_step_apart_for_a_while() -> None:
    frames = [at(10 + tick / 120) for tick in range(600)]  # five seconds
    recent = known(*frames)
    times = [past.time_s for past in recent.trail]
    assert times[0] >= frames[-1].time_s - TRAIL_S
    assert all(b - a >= STEP_S for a, b in pairwise(times))
    assert 20 <= len(times) <= 23  # 1.5 s of 15 a second, or slightly fewer
    assert recent.last is frames[-1]


@pytest.mark.parametrize(
    "later",
    [
        at(10.3, rally=2),
        at(10.1),
        at(10.2 + TRAIL_S + 0.1),
        replace(at(10.3), cars=FRAME.cars[:1]),
    ],
    ids=["a kickoff", "time goes back", "a gap", "other cars"],
)
def test_nothing_is_kept_over_a_break(later: Frame) -> None:
    assert len(known(at(10.0), at(10.1), at(10.2)).trail) == 2
    assert known(at(10.0), at(10.1), at(10.2), later).trail == ()


def test_a_frame_shown_again_changes_nothing() -> None:
    recent = known(at(10.0), at(10.1))
    assert after(recent, at(10.1)) == recent


def test_a_touch_shows_for_a_moment_in_the_colour_of_whoever_touched() -> None:
    touched = [at(10.0), touching(at(10.1), 1)]
    assert known(*touched).touch == Touch(10.1, 1)
    assert known(*touched, at(10.1 + FLASH_S - 0.01)).touch == Touch(10.1, 1)
    assert known(*touched, at(10.1 + FLASH_S + 0.01)).touch is None


def test_a_goal_is_seen_in_the_score_and_forgotten_at_the_kickoff() -> None:
    goal = at(10.1, orange=1)
    assert known(at(10.0)).scored is None
    assert known(at(10.0), goal).scored == 1
    assert known(at(10.0), goal, replace(goal, time_s=10.2)).scored == 1
    assert known(at(10.0), at(10.1, blue=1)).scored == 0
    assert known(at(10.0), goal, replace(goal, rally=2)).scored is None


def test_speed_is_measured_over_two_steps() -> None:
    # 100 uu in 0.1 s, then 120: 220 uu in 0.2 s.
    assert known(at(10.0), at(10.1, 100.0), at(10.2, 220.0)).speed(0) == pytest.approx(1100)
    assert known(at(10.0), at(10.1, 100.0)).speed(0) == pytest.approx(1000)
    assert known(at(10.0)).speed(0) is None


def test_a_car_that_comes_back_has_no_speed() -> None:
    gone = at(10.0)
    gone = replace(gone, cars=tuple(replace(car, demolished=True) for car in gone.cars))
    assert known(gone, at(10.1, 3000.0)).speed(0) is None
