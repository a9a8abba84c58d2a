"""One metric over a run, as a chart wants it: parallel columns, smoothed, cut, or put together.

Knows no file and no screen. Tested by `tests/tui/test_curve.py`.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain


@dataclass(frozen=True)
class Curve:
    """One metric over one stretch of a run; a bucket of iterations an entry, oldest first."""

    steps: Sequence[float]
    """Agent steps, mean over the bucket."""
    times: Sequence[float]
    """When its iterations ended (seconds since the epoch), mean over the bucket."""
    first: Sequence[float]
    """Its first iteration."""
    last: Sequence[float]
    """Its last iteration."""
    counts: Sequence[float]
    """How many usable values it holds, at least one."""
    means: Sequence[float]
    """Their mean."""
    lows: Sequence[float]
    """The least of them."""
    highs: Sequence[float]
    """The greatest of them."""

    def __len__(self) -> int:
        """How many buckets there are."""
        return len(self.steps)

    def cut(self, begin: int, end: int) -> "Curve":
        """Only the buckets from index `begin` up to, without, `end`."""
        return Curve(*(column[begin:end] for column in self._columns))

    def with_detail(self, detail: "Curve") -> "Curve":
        """This curve, with `detail` in place of its buckets that cover the same iterations."""
        if not len(detail):
            return self
        before = bisect_left(self.last, detail.first[0])
        after = bisect_right(self.first, detail.last[-1])
        parts = (self.cut(0, before), detail, self.cut(after, len(self)))
        columns = zip(*(part._columns for part in parts), strict=True)
        return Curve(*(list(chain.from_iterable(column)) for column in columns))

    @property
    def _columns(self) -> tuple[Sequence[float], ...]:
        return (
            *(self.steps, self.times, self.first, self.last),
            *(self.counts, self.means, self.lows, self.highs),
        )


def smoothed(values: Sequence[float], counts: Sequence[float], iterations: float) -> list[float]:
    """Exponential mean of `values`, looking back over about so many `iterations`.

    A value that stands for n iterations counts as n equal ones, so that a line looks alike however
    much of it was merged. The first values are not pulled to zero: the weights sum to one.
    """
    keep = 1.0 - 1.0 / iterations
    found, total, weight = [], 0.0, 0.0
    for value, count in zip(values, counts, strict=True):
        kept = keep**count
        total = kept * total + (1.0 - kept) * value
        weight = kept * weight + (1.0 - kept)
        found.append(total / weight)
    return found
