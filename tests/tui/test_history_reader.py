import json
import math
import threading
from pathlib import Path

import pytest

from trainer import metrics
from trainer.metrics import IterationMetrics
from tui import history_reader
from tui.history import Board, RunHistory
from tui.history_reader import HistoryReader, read_detail

RUN = 5_000


def write(path: Path, begin: int, end: int) -> None:
    with path.open("a") as file:
        for number in range(begin, end):
            record = {"iteration": number, "steps": 10 * number, "time": 1e9 + number}
            values = {"a": math.sin(number / 300), "b": 1.0 * number, "c": None}
            file.write(json.dumps(record | values) + "\n")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write(tmp_path / "metrics.jsonl", 1, RUN + 1)
    return tmp_path / "metrics.jsonl"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_reader, "QUICK_BYTES", 1_000)


def board(reader: HistoryReader) -> Board:
    found = reader.board()
    assert found is not None
    return found


def read_all(reader: HistoryReader) -> None:
    while reader.read():
        pass


@pytest.mark.usefixtures("quick")
def test_a_long_run_is_shown_by_samples_before_it_is_read(path: Path) -> None:
    reader = HistoryReader(path)
    assert not reader.read()  # so that the samples are drawn before the rest is read
    assert (reader.sampled, reader.news) == (True, True)
    first = board(reader)
    assert first.latest.iteration == RUN
    assert first.series("b")[0] == (10.0, 1.0)
    assert len(first.series("b")) > 300
    # A sparkline needs the last ones, not samples.
    assert first.recent["b"][-3:] == (RUN - 2.0, RUN - 1.0, RUN * 1.0)
    assert not reader.news


@pytest.mark.usefixtures("quick")
def test_samples_give_way_to_every_iteration_and_miss_none_that_came_meanwhile(path: Path) -> None:
    reader = HistoryReader(path)
    reader.read()
    reader.board()
    write(path, RUN + 1, RUN + 11)
    reader.read()
    assert (reader.sampled, reader.news) == (True, True)
    assert board(reader).latest.iteration == RUN + 10
    read_all(reader)
    assert (reader.sampled, reader.news) == (False, True)
    curve = board(reader).history.curves("b")[-1]
    assert sum(curve.counts) == RUN + 10
    assert sum(m * n for m, n in zip(curve.means, curve.counts, strict=True)) == sum(
        range(1, RUN + 11)
    )


def test_a_short_run_is_read_at_once(path: Path) -> None:
    reader = HistoryReader(path)
    reader.read()
    assert not reader.sampled
    read_all(reader)
    assert board(reader).latest.iteration == RUN


def test_a_part_of_a_long_run_is_read_again_iteration_by_iteration(path: Path) -> None:
    reader = HistoryReader(path)
    read_all(reader)
    history = board(reader).history
    part, stop = (20_000.0, 20_500.0), threading.Event()
    detail = read_detail(path, history, part, ["a"], stop, by_time=False)
    assert detail is not None
    (curve,) = detail.curves("a")
    assert set(range(2_000, 2_051)) <= {*curve.first}
    assert list(curve.first) == list(curve.last)
    assert curve.means[curve.first.index(2_025)] == math.sin(2_025 / 300)
    assert detail.curves("b") == ()
    by_time = read_detail(path, history, (1e9 + 2_000, 1e9 + 2_050), ["a"], stop, by_time=True)
    assert by_time is not None
    assert by_time.curves("a") == detail.curves("a")


def test_a_closer_look_knows_what_the_run_left_later(path: Path) -> None:
    write(path, 2_031, RUN)
    reader = HistoryReader(path)
    read_all(reader)
    history = board(reader).history
    detail = read_detail(
        path, history, (20_000.0, 20_500.0), ["a"], threading.Event(), by_time=False
    )
    assert detail is not None
    for curve in detail.curves("a"):
        assert list(curve.first) == sorted(curve.first)
    assert [n for n in detail.curves("a")[-1].first if 2_000 <= n <= 2_050] == [
        *range(2_000, 2_051)
    ]


def test_nothing_is_read_again_that_would_show_no_more(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = RunHistory()
    history.add(IterationMetrics(1, 10, 1.0, {"a": 1.0}))
    metrics.append(tmp_path / "short", IterationMetrics(1, 10, 1.0, {"a": 1.0}))
    stop = threading.Event()
    assert read_detail(tmp_path / "short", history, (0.0, 99.0), ["a"], stop, by_time=False) is None
    reader = HistoryReader(path)
    read_all(reader)
    history = board(reader).history
    monkeypatch.setattr(history_reader, "DETAIL_BYTES", 10_000)
    assert read_detail(path, history, (0.0, 99_999.0), ["a"], stop, by_time=False) is None


def test_a_closer_look_ends_when_it_is_not_wanted_any_more(path: Path) -> None:
    reader, stop = HistoryReader(path), threading.Event()
    read_all(reader)
    stop.set()
    history = board(reader).history
    assert read_detail(path, history, (0.0, 20_000.0), ["a"], stop, by_time=False) is None
