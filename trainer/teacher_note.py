"""`teacher.json` of a run folder: whom the run learns from, or last learned from, by distillation.

So that whoever goes on with the run, a dashboard too, asks the same teacher. Loads neither torch
nor numpy. Tested by `tests/trainer/test_teacher_note.py`.
"""

import json
from dataclasses import asdict, dataclass

from trainer.files import write_atomic
from trainer.metrics import IterationMetrics
from trainer.run_dir import RunDir


@dataclass(frozen=True)
class TeacherNote:
    """Who taught."""

    words: str
    """What it is."""
    sha256: str
    """Of its weights."""
    path: str
    """Where it lay, from the root of that machine's disk."""


def write_note(run: RunDir, note: TeacherNote) -> None:
    """Write into the run folder who teaches."""
    write_atomic(run.teacher, (json.dumps(asdict(note), indent=2) + "\n").encode())


def read_note(run: RunDir) -> TeacherNote | None:
    """Who taught last; None when nobody did, or nobody can tell any more."""
    try:
        record = json.loads(run.teacher.read_bytes())
        return TeacherNote(*(str(record[name]) for name in ("words", "sha256", "path")))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def teaching(run: RunDir, last: IterationMetrics | None) -> TeacherNote | None:
    """Who taught `run` in its `last` iteration; None when it learned from rewards."""
    return read_note(run) if last and last.is_taught else None
