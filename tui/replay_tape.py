"""A recorded game in memory: its pictures by number and by time, and where the kickoffs are.

Pictures are kept as their lines, compressed in blocks, some 300 bytes each with six cars: an hour
at 15 a second takes 16 MB. Only the blocks that were shown last are open. Knows no file and no
clock. Tested by `tests/tui/test_replay_tape.py`.
"""

import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from trainer.frames import Frame, from_line, to_line

BLOCK = 64
"""Pictures of a block; the last may have fewer."""
_LEAST_S = 0.001
"""Between two pictures."""


class Block(NamedTuple):
    """Pictures that follow each other."""

    lines: bytes
    """Their lines, compressed."""
    times: tuple[float, ...]
    """Seconds of game of each."""
    rallies: tuple[int, ...]
    """Which rally each belongs to."""


def blocks(frames: Iterable[Frame]) -> Iterator[Block]:
    """Pack pictures as they come."""
    coming = iter(frames)
    while several := list(islice(coming, BLOCK)):
        lines = zlib.compress("\n".join(map(to_line, several)).encode())
        times = tuple(frame.time_s for frame in several)
        yield Block(lines, times, tuple(frame.rally for frame in several))


class Tape:
    """All pictures so far."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._blocks: list[bytes] = []
        self._times = array("d")
        self._start_s = 0.0
        self._rally: int | None = None
        self.kickoffs: list[int] = []
        """Number of the first picture of each rally."""
        self.complete = False
        """Whether nothing more comes."""
        self._open = lru_cache(maxsize=2)(self._opened)

    def __len__(self) -> int:
        return len(self._times)

    def add(self, block: Block) -> None:
        """Go on with a block; the one before it was full."""
        for time_s, rally in zip(block.times, block.rallies, strict=True):
            if rally != self._rally:
                self._rally = rally
                self.kickoffs.append(len(self._times))
            self._append(time_s)
        self._blocks.append(block.lines)

    @property
    def duration_s(self) -> float:
        """Seconds of game from the first picture to the last."""
        return self._times[-1] if self._times else 0.0

    def time_s(self, index: int) -> float:
        """When a picture is due, in seconds of game after the first."""
        return self._times[index]

    def index_at(self, time_s: float) -> int:
        """Number of the last picture that is due so many seconds after the first."""
        return max(0, bisect_right(self._times, time_s) - 1)

    def rally_of(self, index: int) -> int:
        """Which of `kickoffs` a picture follows."""
        return bisect_right(self.kickoffs, index) - 1

    def kickoff_after(self, index: int) -> int | None:
        """Number of the first picture of the next rally."""
        later = bisect_right(self.kickoffs, index)
        return self.kickoffs[later] if later < len(self.kickoffs) else None

    def picture(self, index: int) -> Frame:
        """Picture number `index`, from 0."""
        return self._open(index // BLOCK)[index % BLOCK]

    def _append(self, time_s: float) -> None:
        """Time that stood still or ran backward would hide a picture from whoever looks by time."""
        if not self._times:
            self._start_s = time_s
            self._times.append(0.0)
        else:
            self._times.append(max(time_s - self._start_s, self._times[-1] + _LEAST_S))

    def _opened(self, number: int) -> list[Frame]:
        lines = zlib.decompress(self._blocks[number]).split(b"\n")
        return [frame for line in lines if (frame := from_line(line)) is not None]
