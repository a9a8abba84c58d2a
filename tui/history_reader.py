"""Takes the metrics of a run in: a quick look at a long file first, then all of it in small bites.

Called from a thread, again and again; knows no screen. Tested by
`tests/tui/test_history_reader.py`.
"""

import threading
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Final

from tui.buckets import CAPACITY
from tui.history import WINDOW, Board, RunHistory
from tui.metrics_file import MetricsFile, Row, sample

QUICK_BYTES: Final = 4_000_000
"""A longer file is looked at by samples before it is read: this much takes a tenth of a second."""
SAMPLES: Final = 500
DETAIL_BYTES: Final = 128_000_000
"""Most that is read again for a closer look: a second's work, in the background."""
_DETAIL: Final = 2 * CAPACITY
_BREATH_S: Final = 0.002


class HistoryReader:
    """One run's metrics, and how far they are read."""

    def __init__(self, path: Path) -> None:
        """Read the metrics.jsonl at `path` from its beginning."""
        self._file = MetricsFile(path)
        self._whole = RunHistory()
        self._shown = self._whole
        self._tail: MetricsFile | None = None
        self._began = False
        self.news = False
        """Whether there is something that no board has shown."""

    def read(self) -> bool:
        """Take one bite; False when there was nothing, or samples that should be seen first."""
        if not self._began:
            self._began = True
            self._look()
            if self._tail:
                return False
        rows = self._file.read()
        _take(self._whole, rows)
        fresh = self._tail.read() if self._tail else rows
        if self._tail:
            _take(self._shown, fresh)
        if self._tail and not rows:
            self._tail, self._shown, self.news = None, self._whole, True
        self.news = self.news or bool(fresh)
        return bool(rows)

    def board(self) -> Board | None:
        """What is known: of the samples until all is read; None before the first iteration."""
        self.news = False
        return self._shown.board()

    @property
    def sampled(self) -> bool:
        """Whether the board is of samples still."""
        return self._tail is not None

    def _look(self) -> None:
        path = self._file.path
        size = path.stat().st_size if path.exists() else 0
        if size <= QUICK_BYTES:
            return
        rows, end = sample(path, SAMPLES, WINDOW)
        self._shown = RunHistory(2 * SAMPLES)
        _take(self._shown, rows)
        self._tail, self.news = MetricsFile(path, end), True
        lines = size / (end - rows[-1].offset) if rows else 1.0
        stride = 1
        while lines / stride > CAPACITY:
            stride *= 2
        self._whole = RunHistory(stride=stride)


def read_detail(
    path: Path,
    history: RunHistory,
    part: tuple[float, float],
    metrics: Collection[str],
    stop: threading.Event,
    *,
    by_time: bool,
) -> RunHistory | None:
    """Every iteration of a part of a run, read again from its file, with only some `metrics`.

    Args:
        path: Its metrics.jsonl.
        history: All of the run, which knows where in the file the part is.
        part: From where to where, in agent steps or seconds since the epoch.
        metrics: What is kept.
        stop: Ends the reading.
        by_time: Whether the part is in seconds.

    Returns:
        None when `stop` was set, when `history` has every iteration of the part already, or when
        the part is so large that reading it would show little more.
    """
    if (found := history.span(*part, by_time=by_time)) is None:
        return None
    begin, end = found[0], found[1] if found[1] is not None else path.stat().st_size
    if end - begin > DETAIL_BYTES:
        return None
    file, detail = MetricsFile(path, begin, end), RunHistory(_DETAIL)
    # Half as much again on either side: a step aside finds it known.
    room = (part[1] - part[0]) / 2
    low, high = part[0] - room, part[1] + room
    while rows := file.read():
        if stop.wait(_BREATH_S):
            return None
        for full, offset in rows:
            if low <= (full.time if by_time else full.steps) <= high:
                kept = {name: full.values[name] for name in metrics if name in full.values}
                detail.add(replace(full, values=kept), offset)
    if (steps := history.goes_back_to(end)) is not None:
        detail.abandon(steps)
    return detail


def _take(history: RunHistory, rows: list[Row]) -> None:
    for metrics, offset in rows:
        history.add(metrics, offset)
