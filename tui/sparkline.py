"""How a few values went, as a word of block characters.

Textual's own sparkline, without its colours. Pure. Tested by `tests/tui/test_sparkline.py`.
"""

from collections.abc import Sequence
from statistics import fmean, pstdev
from typing import Final, Literal

from rich.console import Console
from textual.renderables.sparkline import Sparkline

Direction = Literal["rising", "falling", "level"]
ARROWS: Final[dict[Direction, str]] = {"rising": "↗", "falling": "↘", "level": "→"}
_CONSOLE = Console(file=None, force_terminal=False)
_FEWEST = 6


def sparkline(values: Sequence[float], width: int) -> str:
    """`values`, oldest first, in `width` columns; blank where they have no shape to show."""
    if width < 1 or len(set(values)) < 2:
        return " " * max(0, width)
    # One colour for all bars: a colour a bar doubles what travels over a slow connection.
    bars = _CONSOLE.render(Sparkline(values, width=width))
    return "".join(bar.text for bar in bars).rstrip("\n").ljust(width)


def direction(values: Sequence[float]) -> Direction:
    """Where `values` go: their last third against their first, by how much they scatter at all."""
    third = len(values) // 3
    if len(values) < _FEWEST:
        return "level"
    moved, scatter = fmean(values[-third:]) - fmean(values[:third]), pstdev(values)
    if abs(moved) <= scatter:
        return "level"
    return "rising" if moved > 0 else "falling"
