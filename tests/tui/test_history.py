import math

from trainer.metrics import IterationMetrics
from tui.history import RECENT, WINDOW, Board, RunHistory


def iteration(number: int, **values: float) -> IterationMetrics:
    return IterationMetrics(number, number * 10, 0.0, values)


def board(history: RunHistory) -> Board:
    found = history.board()
    assert found is not None
    return found


def test_any_metric_is_kept_over_the_whole_run() -> None:
    history = RunHistory()
    for number in (1, 2, 3):
        history.add(iteration(number, a=1.0 * number, **{"Mine/x": -1.0}))
    assert board(history).series("a") == ((10.0, 1.0), (20.0, 2.0), (30.0, 3.0))
    assert board(history).series("Mine/x") == ((10.0, -1.0), (20.0, -1.0), (30.0, -1.0))
    assert board(history).series("nobody") == ()


def test_neighbours_are_merged_into_their_mean_when_the_history_is_full() -> None:
    history = RunHistory(capacity=4)
    for number in range(1, 6):
        history.add(iteration(number, a=10.0 * number))
    # The fifth finds it full: (1, 2) and (3, 4) become one bucket each, of mean, least and most.
    (curve,) = history.curves("a")
    assert (curve.steps, curve.means) == ([15.0, 35.0, 50.0], [15.0, 35.0, 50.0])
    assert (curve.lows, curve.highs) == ([10.0, 30.0, 50.0], [20.0, 40.0, 50.0])
    assert (curve.first, curve.last, curve.counts) == ([1, 3, 5], [2, 4, 5], [2, 2, 1])


def test_a_run_that_went_back_goes_on_in_a_new_line_and_loses_no_point_of_the_old_one() -> None:
    history = RunHistory()
    for number, value in ((1, 1.0), (2, 2.0), (3, 3.0), (4, 4.0), (3, 30.0), (4, 40.0)):
        history.add(iteration(number, a=value))
    abandoned, current = history.curves("a")
    assert (abandoned.steps, abandoned.means) == ([30.0, 40.0], [3.0, 4.0])
    assert (current.steps, current.means) == ([10.0, 20.0, 30.0, 40.0], [1.0, 2.0, 30.0, 40.0])
    assert board(history).series("a") == ((10.0, 1.0), (20.0, 2.0), (30.0, 30.0), (40.0, 40.0))


def test_what_waits_to_be_merged_is_split_where_the_run_goes_back() -> None:
    history = RunHistory(stride=8)
    for number, value in ((1, 1.0), (2, 3.0), (3, 8.0), (2, 5.0)):
        history.add(iteration(number, a=value))
    abandoned, current = history.curves("a")
    assert abandoned.means == [5.5]  # (3 + 8) / 2
    assert current.means == [1.0, 5.0]


def test_a_run_that_went_back_twice_keeps_both_old_lines() -> None:
    history = RunHistory()
    for number in (1, 2, 3, 2, 3, 1):
        history.add(iteration(number, a=1.0))
    assert [curve.steps for curve in history.curves("a")] == [
        [20.0, 30.0],
        [10.0, 20.0, 30.0],
        [10.0],
    ]
    assert history.goes_back_to(0) == 10


def test_what_is_no_usable_number_leaves_no_trace() -> None:
    for stride in (1, 8):
        history = RunHistory(stride=stride)
        for number, value in enumerate((math.nan, math.inf, -math.inf, 1e300, 3.0, math.nan)):
            history.add(iteration(number, a=value, b=1.0))
        found = board(history)
        assert found.recent["a"] == (3.0,)
        assert [value for _, value in found.series("a")] == [3.0]
        assert math.isnan(found.latest.values["a"])


def test_a_metric_that_comes_late_or_now_and_then_has_the_values_it_has() -> None:
    for stride in (1, 2):
        history = RunHistory(stride=stride)
        for number in range(1, 9):
            history.add(
                iteration(number, a=0.0, **({"b": 1.0 * number} if number % 4 == 0 else {}))
            )
        found = history.curves("b")[-1]
        assert (found.means, found.counts) == ([4.0, 8.0], [1, 1])
        assert board(history).recent["b"] == (4.0, 8.0)


def test_a_sparkline_reaches_back_to_the_last_forty_values() -> None:
    history = RunHistory(capacity=8)
    for number in range(300):
        history.add(iteration(number, a=1.0 * number))
    assert board(history).recent["a"] == tuple(float(n) for n in range(300 - RECENT, 300))


def test_there_is_no_board_before_the_first_iteration() -> None:
    assert RunHistory().board() is None


def test_the_numbers_of_a_board_do_not_change_when_the_run_goes_on() -> None:
    history = RunHistory()
    history.add(iteration(1, a=1.0))
    before = board(history)
    history.add(iteration(2, a=2.0))
    assert before.recent["a"] == (1.0,)
    assert before.latest.iteration == 1


def test_the_last_iterations_are_kept_whole_with_what_could_not_be_measured() -> None:
    history = RunHistory()
    for number in range(WINDOW + 5):
        history.add(iteration(number, a=math.nan))
    window = board(history).window
    assert [each.iteration for each in window] == list(range(5, WINDOW + 5))
    assert all(math.isnan(each.values["a"]) for each in window)
