"""Append-only files of one JSON object a line, written by one process and followed by others.

Knows nothing of what the lines mean. A line counts only once its newline is there, so a reader
never sees half a record. Standard library only. Tested by `tests/trainer/test_jsonl.py`.
"""

import json
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def append(path: Path, record: Record) -> None:
    """Add one line with a single write.

    Raises:
        ValueError: When a number is not finite; JSON has no word for it.
        OSError: When the disk refuses.
    """
    line = json.dumps(record, allow_nan=False).encode() + b"\n"
    with path.open("ab+") as file:
        # Half a line, as a full disk or a crash leaves it, must not take this one with it.
        if file.seek(0, 2):
            file.seek(-1, 2)
            line = line if file.read(1) == b"\n" else b"\n" + line
        file.write(line)


class Follower:
    """Reads the lines of a growing file, each once; a missing file is an empty one."""

    def __init__(self, path: Path, *, from_end: bool = False) -> None:
        """Follow `path` from its first line, or only what is appended after now."""
        self.path = path
        self._offset = path.stat().st_size if from_end and path.exists() else 0

    def read_new(self, limit: int = -1) -> list[Record]:
        """The complete lines since the last call, a damaged one passed over.

        With a `limit` in bytes, only the lines that begin within it; the rest comes next time.
        """
        try:
            with self.path.open("rb") as file:
                if file.seek(0, 2) < self._offset:
                    self._offset = 0
                file.seek(self._offset)
                data = file.read(limit) + file.readline()
        except FileNotFoundError:
            return []
        complete = data[: data.rfind(b"\n") + 1]
        self._offset += len(complete)
        return [record for line in complete.splitlines() if (record := _parse(line)) is not None]


def read_all(path: Path) -> list[Record]:
    """Every complete line of a file; a missing file is an empty one."""
    return Follower(path).read_new()


def _parse(line: bytes) -> Record | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):  # the latter from a thousand brackets
        return None
    return record if isinstance(record, dict) else None
