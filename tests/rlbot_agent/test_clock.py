import pytest

from rlbot_agent.clock import Clock, segments


def play(clock: Clock, frames: list[int]) -> tuple[list[int], list[int | None]]:
    """Answer `frames`; each decision chooses its own frame's number.

    Returns the frames with a decision, and what was held in every frame.
    """
    decided, held = [], []
    for frame in frames:
        if clock.is_due(frame):
            clock.choose(frame, frame)
            decided.append(frame)
        held.append(clock.held(frame))
    return decided, held


def test_a_decision_is_held_for_the_delay_and_then_acts() -> None:
    assert segments(8, 1) == (1, 7)
    assert segments(8, 0) == (0, 8)
    assert segments(8, 7) == (7, 1)


@pytest.mark.parametrize("delay", [-1, 8, 9])
def test_a_delay_that_does_not_fit_into_a_decision_is_refused(delay: int) -> None:
    with pytest.raises(ValueError, match=f"action delay {delay} is not within 0 to 7 ticks"):
        segments(8, delay)
    with pytest.raises(ValueError, match="action delay"):
        Clock(8, delay)


def test_decisions_fall_on_every_fourth_frame_and_act_one_frame_later() -> None:
    decided, held = play(Clock(4, 1), list(range(100, 110)))
    assert decided == [100, 104, 108]
    assert held == [None, 100, 100, 100, 100, 104, 104, 104, 104, 108]


def test_without_delay_a_decision_acts_at_once() -> None:
    _, held = play(Clock(4, 0), list(range(100, 106)))
    assert held == [100, 100, 100, 100, 104, 104]


def test_the_games_own_delay_is_taken_off_but_never_below_zero() -> None:
    _, held = play(Clock(4, 2, input_delay=1), list(range(100, 106)))
    assert held == [None, 100, 100, 100, 100, 104]
    _, held = play(Clock(4, 1, input_delay=3), list(range(100, 106)))
    assert held == [100, 100, 100, 100, 104, 104]


def test_what_was_due_in_a_gap_is_due_after_it_and_the_grid_stays() -> None:
    decided, held = play(Clock(4, 1), [100, 101, 102, 106, 107, 108, 109])
    assert decided == [100, 106, 108]  # 106 for 104, and 108 stays on the grid of 100
    assert held == [None, 100, 100, 106, 106, 106, 108]


def test_an_action_that_was_to_start_in_a_gap_starts_after_it() -> None:
    _, held = play(Clock(4, 3), [100, 101, 102, 104, 105])
    assert held == [None, None, None, 100, 100]


def test_a_gap_of_several_decisions_costs_them_and_keeps_the_grid() -> None:
    decided, held = play(Clock(4, 1), [100, 117, 118, 120, 121])
    assert decided == [100, 117, 120]  # 117 stands for 116, the newest grid point before it
    assert held == [None, 117, 117, 117, 120]


def test_a_repeated_frame_is_not_decided_twice() -> None:
    decided, held = play(Clock(4, 1), [100, 100, 101, 101, 104, 104, 105])
    assert decided == [100, 104]
    assert held == [None, None, 100, 100, 100, 100, 104]


def test_frames_that_go_backwards_start_a_new_grid_without_an_action() -> None:
    decided, held = play(Clock(4, 1), [100, 101, 50, 51, 54])
    assert decided == [100, 50, 54]
    assert held == [None, 100, None, 50, 50]


def test_a_reset_forgets_grid_and_action() -> None:
    clock = Clock(4, 1)
    play(clock, [100, 101])
    clock.reset()
    assert play(clock, [102, 103]) == ([102], [None, 102])
