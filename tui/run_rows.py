"""The rows of the runs page, as words.

Knows no widget and reads no file. Tested by `tests/tui/test_run_rows.py`.
"""

from collections.abc import Sequence
from pathlib import Path

from tui.formatting import age, compact
from tui.run_list import RunEntry, RunState
from tui.table_rows import Cell, Column, Row, Tone

COLUMNS = (
    Column("name"),
    Column("situation"),
    Column("steps", right=True),
    Column("iteration", right=True),
    Column("reward", right=True),
    Column("touches/min", right=True),
    Column("last sign", right=True),
    Column("branch of"),
)
_TONES: dict[RunState, Tone] = {
    "starting": "warning",
    "training": "good",
    "paused": "warning",
    "stopped": "quiet",
    "died": "bad",
    "not begun": "quiet",
}


def run_rows(entries: Sequence[RunEntry], now: float, watched: Path) -> list[Row]:
    """One row a run, by its folder's name.

    Args:
        entries: In the order of the rows.
        now: Seconds since the epoch.
        watched: Folder of the run that the dashboard shows.
    """
    here = watched.resolve()
    return [_row(entry, now, watched=_is(entry.path, here)) for entry in entries]


def _is(path: Path, resolved: Path) -> bool:
    # Asking the disk about every row, each second, would cost more than drawing.
    return path.name == resolved.name and path.resolve() == resolved


def _row(entry: RunEntry, now: float, *, watched: bool) -> Row:
    name = entry.path.name
    parent = entry.parent
    cells = (
        Cell(f"▸ {name}", "blue") if watched else Cell(f"  {name}"),
        Cell(entry.state, _TONES[entry.state]),
        Cell(compact(entry.steps)),
        Cell(f"{entry.iterations:,}"),
        Cell(compact(entry.reward)),
        Cell(compact(entry.touches_per_minute)),
        Cell(age(now - entry.active_at)),
        Cell(f"{parent.run.name} at {compact(parent.steps)}" if parent else "", "quiet"),
    )
    return Row(name, cells)
