"""A whole run in bounded memory: neighbouring iterations share a bucket, all metrics the same ones.

When there are too many buckets, neighbours merge pairwise. Where a run goes back to an older
checkpoint, what it had done beyond is kept as an abandoned stretch. Knows nothing of files or
threads. Tested by `tests/tui/test_buckets.py` against everything kept.
"""

import math
from array import array
from collections.abc import Mapping, Sequence
from typing import Final

from trainer.metrics import IterationMetrics
from tui.curve import Curve

CAPACITY: Final = 512
"""Most buckets of a run, and at least half as many: a chart is 200 to 400 dots wide."""
LARGEST: Final = 1e100
"""A larger magnitude cannot be drawn: differences of such numbers overflow."""
_CURRENT: Final = 0
_FULL_AGAIN: Final = 0.75

Pairs = Sequence[tuple[int, int]]
"""Indices of buckets to merge, ascending; one paired with itself stays as it is."""


class Track:
    """One metric in every bucket; a bucket without a usable value has a count of 0."""

    __slots__ = ("counts", "highs", "lows", "totals")

    def __init__(self, empty: int) -> None:
        """Nothing in the first `empty` buckets."""
        self.totals = array("d", bytes(8 * empty))
        self.counts = array("q", bytes(8 * empty))
        self.lows = array("d", [math.inf]) * empty
        self.highs = array("d", [-math.inf]) * empty

    def begin(self, values: Sequence[float]) -> None:
        """One more bucket, with these usable values or none."""
        if len(values) == 1:
            total = low = high = values[0]
        elif values:
            total, low, high = sum(values), min(values), max(values)
        else:
            total, low, high = 0.0, math.inf, -math.inf
        self.totals.append(total)
        self.counts.append(len(values))
        self.lows.append(low)
        self.highs.append(high)

    def put(self, values: Sequence[float]) -> None:
        """Add usable values to the last bucket."""
        self.totals[-1] += sum(values)
        self.counts[-1] += len(values)
        self.lows[-1] = min(self.lows[-1], min(values, default=math.inf))
        self.highs[-1] = max(self.highs[-1], max(values, default=-math.inf))

    def merge(self, pairs: Pairs) -> None:
        """One bucket of each pair."""
        totals, counts, lows, highs = self.totals, self.counts, self.lows, self.highs
        self.totals = array("d", [totals[i] + totals[j] * (i != j) for i, j in pairs])
        self.counts = array("q", [counts[i] + counts[j] * (i != j) for i, j in pairs])
        self.lows = array("d", [min(lows[i], lows[j]) for i, j in pairs])
        self.highs = array("d", [max(highs[i], highs[j]) for i, j in pairs])


