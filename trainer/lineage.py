"""The line of iterations that led to a checkpoint, in a metrics.jsonl that may hold others too.

A session that died after its last save leaves iterations that the next one does over: those count
no more. Reads a file of any length in little memory. Tested by `tests/trainer/test_lineage.py`.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_HEAD = re.compile(rb'\{"iteration": (\d+), "steps": (\d+), ')
"""As `metrics.append` writes it: all numbers of 100,000 iterations would take long to read."""


class Line(NamedTuple):
    """One iteration, and where it is in the file."""

    iteration: int
    steps: int
    start: int
    """Its first byte."""
    stop: int
    """The first byte after it."""


def lines_to(path: Path, steps: int) -> list[Line]:
    """The iterations that led to the checkpoint after `steps` agent steps, oldest first.

    The last iteration that ended there counts. Where its line is missing, as when a trainer is
    killed right after a save, they are those before it.
    """
    line: list[Line] = []
    found: list[Line] | None = None
    for last in _iterations(path):
        while line and line[-1].iteration >= last.iteration:
            line.pop()
        line.append(last)
        if last.steps == steps:
            found = list(line)
    return found if found is not None else [last for last in line if last.steps <= steps]


def copy_lines_to(source: Path, target: Path, steps: int) -> None:
    """Write to `target` the lines of `source` that led to the checkpoint after `steps`.

    Raises:
        OSError: When the disk refuses.
    """
    lines = lines_to(source, steps)
    with target.open("wb") as copy:
        if lines:
            with source.open("rb") as file:
                for line in lines:
                    file.seek(line.start)
                    copy.write(file.read(line.stop - line.start))


def _iterations(path: Path) -> Iterator[Line]:
    """Every whole line that begins as an iteration; a missing file has none."""
    if not path.exists():
        return
    start = 0
    with path.open("rb") as file:
        for text in file:
            stop = start + len(text)
            head = _HEAD.match(text) if text.endswith(b"}\n") else None
            if head is not None:
                yield Line(int(head[1]), int(head[2]), start, stop)
            start = stop
