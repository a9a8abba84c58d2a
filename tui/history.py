"""How values went: the last few of each metric, and a whole run in bounded memory.

Pure Python that knows nothing of files or the screen; a value that is not a usable number is left
out. Tested by `tests/tui/test_history.py`.
"""

import math
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from trainer.metrics import IterationMetrics

RECENT = 40
"""Iterations a sparkline reaches back."""
WINDOW = 130
"""Whole iterations that are kept, for those who judge them (`health.py`)."""
CAPACITY = 512
"""Most points a whole-run series keeps."""
LARGEST = 1e100
"""A larger magnitude cannot be drawn: differences of such numbers overflow."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Board:
    """Everything a screen shows of the metrics, at one moment; never changes."""

    latest: IterationMetrics
    """The last finished iteration."""
    recent: Mapping[str, tuple[float, ...]]
    """Metric to its last `RECENT` usable values, oldest first."""
    charts: Mapping[str, tuple[Point, ...]]
    """Charted metric to (agent steps, value) over the whole run, at most about `CAPACITY`."""
    window: tuple[IterationMetrics, ...] = ()
    """The last `WINDOW` iterations, oldest first, with what could not be measured."""


class Series:
    """Points of a whole run; when there are too many, neighbours are merged into their mean."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        """Keep fewer than `capacity` points, an even number."""
        self._capacity = capacity
        self._stride = 1
        self._points: list[Point] = []
        self._pending: list[Point] = []

    def add(self, x: float, y: float) -> None:
        """Append a point; points at or after `x` are forgotten, as a run that went back does."""
        if not _usable(y):
            return
        for points in (self._pending, self._points):
            while points and points[-1][0] >= x:
                points.pop()
        self._pending.append((x, y))
        if len(self._pending) >= self._stride:
            self._points.append(_mean(self._pending))
            self._pending.clear()
        if len(self._points) >= self._capacity:
            pairs = zip(self._points[::2], self._points[1::2], strict=True)
            self._points = [_mean(pair) for pair in pairs]
            self._stride *= 2

    def points(self) -> tuple[Point, ...]:
        """The points, oldest first; the last is the mean of what is not yet merged."""
        tail = (_mean(self._pending),) if self._pending else ()
        return (*self._points, *tail)


class RunHistory:
    """Collects the iterations of a run and shows them as a `Board`."""

    def __init__(self, charted: Iterable[str]) -> None:
        """Keep the whole run of the metrics named by `charted`, and the recent past of all."""
        self._charts = {name: Series() for name in charted}
        self._recent: dict[str, deque[float]] = {}
        self._window: deque[IterationMetrics] = deque(maxlen=WINDOW)
        self._latest: IterationMetrics | None = None

    def add(self, metrics: IterationMetrics) -> None:
        """Append one finished iteration."""
        self._latest = metrics
        self._window.append(metrics)
        for name, value in metrics.values.items():
            if _usable(value):
                self._recent.setdefault(name, deque(maxlen=RECENT)).append(value)
            if name in self._charts:
                self._charts[name].add(metrics.steps, value)

    def board(self) -> Board | None:
        """What is known now; None before the first iteration."""
        if self._latest is None:
            return None
        recent = {name: tuple(values) for name, values in self._recent.items()}
        charts = {name: series.points() for name, series in self._charts.items()}
        window = tuple(self._window)
        return Board(self._latest, MappingProxyType(recent), MappingProxyType(charts), window)


def _usable(value: float) -> bool:
    return math.isfinite(value) and abs(value) <= LARGEST


def _mean(points: Iterable[Point]) -> Point:
    xs, ys = zip(*points, strict=True)
    return sum(xs) / len(xs), sum(ys) / len(ys)