class Buckets:
    """The columns that all metrics share, and a track a metric."""

    def __init__(self, capacity: int = CAPACITY, stride: int = 1) -> None:
        """Keep at most `capacity` buckets, two at least, of `stride` iterations to begin with."""
        self._capacity = capacity
        self.stride = stride
        """Most iterations of a bucket: a power of two."""
        self._tracks: dict[str, Track] = {}
        self._sizes, self._offsets = array("q"), array("q")
        self._first, self._last = array("q"), array("q")
        self._steps, self._times = array("d"), array("d")
        self._to_steps, self._stretch = array("q"), array("q")
        self._abandoned = 0
        self._closed = False

    def __len__(self) -> int:
        """How many there are."""
        return len(self._sizes)

    def add(
        self, rows: Sequence[IterationMetrics], offset: int, columns: Mapping[str, Sequence[float]]
    ) -> None:
        """Add iterations that follow each other, at least one, at most `stride`.

        Args:
            rows: The iterations.
            offset: Where the line of the first begins in its file (bytes).
            columns: The usable values of these iterations, by metric.
        """
        for name in columns:
            if name not in self._tracks:
                self._tracks[name] = Track(len(self))
        if not self or self._closed or self._sizes[-1] + len(rows) > self.stride:
            if len(self) >= self._capacity:
                self._halve()
            self._open(rows[0], offset)
            for name, track in self._tracks.items():
                track.begin(columns.get(name, ()))
        else:
            for name, values in columns.items():
                self._tracks[name].put(values)
        before, after = self._sizes[-1], self._sizes[-1] + len(rows)
        self._steps[-1] = (self._steps[-1] * before + sum(row.steps for row in rows)) / after
        self._times[-1] = (self._times[-1] * before + sum(row.time for row in rows)) / after
        self._sizes[-1] = after
        self._last[-1], self._to_steps[-1] = rows[-1].iteration, rows[-1].steps

    def go_back(self, steps: int) -> None:
        """The run goes on from before `steps`: what reaches there is abandoned.

        A bucket that began before goes with it: the line that goes on lacks less than a bucket
        there, and stays in order.
        """
        self._abandoned += 1
        self.close()
        for index in range(len(self) - 1, -1, -1):
            if self._stretch[index] == _CURRENT:
                if self._to_steps[index] < steps:
                    break
                self._stretch[index] = self._abandoned

    def close(self) -> None:
        """Let what comes next begin a bucket."""
        self._closed = True

    def curves(self, metric: str) -> tuple[Curve, ...]:
        """The abandoned stretches of `metric`, oldest first, then the one that goes on."""
        track = self._tracks.get(metric)
        stretches: dict[int, list[int]] = {}
        for index, count in enumerate(track.counts if track else ()):
            if count:
                stretches.setdefault(self._stretch[index], []).append(index)
        order = sorted(stretches, key=lambda stretch: (stretch == _CURRENT, stretch))
        return tuple(self._curve(track, stretches[key]) for key in order) if track else ()

    def span(self, low: float, high: float, *, by_time: bool) -> tuple[int, int | None] | None:
        """Which bytes of the file hold the iterations between two places.

        Args:
            low: First place, in agent steps or seconds since the epoch.
            high: Last place.
            by_time: Whether they are seconds.

        Returns:
            First byte, and the byte after the last, None being the end of the file; None when
            every bucket there holds a single iteration already.
        """
        places = self._times if by_time else self._steps
        reached = [index for index, place in enumerate(places) if low <= place <= high]
        if not reached:
            after = next((index for index, place in enumerate(places) if place > high), len(self))
            reached = [after - 1, after]
        # One more on either side: a bucket reaches further than its mean.
        begin, end = max(0, reached[0] - 1), min(len(self), reached[-1] + 2)
        if max(self._sizes[begin:end], default=1) == 1:
            return None
        return self._offsets[begin], self._offsets[end] if end < len(self) else None

    def _curve(self, track: Track, indices: Sequence[int]) -> Curve:
        shared = (self._steps, self._times, self._first, self._last)
        own = (track.counts, track.totals, track.lows, track.highs)
        columns = [[column[index] for index in indices] for column in (*shared, *own)]
        columns[5] = [total / count for total, count in zip(columns[5], columns[4], strict=True)]
        return Curve(*columns)

    def _open(self, row: IterationMetrics, offset: int) -> None:
        self._closed = False
        self._sizes.append(0)
        self._offsets.append(offset)
        self._first.append(row.iteration)
        self._last.append(row.iteration)
        self._steps.append(0.0)
        self._times.append(0.0)
        self._to_steps.append(row.steps)
        self._stretch.append(_CURRENT)

    def _halve(self) -> None:
        """Merge neighbours of one stretch; where that frees too little, the oldest abandoned go."""
        self.stride *= 2
        pairs = self._neighbours()
        surplus = len(pairs) - round(_FULL_AGAIN * self._capacity)
        if surplus > 0:
            oldest = [pair for pair in pairs if self._stretch[pair[0]] != _CURRENT][:surplus]
            pairs = [pair for pair in pairs if pair not in set(oldest)]
        self._merge(pairs)

    def _neighbours(self) -> Pairs:
        pairs, index = [], 0
        while index < len(self):
            joined = self._stretch[index : index + 2]
            mate = index + 1 if len(joined) == 2 and joined[0] == joined[1] else index
            pairs.append((index, mate))
            index = mate + 1
        return pairs

    def _merge(self, pairs: Pairs) -> None:
        sizes = self._sizes
        weights = [sizes[j] / (sizes[i] + sizes[j]) for i, j in pairs]
        for column in (self._steps, self._times):
            joined = zip(pairs, weights, strict=True)
            means = [column[i] + (column[j] - column[i]) * w for (i, j), w in joined]
            column[:] = array("d", means)
        for ends in (self._last, self._to_steps):
            ends[:] = array("q", [ends[j] for _, j in pairs])
        for begins in (self._first, self._offsets, self._stretch):
            begins[:] = array("q", [begins[i] for i, _ in pairs])
        sizes[:] = array("q", [sizes[i] + sizes[j] * (i != j) for i, j in pairs])
        for track in self._tracks.values():
            track.merge(pairs)
