"""A grid of dots finer than the terminal's cells: 2 across and 4 down in each cell, by braille.

Knows nothing of what is drawn. x runs right and y runs down, in dots, which are about square.
Tested by `tests/tui/test_braille.py`.
"""

import math
import os
import sys
from collections import defaultdict

# Bit of a dot inside its cell by [x][y]; U+2800 plus the bits is the character.
_BITS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_BLANK = 0x2800

Cell = tuple[int, int]


class Dots:
    """Lit dots; those outside the grid are dropped."""

    def __init__(self, columns: int, rows: int) -> None:
        """A dark grid of `columns` x `rows` cells."""
        self.columns = columns
        self.rows = rows
        self._bits: defaultdict[Cell, int] = defaultdict(int)

    def plot(self, x: float, y: float) -> None:
        """Light the dot that covers (x, y)."""
        across, down = math.floor(x), math.floor(y)
        if 0 <= across < 2 * self.columns and 0 <= down < 4 * self.rows:
            self._bits[across // 2, down // 4] |= _BITS[across % 2][down % 4]

    def line(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Light the dots from `start` to `end`, both included."""
        across, down = end[0] - start[0], end[1] - start[1]
        count = max(1, math.ceil(max(abs(across), abs(down))))
        for step in range(count + 1):
            self.plot(start[0] + across * step / count, start[1] + down * step / count)

    def circle(self, x: float, y: float, radius: float) -> None:
        """Light the dots on the circle around (x, y)."""
        count = max(8, math.ceil(math.tau * radius * 1.5))
        for step in range(count):
            angle = math.tau * step / count
            self.plot(x + radius * math.cos(angle), y + radius * math.sin(angle))

    def disc(self, x: float, y: float, radius: float) -> None:
        """Light the dots whose centres lie within `radius` of (x, y)."""
        for across in range(math.floor(x - radius), math.ceil(x + radius) + 1):
            for down in range(math.floor(y - radius), math.ceil(y + radius) + 1):
                if math.hypot(across + 0.5 - x, down + 0.5 - y) <= radius:
                    self.plot(across, down)

    def cells(self) -> dict[Cell, str]:
        """(column, row) of every cell with a lit dot, and its character."""
        return {cell: chr(_BLANK + bits) for cell, bits in self._bits.items()}


def merged(one: str, other: str) -> str:
    """The character with the dots of both."""
    return chr(ord(one) | ord(other))


def ascii_only() -> bool:
    """Whether the terminal has no braille: Linux's own console, or one without Unicode."""
    encoding = getattr(sys.__stdout__, "encoding", None) or "utf-8"
    return os.environ.get("TERM") == "linux" or not encoding.lower().startswith("utf")
