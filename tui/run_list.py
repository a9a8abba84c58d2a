"""The runs of a folder, each by a few facts that are cheap to read: status.json and one line.

Plain Python without a screen; what is damaged or no run at all is passed over, never an error.
Tested by `tests/tui/test_run_list.py`.
"""

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from trainer.branch import Parent, parent_of
from trainer.metrics import read_last
from trainer.run_dir import RunDir, Status, read_status
from trainer.teacher_note import teaching
from tui.run_reader import Situation, judge

RunState = Literal["starting", "training", "paused", "stopped", "died", "not begun"]
"""not begun: it has a config, and no trainer has ever said a word."""

_STATES: dict[Situation, RunState] = {
    "starting": "starting",
    "running": "training",
    "stopped": "stopped",
    "died": "died",
}


@dataclass(frozen=True)
class RunEntry:
    """One run of the folder, as it is on the disk at this moment."""

    path: Path
    """Its folder."""
    state: RunState
    """Whether it trains."""
    steps: int
    """Agent steps."""
    iterations: int
    """Finished iterations."""
    reward: float
    """Mean reward a step of the last iteration; NaN before it."""
    touches_per_minute: float
    """Of the last iteration; NaN before it, and where it is not measured."""
    active_at: float
    """When its trainer last gave a sign (seconds since the epoch), or the config was written."""
    parent: Parent | None = None
    """Where it was branched from; None when it was not."""
    teacher: str = ""
    """Who taught it in its last iteration, in words; empty where it learned from rewards."""

    @property
    def alive(self) -> bool:
        """Whether a trainer works on it."""
        return self.state in ("starting", "training", "paused")


def list_runs(folder: Path) -> tuple[RunEntry, ...]:
    """Every run directly in `folder`: those that train by name, then the others, latest first.

    Raises:
        OSError: When `folder` cannot be read.
    """
    with os.scandir(folder) as found:
        folders = [Path(item.path) for item in found if item.is_dir()]
    entries = [entry for path in folders if (entry := read_entry(RunDir(path)))]
    return tuple(sorted(entries, key=_rank))


def read_entry(run: RunDir) -> RunEntry | None:
    """What is known of `run`; None when the folder is none that a trainer wrote."""
    status = read_status(run)
    last = read_last(run.metrics)
    written = _written_at(run.config)
    if status is None and written is None:
        return None
    values = last.values if last else {}
    note = teaching(run, last)
    places = [(place.steps, place.iteration) for place in (status, last) if place]
    steps, iterations = max(places, default=(0, 0))
    return RunEntry(
        path=run.path,
        state=_state(status),
        steps=steps,
        iterations=iterations,
        reward=values.get("Reward/total", math.nan),
        touches_per_minute=values.get("Game/touches_per_minute", math.nan),
        active_at=status.heartbeat if status else written or 0.0,
        parent=parent_of(run),
        teacher=note.words if note else "",
    )


def _state(status: Status | None) -> RunState:
    if status is None:
        return "not begun"
    state = _STATES[judge(status, alive=status.alive)]
    return "paused" if state == "training" and status.phase == "paused" else state


def _rank(entry: RunEntry) -> tuple[bool, float, str]:
    # The heartbeats of living runs overtake each other all the time: their rows would jump.
    return not entry.alive, 0.0 if entry.alive else -entry.active_at, entry.path.name


def _written_at(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None
