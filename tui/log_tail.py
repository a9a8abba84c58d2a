"""The end of a trainer's output: its last lines at once, then what is appended, for a person.

Reads a bounded piece however large the file is, so that a log of a gigabyte opens at once. Plain
Python without a screen. Tested by `tests/tui/test_log_tail.py`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

LAST_LINES = 2_000
"""Most lines that are kept."""
TAIL_BYTES = 1 << 20
"""Most that is read in one look; a longer piece is passed over."""

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True)
class Piece:
    """What one look at the log found."""

    lines: tuple[str, ...]
    """The complete lines, oldest first, at most `LAST_LINES`."""
    anew: bool
    """Whether they replace all earlier ones, rather than follow them."""


class LogTail:
    """Follows one log."""

    def __init__(self, path: Path) -> None:
        """Follow `path`, which need not exist yet."""
        self._path = path
        self._offset: int | None = None

    def read(self) -> Piece:
        """The lines since the last call; a log that was replaced or ran ahead begins anew.

        Raises:
            OSError: When there is a log that cannot be read.
        """
        try:
            with self._path.open("rb") as file:
                size = file.seek(0, 2)
                start, anew = self._start(size)
                file.seek(start)
                data = file.read(size - start)
        except FileNotFoundError:
            gone, self._offset = self._offset is not None, None
            return Piece((), gone)
        if anew and start > 0:  # it begins within a line
            start, data = start + data.find(b"\n") + 1, data[data.find(b"\n") + 1 :]
        complete = data[: data.rfind(b"\n") + 1]
        self._offset = start + len(complete)
        lines = complete.decode(errors="replace").split("\n")[:-1]
        return Piece(tuple(plain(line) for line in lines[-LAST_LINES:]), anew)

    def _start(self, size: int) -> tuple[int, bool]:
        tail = max(0, size - TAIL_BYTES)
        if self._offset is None or self._offset > size or self._offset < tail:
            return tail, True
        return self._offset, False


def plain(line: str) -> str:
    """`line` without terminal codes and trailing space; of one drawn over itself, the last."""
    drawn = line.rstrip("\r\n").rpartition("\r")[2]
    return _CONTROL.sub("", drawn).rstrip()


def matching(lines: Iterable[str], sought: str) -> Sequence[str]:
    """The lines that contain `sought`, in capitals or not; all of them when it is empty."""
    wanted = sought.casefold()
    return [line for line in lines if wanted in line.casefold()]
