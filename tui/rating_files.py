"""Reads ratings.json and ladder.json for the dashboard, in a thread beside the screen.

Whatever else their bytes are, what comes out can be drawn: every field is of its type. Tested by
`tests/tui/test_rating_files.py`.
"""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError
from textual.message import Message

from trainer.ratings.ladder_table import Ladder, Round, read_ladder
from trainer.ratings.table import Ratings, read_ratings
from trainer.run_dir import RunDir
from tui.messages import RatingsRead

Read = TypeVar("Read", Ratings, Ladder)
_RATINGS, _LADDER = TypeAdapter(Ratings), TypeAdapter(Ladder)


class RatingFiles:
    """The two files of one run; one that did not change is not read again."""

    def __init__(self) -> None:
        """Nothing is read yet."""
        self._seen: tuple[object, ...] = ()
        self._read: tuple[Ratings | None, Ladder | None] = (None, None)

    def look(self, run: RunDir, post: Callable[[Message], object]) -> None:
        """Say what the files of `run` hold now."""
        paths = run.ratings, run.ladder
        seen = (run.path, *map(_state, paths))
        if seen != self._seen:
            self._seen, self._read = seen, (ratings_of(run), ladder_of(run))
        found = zip(paths, self._read, strict=True)
        damaged = [path.name for path, read in found if read is None and path.exists()]
        post(RatingsRead(*self._read, damaged))


def ratings_of(run: RunDir) -> Ratings | None:
    """The ratings of `run`; None where there are none that can be read."""
    return _checked(_RATINGS, read_ratings(run.ratings))


def ladder_of(run: RunDir) -> Ladder | None:
    """The newest ladder of `run`; None where there is none that can be read."""
    ladder = _checked(_LADDER, read_ladder(run.ladder))
    return ladder if ladder and all(map(_meets, ladder.rounds)) else None


def _meets(played: Round) -> bool:
    """Whether every meeting of a round is of two of its players."""
    places = range(len(played.rungs))
    return all(each.a in places and each.b in places for each in played.meetings)


def _checked(adapter: TypeAdapter[Read], found: Read | None) -> Read | None:
    try:
        return adapter.validate_python(asdict(found)) if found else None
    except ValidationError:
        return None


def _state(path: Path) -> tuple[int, ...]:
    """What changes when somebody replaces the file."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino
