import math
import sys

from trainer.metrics import IterationMetrics
from tui.history import RECENT, WINDOW, RunHistory, Series


def iteration(number: int, **values: float) -> IterationMetrics:
    return IterationMetrics(number, number * 10, 0.0, values)


def test_neighbours_are_merged_into_their_mean_when_a_series_is_full() -> None:
    series = Series(capacity=4)
    for x in range(1, 6):
        series.add(float(x), 10.0 * x)
    # The fourth point fills it: (1, 2) and (3, 4) become 1.5 and 3.5; the fifth waits for its mate.
    assert series.points() == ((1.5, 15.0), (3.5, 35.0), (5.0, 50.0))


def test_a_hundred_thousand_iterations_stay_a_few_hundred_points_in_order() -> None:
    series = Series(capacity=512)
    for x in range(100_000):
        series.add(float(x), float(x))
    points = series.points()
    assert 256 <= len(points) <= 513
    assert list(points) == sorted(points)
    assert points[-1][0] > 99_000
    assert all(x == y for x, y in points)


def test_memory_of_a_board_does_not_grow_with_the_run() -> None:
    history = RunHistory(["a"])
    for number in range(5_000):
        history.add(iteration(number, a=1.0 * number, b=2.0))
    board = history.board()
    assert board is not None
    assert len(board.recent["a"]) == RECENT
    assert sys.getsizeof(board.charts["a"]) < 10_000
    assert "b" not in board.charts


def test_a_run_that_went_back_to_an_older_checkpoint_forgets_what_came_after_it() -> None:
    series = Series()
    for x in (10.0, 20.0, 30.0, 20.0, 25.0):
        series.add(x, x)
    assert [x for x, _ in series.points()] == [10.0, 20.0, 25.0]


def test_what_is_no_usable_number_leaves_no_trace() -> None:
    history = RunHistory(["a"])
    for number, value in enumerate((math.nan, math.inf, -math.inf, 1e300, 3.0, math.nan)):
        history.add(iteration(number, a=value))
    board = history.board()
    assert board is not None
    assert board.recent["a"] == (3.0,)
    assert board.charts["a"] == ((40.0, 3.0),)
    assert math.isnan(board.latest.values["a"])


def test_there_is_no_board_before_the_first_iteration() -> None:
    assert RunHistory([]).board() is None


def test_a_board_does_not_change_when_the_run_goes_on() -> None:
    history = RunHistory(["a"])
    history.add(iteration(1, a=1.0))
    before = history.board()
    history.add(iteration(2, a=2.0))
    assert before is not None
    assert before.recent["a"] == (1.0,)


def test_the_last_iterations_are_kept_whole_with_what_could_not_be_measured() -> None:
    history = RunHistory([])
    for number in range(WINDOW + 5):
        history.add(iteration(number, a=math.nan))
    board = history.board()
    assert board is not None
    assert [each.iteration for each in board.window] == list(range(5, WINDOW + 5))
    assert all(math.isnan(each.values["a"]) for each in board.window)
