import threading
from pathlib import Path

import pytest

from trainer import metrics
from trainer.metrics import IterationMetrics
from trainer.run_dir import RunDir
from tui import overlay_feed
from tui.history import RunHistory
from tui.metrics_file import MetricsFile
from tui.overlay_feed import Closer, CloserRead, OtherRead, follow, read_closer


def write(run: Path, begin: int, end: int) -> None:
    for number in range(begin, end):
        row = IterationMetrics(number, 10 * number, 1000.0 + number, {"a": 1.0 * number})
        metrics.append(RunDir(run).metrics, row)


def test_another_run_is_told_once_read_and_again_when_it_went_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overlay_feed, "POLL_S", 0.001)
    write(tmp_path, 1, 4)
    stop = threading.Event()
    told: list[int] = []

    def post(message: object) -> None:
        assert isinstance(message, OtherRead)
        assert message.history.latest is not None
        told.append(message.history.latest.iteration)
        if len(told) == 1:
            write(tmp_path, 4, 6)
        else:
            stop.set()

    follow(tmp_path, post, stop)
    assert told[0] == 3
    assert told[-1] in (4, 5)


def long_history(run: Path) -> RunHistory:
    """As a long run is kept: several iterations a bucket."""
    file, history = MetricsFile(RunDir(run).metrics), RunHistory(8)
    while rows := file.read():
        for row, offset in rows:
            history.add(row, offset)
    return history


@pytest.mark.parametrize(("by_time", "part"), [(False, (300.0, 320.0)), (True, (29.0, 31.0))])
def test_a_part_is_read_of_each_run_that_has_more_to_tell(
    tmp_path: Path, by_time: bool, part: tuple[float, float]
) -> None:
    write(tmp_path, 1, 101)
    short = RunHistory()
    short.add(IterationMetrics(30, 300, 1000.0, {"a": 1.0}))
    told: list[object] = []
    wish = Closer({tmp_path: long_history(tmp_path), Path("gone"): short}, part, by_time, ("a",))
    read_closer(wish, told.append)
    (message,) = told
    assert isinstance(message, CloserRead)
    assert message.request is wish
    assert set(message.details) == {tmp_path}
    (curve,) = message.details[tmp_path].curves("a")
    # The first iteration ended at 1001 s: 29 s later it was the 30th.
    assert {30, 31, 32} <= {*curve.first}
    assert list(curve.first) == list(curve.last)


def test_a_wish_that_was_given_up_is_not_answered(tmp_path: Path) -> None:
    write(tmp_path, 1, 101)
    told: list[object] = []
    wish = Closer({tmp_path: long_history(tmp_path)}, (300.0, 320.0), False, ("a",))
    wish.stop.set()
    read_closer(wish, told.append)
    assert told == []
