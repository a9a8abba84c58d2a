"""The record of one iteration, and its line in metrics.jsonl.

Names are group/name with CleanRL's words where they exist. Knows no torch and no screen. Tested by
`tests/trainer/test_metrics.py`.
"""

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


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
