import numpy as np
import pytest

from trainer.config import EpisodesConfig
from trainer.episodes import (
    NEVER,
    Cause,
    Clocks,
    Limits,
    decisions,
    end_causes,
    is_terminated,
    is_truncated,
    make_limits,
)

NOBODY = np.zeros((3, 2), np.bool_)
NOWHERE = np.zeros(3, np.bool_)


@pytest.mark.parametrize(
    ("seconds", "tick_skip", "expected"),
    [
        (10, 8, 150),  # 1200 ticks
        (300, 8, 4500),
        (0.1, 8, 2),  # 12 ticks are one and a half decisions: up
        (1.1, 12, 11),  # 132 ticks exactly, though 1.1 * 120 may be a little more in binary
        (0.07, 1, 8),  # 8.4 ticks: to the nearest tick
        (0.001, 8, 1),  # above 0 is never "never"
        (0, 8, NEVER),
    ],
)
def test_seconds_become_decisions_never_early_and_less_than_one_late(
    seconds: float, tick_skip: int, expected: int
) -> None:
    assert decisions(seconds, tick_skip) == expected


def test_each_limit_comes_from_its_own_setting() -> None:
    config = EpisodesConfig(no_touch_s=2, time_limit_s=60)
    assert make_limits(config, 8) == Limits(untouched=30, age=900)
    assert make_limits(EpisodesConfig(no_touch_s=0, time_limit_s=0), 8) == Limits(NEVER, NEVER)


def test_only_a_goal_terminates_and_every_other_cause_truncates() -> None:
    causes = np.array(
        [Cause.NONE, Cause.GOAL, Cause.NO_TOUCH, Cause.TIME_LIMIT, Cause.BROKEN], np.int8
    )
    assert is_terminated(causes).tolist() == [False, True, False, False, False]
    assert is_truncated(causes).tolist() == [False, False, True, True, True]


def ends_after(clocks: Clocks, limits: Limits, touches: list[np.ndarray]) -> list[list[bool]]:
    ends = []
    for touched in touches:
        clocks.advance(touched)
        ends.append(is_truncated(end_causes(clocks, limits, NOWHERE, NOWHERE)).tolist())
    return ends


def test_an_untouched_ball_truncates_after_the_limit_and_any_touch_delays_it() -> None:
    touch = NOBODY.copy()
    touch[1, 1] = True
    # Limit 3. Arena 1 is touched in decision 2: it is cut in decision 5, the others in 3.
    ends = ends_after(Clocks(3), Limits(3, NEVER), [NOBODY, touch, NOBODY, NOBODY, NOBODY])
    assert [end[1] for end in ends] == [False, False, False, False, True]
    assert [end[0] for end in ends][:3] == [False, False, True]


def test_the_time_limit_truncates_however_often_the_ball_is_touched() -> None:
    ends = ends_after(Clocks(3), Limits(NEVER, 2), [~NOBODY, ~NOBODY])
    assert ends == [[False] * 3, [True] * 3]


def test_a_goal_at_the_limit_is_not_truncated() -> None:
    clocks = Clocks(3)
    clocks.advance(NOBODY)
    goal = np.array([False, True, False])
    causes = end_causes(clocks, Limits(1, 1), goal, NOWHERE)
    assert is_truncated(causes).tolist() == [True, False, True]
    assert is_terminated(causes).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("limits", "cause"),
    [
        (Limits(NEVER, NEVER), Cause.NONE),
        (Limits(1, NEVER), Cause.NO_TOUCH),
        (Limits(NEVER, 1), Cause.TIME_LIMIT),
        (Limits(1, 1), Cause.TIME_LIMIT),
    ],
)
def test_at_both_limits_the_time_limit_is_the_cause(limits: Limits, cause: Cause) -> None:
    clocks = Clocks(3)
    clocks.advance(NOBODY)
    assert end_causes(clocks, limits, NOWHERE, NOWHERE).tolist() == [cause] * 3


def test_broken_physics_say_nothing_of_goals_and_limits() -> None:
    clocks = Clocks(3)
    clocks.advance(NOBODY)
    everywhere, here = ~NOWHERE, np.array([True, False, False])
    causes = end_causes(clocks, Limits(1, 1), everywhere, here)
    assert causes.tolist() == [Cause.BROKEN, Cause.GOAL, Cause.GOAL]


def test_a_restarted_arena_counts_from_nothing_and_the_others_go_on() -> None:
    clocks = Clocks(3)
    clocks.advance(NOBODY)
    clocks.restart(np.array([0, 2]))
    clocks.advance(NOBODY)
    assert clocks.age.tolist() == [1, 2, 1]
    assert clocks.untouched.tolist() == [1, 2, 1]
