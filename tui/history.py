"""How values went: the last few of each metric, and the whole run of any in bounded memory.

Filled by one thread and read by another: each call holds a lock for a moment. Knows nothing of
files or the screen. A value that is not a usable number is left out. Tested by
`tests/tui/test_history.py`.
"""

import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from trainer.metrics import IterationMetrics
from tui.buckets import CAPACITY, LARGEST, Buckets
from tui.curve import Curve

RECENT: Final = 40
"""Values a sparkline reaches back."""
WINDOW: Final = 130
"""Whole iterations that are kept, for those who judge them (`health.py`)."""
_BATCH: Final = 64

Point = tuple[float, float]
"""Agent steps and value."""


@dataclass(frozen=True)
class Board:
    """Everything a screen shows of the metrics; the numbers are of one moment."""

    latest: IterationMetrics
    """The last finished iteration."""
    recent: Mapping[str, tuple[float, ...]]
    """Metric to its last `RECENT` usable values, oldest first."""
    history: "RunHistory" = field(repr=False)
    """The whole run; it grows on, so what it tells may be newer than this board."""
    window: tuple[IterationMetrics, ...] = ()
    """The last `WINDOW` iterations, oldest first, with what could not be measured."""

    def series(self, metric: str) -> tuple[Point, ...]:
        """(agent steps, value) over the whole run, at most about 1,000; empty when unknown."""
        curves = self.history.curves(metric)
        return tuple(zip(curves[-1].steps, curves[-1].means, strict=True)) if curves else ()


class RunHistory:
    """Collects the iterations of a run."""

    def __init__(self, capacity: int = CAPACITY, stride: int = 1) -> None:
        """Keep the whole run in at most `capacity` buckets, of `stride` iterations to begin with.

        A run that is known to be long is taken in faster when it begins with what fits it.
        """
        self._lock = threading.Lock()
        self._buckets = Buckets(capacity, stride)
        self._recent: dict[str, deque[float]] = {}
        self._window: deque[IterationMetrics] = deque(maxlen=WINDOW)
        self._waiting: list[tuple[IterationMetrics, int]] = []
        self._latest: IterationMetrics | None = None
        self._began: float | None = None
        self._returns: list[tuple[int, int]] = []

    @property
    def began(self) -> float:
        """When its first iteration ended (seconds since the epoch); 0 before."""
        return self._began or 0.0

    @property
    def latest(self) -> IterationMetrics | None:
        """The last finished iteration."""
        return self._latest

    def add(self, metrics: IterationMetrics, offset: int = 0) -> None:
        """Append one finished iteration, whose line begins at byte `offset` of its file."""
        with self._lock:
            if self._latest is None:
                self._began = metrics.time
            elif metrics.steps <= self._latest.steps:
                self._go_back(metrics.steps)
                self._returns.append((offset, metrics.steps))
            self._latest = metrics
            self._window.append(metrics)
            self._waiting.append((metrics, offset))
            if len(self._waiting) >= min(self._buckets.stride, _BATCH):
                self._settle()

    def board(self) -> Board | None:
        """What is known now; None before the first iteration."""
        with self._lock:
            if self._latest is None:
                return None
            self._settle()
            recent = {name: tuple(values) for name, values in self._recent.items()}
            window = tuple(self._window)
            return Board(self._latest, MappingProxyType(recent), self, window)

    def curves(self, metric: str) -> tuple[Curve, ...]:
        """The abandoned stretches of `metric`, oldest first, then the one that goes on."""
        with self._lock:
            self._settle()
            return self._buckets.curves(metric)

    def span(self, low: float, high: float, *, by_time: bool) -> tuple[int, int | None] | None:
        """Which bytes of the file hold the iterations between two places, as `Buckets.span`."""
        with self._lock:
            self._settle()
            return self._buckets.span(low, high, by_time=by_time)

    def goes_back_to(self, offset: int) -> int | None:
        """The fewest steps that the run went back to at or after byte `offset` of its file."""
        with self._lock:
            return min((steps for place, steps in self._returns if place >= offset), default=None)

    def abandon(self, steps: int) -> None:
        """What is kept was left later for another line, from `steps` on."""
        with self._lock:
            self._go_back(steps)

    def _go_back(self, steps: int) -> None:
        """What waits belongs to what stays, or to what is abandoned."""
        waiting, self._waiting = self._waiting, []
        stays = sum(row.steps < steps for row, _ in waiting)
        self._put(waiting[:stays])
        self._buckets.close()
        self._put(waiting[stays:])
        self._buckets.go_back(steps)

    def _settle(self) -> None:
        self._put(self._waiting)
        self._waiting = []

    def _put(self, waiting: Sequence[tuple[IterationMetrics, int]]) -> None:
        if not waiting:
            return
        rows = [row for row, _ in waiting]
        columns = dict(_columns(rows))
        self._buckets.add(rows, waiting[0][1], columns)
        for name, values in columns.items():
            if name not in self._recent:
                self._recent[name] = deque(maxlen=RECENT)
            self._recent[name].extend(values)


def _columns(rows: Sequence[IterationMetrics]) -> Iterator[tuple[str, Sequence[float]]]:
    """The usable values of each metric; a column of usable numbers alone costs no look at each."""
    if len(rows) == 1:
        usable = ((n, v) for n, v in rows[0].values.items() if -LARGEST <= v <= LARGEST)
        yield from ((name, (value,)) for name, value in usable)
        return
    names: dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(row.values))
    for name in names:
        column = [row.values[name] for row in rows if name in row.values]
        # A NaN makes the sum one, an infinity is the least or the greatest.
        if min(column) >= -LARGEST and max(column) <= LARGEST and sum(column) == sum(column):
            yield name, column
        else:
            yield name, [value for value in column if -LARGEST <= value <= LARGEST]
