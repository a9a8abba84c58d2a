"""Reads metrics.jsonl in bites, by samples, or between two of its bytes.

Knows the lines of the file and nothing of what is made of them. A line of 100 metrics is parsed by
pydantic's own parser in a quarter of the time of the standard library's. Tested by
`tests/tui/test_metrics_file.py`.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pydantic_core import from_json

from trainer.metrics import IterationMetrics

BITE_BYTES = 1 << 18
"""Most that is read at once, so that a long file is taken in small bites."""
_TAIL_BYTES = 1 << 20
_MOST = 1 << 62


class Row(NamedTuple):
    """One line of the file."""

    metrics: IterationMetrics
    """What it says."""
    offset: int
    """Its first byte."""


class MetricsFile:
    """Reads the lines of a growing file, each once; one that cannot be read is an empty one."""

    def __init__(self, path: Path, begin: int = 0, end: int | None = None) -> None:
        """Read from byte `begin`, the first of a line, up to `end`; None follows the file."""
        self.path = path
        self.offset = begin
        """First byte that is not read yet."""
        self._end = end

    def read(self) -> list[Row]:
        """The next bite's complete lines; empty when all is read for now."""
        # Damaged lines alone must not be taken for the end of the file.
        while complete := self._bite():
            rows = list(_rows(complete, self.offset))
            self.offset += len(complete)
            if rows:
                return rows
        return []

    def _bite(self) -> bytes:
        """Complete lines from `offset` on."""
        try:
            with self.path.open("rb") as file:
                if self._end is None and file.seek(0, 2) < self.offset:
                    self.offset = 0
                file.seek(self.offset)
                wanted = BITE_BYTES if self._end is None else self._end - self.offset
                data = file.read(min(BITE_BYTES, wanted))
                if data and not data.endswith(b"\n"):
                    data += file.readline()
        except OSError:
            return b""
        return data[: data.rfind(b"\n") + 1]


def sample(path: Path, count: int, last: int) -> tuple[list[Row], int]:
    """A quick look at a long file: about `count` lines evenly over it, and all of the `last` ones.

    The last ones are fewer when they are longer than a MB.

    Returns:
        The rows in the order of the file, and the byte after the last.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        begin, tail = _after_newline(file, max(0, size - _TAIL_BYTES))
        complete = tail[: tail.rfind(b"\n") + 1]
        latest = list(_rows(complete, begin))[-last:]
        end = begin + len(complete)
        latest_from = latest[0].offset if latest else end
        rows: dict[int, Row] = {}
        for index in range(count):
            place, line = _after_newline(file, latest_from * index // count, lines=1)
            if place < latest_from:
                rows.update((row.offset, row) for row in _rows(line, place))
    return [*rows.values(), *latest], end


def _after_newline(file: BinaryIO, place: int, lines: int = -1) -> tuple[int, bytes]:
    """Where the first line at or after `place` begins, and the text of one line, or of all."""
    file.seek(max(0, place - 1))
    if place > 0:
        file.readline()
    return file.tell(), file.readline() if lines == 1 else file.read()


def _rows(data: bytes, offset: int) -> Iterator[Row]:
    """The iterations in complete lines, a damaged one passed over."""
    for line in data.splitlines(keepends=True):
        if metrics := _parse(line):
            yield Row(metrics, offset)
        offset += len(line)


def _parse(line: bytes) -> IterationMetrics | None:
    try:
        values = from_json(line)
        iteration, steps, time = (values.pop(name) for name in ("iteration", "steps", "time"))
        if None in values.values():
            values = {name: math.nan if value is None else value for name, value in values.items()}
        float(sum(values.values()))  # refuses what is no number, faster than a look at each
        found = IterationMetrics(int(iteration), int(steps), float(time), values)
        return found if _believable(found) else None
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return None


def _believable(found: IterationMetrics) -> bool:
    """Whether its place in the run can be drawn."""
    counts = 0 <= found.iteration < _MOST and 0 <= found.steps < _MOST
    return counts and -_MOST < found.time < _MOST
