"""The rows of the checkpoints page, as words.

Knows no widget and reads no file. Tested by `tests/tui/test_checkpoint_rows.py`.
"""

from collections.abc import Sequence
from pathlib import Path

from trainer.checkpoint_list import CheckpointInfo
from trainer.checkpoint_marks import Mark
from trainer.ratings.table import Ratings
from tui.formatting import NOTHING, age, compact
from tui.rating_rows import rating_cell
from tui.table_rows import Cell, Column, Row

COLUMNS = (
    Column("steps", right=True),
    Column("iteration", right=True),
    Column("age", right=True),
    Column("size", right=True),
    Column("rating", right=True),
    Column("name"),
    Column("pin"),
    Column(""),
)


def checkpoint_rows(
    found: Sequence[CheckpointInfo],
    now: float,
    blue: Path | None,
    ratings: Ratings | None = None,
) -> list[Row]:
    """One row a checkpoint, by its folder's name.

    Args:
        found: Newest first.
        now: Seconds since the epoch.
        blue: The checkpoint that was chosen to play the blue team; None is none.
        ratings: Of the run's versions; None where there are none.
    """
    return [
        Row(
            info.path.name,
            (
                *_facts(info, now),
                rating_cell(ratings, info.steps),
                Cell(info.mark.name),
                _pin(info.mark),
                _note(info, newest=not index, blue=blue),
            ),
        )
        for index, info in enumerate(found)
    ]


def called(info: CheckpointInfo) -> str:
    """What a sentence calls a checkpoint: its steps, and its name when it has one."""
    name = f' "{info.mark.name}"' if info.mark.name else ""
    return f"the checkpoint of {compact(info.steps)} steps{name}"


def _facts(info: CheckpointInfo, now: float) -> tuple[Cell, ...]:
    return (
        Cell(f"{info.steps:,}"),
        Cell(NOTHING if info.iteration is None else f"{info.iteration:,}"),
        Cell(age(now - info.saved_at)),
        Cell(f"{compact(info.size_bytes)}B"),
    )


def _pin(mark: Mark) -> Cell:
    if mark.damaged:
        return Cell("mark damaged", "bad")
    return Cell("pinned", "good") if mark.pinned else Cell("")


def _note(info: CheckpointInfo, *, newest: bool, blue: Path | None) -> Cell:
    if info.path == blue:
        return Cell("plays blue", "blue")
    return Cell("newest", "quiet") if newest else Cell("")
