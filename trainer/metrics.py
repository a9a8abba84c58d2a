"""The record of one iteration, and its line in metrics.jsonl.

Names are group/name with CleanRL's words where they exist. Knows no torch and no screen. Tested by
`tests/trainer/test_metrics.py`.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from trainer import jsonl

GROUPS = (
    "Collect",
    "Reward",
    "GAE",
    "Loss",
    "Transfer",
    "Update",
    "Game",
    "Rating",
    "Timing",
    "Throughput",
    "System",
    "Cumulative",
)
"""The groups a metric may belong to, in the order a person reads them."""
_TAIL_BYTES = 1 << 14
"""Enough for the last line of metrics.jsonl, which is a few kilobytes."""


@dataclass(frozen=True)
class IterationMetrics:
    """Everything measured in one iteration."""

    iteration: int
    """1 for the first iteration of the run."""
    steps: int
    """Agent steps of the run after it."""
    time: float
    """When it ended (seconds since the epoch)."""
    values: Mapping[str, float]
    """group/name to number; NaN where there was nothing to measure."""

    @property
    def is_taught(self) -> bool:
        """Whether a teacher was learned from in it (`rlppo distill`), and not from rewards."""
        return "Transfer/loss" in self.values


def append(path: Path, metrics: IterationMetrics) -> None:
    """Add one line; a number that is not finite is written as null."""
    values = {name: _finite(value) for name, value in metrics.values.items()}
    head = {"iteration": metrics.iteration, "steps": metrics.steps, "time": metrics.time}
    jsonl.append(path, head | values)


def from_record(record: jsonl.Record) -> IterationMetrics | None:
    """The reverse of `append` for one line; None when it is no iteration."""
    rest = dict(record)
    try:
        iteration, steps, time = (rest.pop(name) for name in ("iteration", "steps", "time"))
        values = {name: math.nan if v is None else float(v) for name, v in rest.items()}
        return IterationMetrics(int(iteration), int(steps), float(time), values)
    except (KeyError, OverflowError, TypeError, ValueError):
        return None


def read_last(path: Path) -> IterationMetrics | None:
    """The last whole line of `path` that is an iteration; its end alone is read."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - _TAIL_BYTES))
            data = file.read()
    except OSError:
        return None
    for line in reversed(data[: data.rfind(b"\n") + 1].splitlines()):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and (metrics := from_record(record)):
            return metrics
    return None


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
