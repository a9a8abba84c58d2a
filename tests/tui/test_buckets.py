"""Merged buckets against an oracle that keeps every value of every iteration."""

import random
import tracemalloc
from itertools import pairwise

import pytest

from trainer.metrics import IterationMetrics
from tui.buckets import CAPACITY, Buckets
from tui.history import RunHistory

CHANCE_OF_NOTHING = 0.3


def lived(iterations: int, chance_of_return: float, seed: int) -> list[IterationMetrics]:
    """A run of 10 steps an iteration which goes back now and then, and whose metric has holes."""
    draw, rows, number = random.Random(seed), [], 0
    for index in range(iterations):
        number = (
            draw.randint(1, number) if number and draw.random() < chance_of_return else number + 1
        )
        values = {"a": draw.gauss(0.0, 1.0), "b": 1.0 * number}
        if draw.random() < CHANCE_OF_NOTHING:
            del values["a"]
        rows.append(IterationMetrics(number, 10 * number, float(index), values))
    return rows


@pytest.mark.parametrize("stride", [1, 4])
@pytest.mark.parametrize("chance_of_return", [0.0, 0.005])
@pytest.mark.parametrize("seed", range(3))
def test_buckets_are_the_means_and_extremes_of_what_they_merged(
    seed: int, chance_of_return: float, stride: int
) -> None:
    rows = lived(3_000, chance_of_return, seed)
    history = RunHistory(64, stride)
    for index, row in enumerate(rows):
        history.add(row, offset=index)
    curves = history.curves("a")
    # A bucket is a row of the file that begins where its mean time says: times are row numbers.
    found = sorted(
        (first, last, count, mean, low, high)
        for curve in history.curves("b")
        for first, last, count, mean, low, high in zip(
            curve.first, curve.last, curve.counts, curve.means, curve.lows, curve.highs, strict=True
        )
    )
    assert all(last - first + 1 == count for first, last, count, *_ in found)
    assert all(mean == pytest.approx((first + last) / 2) for first, last, _, mean, *_ in found)
    assert all((low, high) == (first, last) for first, last, _, _, low, high in found)
    kept = [row.values["a"] for row in rows if "a" in row.values]
    total = sum(m * n for c in curves for m, n in zip(c.means, c.counts, strict=True))
    assert sum(count for curve in curves for count in curve.counts) == len(kept)
    assert total == pytest.approx(sum(kept))
    assert min(low for curve in curves for low in curve.lows) == min(kept)
    assert max(high for curve in curves for high in curve.highs) == max(kept)


@pytest.mark.parametrize("seed", range(5))
def test_the_line_that_goes_on_is_in_order_and_lacks_less_than_a_bucket_where_it_went_back(
    seed: int,
) -> None:
    rows = lived(2_000, 0.003, seed)
    history = RunHistory(64)
    for row in rows:
        history.add(row)
    current = history.curves("b")[-1]
    assert all(before < after for before, after in pairwise(current.steps))
    assert current.last[-1] == rows[-1].iteration
    # The oracle: what remains when each return forgets everything at or after it.
    line: list[IterationMetrics] = []
    for row in rows:
        line = [kept for kept in line if kept.steps < row.steps]
        line.append(row)
    ends = zip(current.last[:-1], current.first[1:], strict=True)
    gaps = [after - before - 1 for before, after in ends]
    widest = max(last - first + 1 for first, last in zip(current.first, current.last, strict=True))
    assert all(0 <= gap < 2 * widest for gap in gaps)
    assert len(line) - sum(gaps) - (current.first[0] - 1) == sum(current.counts)


def test_a_bucket_knows_where_its_lines_are_in_the_file() -> None:
    buckets = Buckets(capacity=4)
    for number in range(1, 9):
        row = IterationMetrics(number, 10 * number, 100.0 + number, {})
        buckets.add([row], 1000 * (number - 1), {"a": (1.0,)})
    # Buckets of two iterations: 15, 35, 55 and 75 steps, from bytes 0, 2000, 4000, 6000. A bucket
    # reaches further than its mean, so that its neighbours are read as well.
    assert buckets.span(50, 60, by_time=False) == (2000, None)
    assert buckets.span(14, 16, by_time=False) == (0, 4000)
    assert buckets.span(101.0, 102.0, by_time=True) == (0, 4000)
    assert buckets.span(40, 41, by_time=False) == (0, None)
    assert buckets.span(1, 2, by_time=False) == (0, 4000)
    assert buckets.span(1000, 2000, by_time=False) == (4000, None)


def test_buckets_of_one_iteration_have_no_more_to_tell() -> None:
    history = RunHistory()
    for number in range(1, 9):
        history.add(IterationMetrics(number, 10 * number, 0.0, {"a": 1.0}), number)
    assert history.span(10, 40, by_time=False) is None


def test_a_run_that_went_back_a_thousand_times_stays_bounded_and_keeps_the_line_that_goes_on() -> (
    None
):
    history = RunHistory(32)
    for turn in range(1_000):
        for number in range(turn + 1, turn + 4):  # each time it gets one iteration further
            history.add(IterationMetrics(number, 10 * number, 0.0, {"a": 1.0}))
    curves = history.curves("a")
    assert sum(len(curve) for curve in curves) <= 32
    assert curves[-1].last[-1] == 1_002


def test_memory_does_not_grow_with_the_run() -> None:
    history = RunHistory()
    values = {f"Loss/{number}": 1.0 for number in range(20)}

    def grow(begin: int, end: int) -> int:
        for number in range(begin, end):
            history.add(IterationMetrics(number, number, 0.0, values))
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        after, later = grow(0, 4_000), grow(4_000, 12_000)
    finally:
        tracemalloc.stop()
    assert 0 < len(history.curves("Loss/0")[-1]) <= CAPACITY
    assert later < 1.3 * after
