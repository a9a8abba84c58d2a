"""Recorded games: `replays/*.jsonl.gz`, one header line and then one picture a line.

The format is described in `docs/replays.md`. Reading believes nothing: a replay may come from a
stranger. Standard library only, because the dashboard plays replays. Tested by
`tests/trainer/test_replay.py`.
"""

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from trainer.files import sync_file
from trainer.frames import Frame, from_line, to_line

FORMAT: Final = 1
"""Of the files that this version writes, and the only one that it reads."""
SUFFIX: Final = ".jsonl.gz"
LONGEST_LINE: Final = 1 << 16
"""Bytes of a line at most; a picture of eight cars has 1,000."""
MOST_CARS: Final = 64
FASTEST: Final = 1000
"""Pictures a second at most."""
COMPRESSION: Final = 6

_DAMAGE = (EOFError, OSError, zlib.error)


class ReplayError(Exception):
    """A file is no replay that can be played; the message is one sentence for a person."""


@dataclass(frozen=True)
class ReplayHeader:
    """What holds for a whole replay."""

    fps: int
    """Pictures a second of game, where it was watched at real speed."""
    run: str
    """Name of the run folder."""
    names: tuple[str, str]
    """Who plays blue and who orange at first, for a person."""
    teams: tuple[int, ...]
    """Team of each car: 0 blue, 1 orange."""
    format: int = FORMAT
    """Version of the format."""


class ReplayWriter:
    """Writes a replay beside its name, and gives it that name once it is whole.

    What a crash leaves is `NAME.tmp`, which can be read up to where it ends.
    """

    def __init__(self, path: Path, header: ReplayHeader) -> None:
        """Begin `path`; its folder is made if need be.

        Raises:
            OSError: When the disk refuses.
        """
        self.path = path
        self.temporary = path.with_name(f"{path.name}.tmp")
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = gzip.GzipFile(self.temporary, "wb", COMPRESSION)
        self.frames = 0
        """Pictures so far."""
        self._rally = 0
        self._write_line(json.dumps(asdict(header)))

    def write(self, frame: Frame) -> None:
        """Add a picture, as it looks at real speed.

        Raises:
            OSError: When the disk refuses.
        """
        if frame.rally != self._rally:  # what was played until here survives a crash
            self._rally = frame.rally
            self._file.flush()
        self._write_line(to_line(replace(frame, speed=1.0, paused=False)))
        self.frames += 1

    def close(self) -> None:
        """Give the finished file its name, or remove one that holds no picture.

        Raises:
            OSError: When the disk refuses; what was written stays under its temporary name.
        """
        self._file.close()
        if self.frames:
            sync_file(self.temporary)
            self.temporary.replace(self.path)
        else:
            self.temporary.unlink()

    def abandon(self) -> None:
        """Leave what was written under its temporary name."""
        with suppress(OSError):
            self._file.close()

    def _write_line(self, line: str) -> None:
        self._file.write(f"{line}\n".encode())


def write_replay(path: Path, header: ReplayHeader, frames: Iterable[Frame]) -> None:
    """Write a whole replay.

    Raises:
        OSError: When the disk refuses.
    """
    writer = ReplayWriter(path, header)
    try:
        for frame in frames:
            writer.write(frame)
    except BaseException:
        writer.abandon()
        raise
    writer.close()


def read_replay(path: Path) -> tuple[ReplayHeader, Iterator[Frame]]:
    """Open a replay; its pictures are read as they are taken, so it may be of any length.

    Raises:
        ReplayError: When it is no replay, damaged at its beginning, or of another format. The
            iterator raises it too, after the last good picture, where a file is damaged later on.
    """
    try:
        file = gzip.GzipFile(path, "rb")
    except OSError as error:
        raise ReplayError(f"{path} cannot be opened: {error.strerror}") from error
    try:
        header = _header(path, file.readline(LONGEST_LINE))
    except ReplayError:
        file.close()
        raise
    except _DAMAGE as error:
        file.close()
        raise ReplayError(f"{path} is no replay: {_why(error)}") from error
    return header, _frames(path, file, header)


def _frames(path: Path, file: gzip.GzipFile, header: ReplayHeader) -> Iterator[Frame]:
    count = 0
    with file:
        while True:
            try:
                line = file.readline(LONGEST_LINE)
            except _DAMAGE as error:
                raise _broken(path, count) from error
            if not line:
                return
            frame = from_line(line) if line.endswith(b"\n") else None
            if frame is None or tuple(car.team for car in frame.cars) != header.teams:
                raise _broken(path, count)
            count += 1
            yield frame


def _header(path: Path, line: bytes) -> ReplayHeader:
    try:
        record = json.loads(line)
        version = record["format"]
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        raise ReplayError(f"{path} is no replay: its first line is no header") from error
    if type(version) is int and version > FORMAT:
        raise ReplayError(f"{path} is of a later format than this version plays ({FORMAT})")
    try:
        return _checked_header(record)
    except (TypeError, ValueError) as error:
        raise ReplayError(f"{path} is no replay: its header is damaged") from error


def _checked_header(record: dict[str, Any]) -> ReplayHeader:
    lists: dict[str, Any] = {name: record.get(name) for name in ("names", "teams")}
    if not all(type(found) is list for found in lists.values()):
        raise TypeError("no header")
    header = ReplayHeader(**record | {name: tuple(found) for name, found in lists.items()})
    fits = (
        type(header.format) is int
        and header.format == FORMAT
        and type(header.fps) is int
        and 1 <= header.fps <= FASTEST
        and len(header.names) == 2
        and all(type(name) is str and name.isprintable() for name in (header.run, *header.names))
        and 1 <= len(header.teams) <= MOST_CARS
        and all(type(team) is int and team in (0, 1) for team in header.teams)
    )
    if not fits:
        raise ValueError("no header")
    return header


def _broken(path: Path, count: int) -> ReplayError:
    return ReplayError(f"{path} is damaged after {count:,} pictures: it plays up to there")


def _why(error: BaseException) -> str:
    return "it ends too early" if isinstance(error, EOFError) else "it is not compressed by gzip"
