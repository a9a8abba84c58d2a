"""How a few values went, as a word of block characters.

As Textual's own sparkline, which costs more than all the rest of a row, and without its colours,
which double what travels over a slow connection. Pure. Tested by `tests/tui/test_sparkline.py`.
"""

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, pstdev
from typing import Final, Literal

Direction = Literal["rising", "falling", "level"]
ARROWS: Final[dict[Direction, str]] = {"rising": "↗", "falling": "↘", "level": "→"}
_BARS: Final = "▁▂▃▄▅▆▇█"
_FEWEST = 6


def sparkline(values: Sequence[float], width: int) -> str:
    """`values`, oldest first, in `width` columns; blank where they have no shape to show."""
    if width < 1 or len(set(values)) < 2:
        return " " * max(0, width)
    low, high = min(values), max(values)
    tallest = [max(part) for part in _parts(values, width)]
    heights = [int((value - low) / (high - low) * (len(_BARS) - 1)) for value in tallest]
    return "".join(_BARS[height] for height in heights).ljust(width)


def _parts(values: Sequence[float], width: int) -> list[Sequence[float]]:
    """`values` in order, in `width` parts of nearly one size; few values stand in several."""
    count = len(values)
    cuts = [count * column // width for column in range(width + 1)]
    parts = [values[start:end] for start, end in pairwise(cuts) if start < end]
    return [parts[len(parts) * column // width] for column in range(width)]


def direction(values: Sequence[float]) -> Direction:
    """Where `values` go: their last third against their first, by how much they scatter at all."""
    third = len(values) // 3
    if len(values) < _FEWEST:
        return "level"
    moved, scatter = fmean(values[-third:]) - fmean(values[:third]), pstdev(values)
    if abs(moved) <= scatter:
        return "level"
    return "rising" if moved > 0 else "falling"
