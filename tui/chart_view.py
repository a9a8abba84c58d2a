"""How a person looks at charts: axis, smoothing, the part that is shown, and the cursor.

Pure: every key makes another view of the one before. Tested by `tests/tui/test_chart_view.py`.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

SMOOTHINGS: Final = (1, 10, 30, 100, 300, 1000)
"""Iterations that a line may look back over; 1 is not smoothed."""
ZOOM: Final = 0.5
"""What is left of the shown part by one step closer."""
PAN: Final = 0.25
"""Share of the shown part that a step to the side moves."""
_CLOSEST: Final = 1e-6

Range = tuple[float, float]
"""From where to where on the x axis; the second is more than the first."""


@dataclass(frozen=True)
class View:
    """One way to look."""

    by_time: bool = False
    """Whether x is time since the run began; else agent steps."""
    log: bool = False
    """Whether y is logarithmic."""
    smoothing: int = 0
    """Place among `SMOOTHINGS`."""
    shown: Range | None = None
    """The part that is shown; None is all, and grows with the run."""
    cursor: float | None = None
    """Where the cursor stands on the x axis; None is nowhere."""

    @property
    def iterations(self) -> int:
        """How many iterations a line looks back over."""
        return SMOOTHINGS[self.smoothing]

    def smoother(self, by: int) -> "View":
        """More smoothing, or less when `by` is negative, as far as it goes."""
        return replace(self, smoothing=min(max(self.smoothing + by, 0), len(SMOOTHINGS) - 1))

    def other_axis(self) -> "View":
        """Time in place of steps, or back, from all of it."""
        return replace(self, by_time=not self.by_time, shown=None, cursor=None)

    def at(self, x: float) -> "View":
        """The cursor at `x`."""
        return replace(self, cursor=x)

    def zoomed(self, whole: Range, factor: float, around: float | None = None) -> "View":
        """`factor` of what is shown, with `around`, the cursor or else the end staying in place."""
        low, high = self.part(whole)
        fixed = around if around is not None else self.cursor
        fixed = min(max(fixed, low), high) if fixed is not None else high
        width = (high - low) * factor
        if width >= whole[1] - whole[0]:
            return replace(self, shown=None)
        width = max(width, (whole[1] - whole[0]) * _CLOSEST)
        begin = fixed - (fixed - low) / (high - low) * width
        return replace(self, shown=_within((begin, begin + width), whole))

    def panned(self, whole: Range, share: float) -> "View":
        """What is shown, moved by a `share` of its width; all that there is does not move."""
        if self.shown is None:
            return self
        low, high = self.shown
        move = (high - low) * share
        return replace(self, shown=_within((low + move, high + move), whole))

    def part(self, whole: Range) -> Range:
        """From where to where is shown of the `whole`."""
        return self.shown or whole

    def pointed(self, xs: Sequence[float], whole: Range, columns: int, by: int) -> "View":
        """The cursor `by` of the chart's `columns` further, on the nearest of `xs` beyond.

        It begins at the end that it would move away from, and pulls what is shown along.
        """
        if not xs:
            return self
        low, high = self.part(whole)
        if self.cursor is None:
            place = bisect_right(xs, high) - 1 if by < 0 else bisect_left(xs, low)
        else:
            target = self.cursor + (high - low) / max(1, columns - 1) * by
            place = bisect_left(xs, target) if by > 0 else bisect_right(xs, target) - 1
        cursor = xs[min(max(place, 0), len(xs) - 1)]
        seen = replace(self, cursor=cursor)
        outside = min(0.0, cursor - low) + max(0.0, cursor - high)
        return seen.panned(whole, outside / (high - low)) if outside else seen


def _within(part: Range, whole: Range) -> Range:
    """`part`, moved into the whole."""
    low, high = part
    move = max(whole[0] - low, 0.0) - max(high - whole[1], 0.0)
    return low + move, high + move
