"""Does a trainer's memory grow? Many short iterations of a small run, and the slope of its memory.

Through the same door as `rlppo train`; memory is what each iteration wrote of itself. Tested by
`tests/benchmarks/test_soak.py`.
"""

import json
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np

from trainer import jsonl
from trainer.config_file import load_config
from trainer.files import write_atomic
from trainer.run_dir import RunDir
from trainer.training import Request, train

SETTINGS: Final = (
    "sim.arenas=16",
    "sim.workers=2",
    "networks.actor=[64, 64]",
    "networks.critic=[64, 64]",
    "ppo.steps_per_iteration=1_024",
    "ppo.batch_size=512",
    "ppo.minibatch_size=512",
    "ppo.epochs=1",
    # A checkpoint every 50 iterations, so that saving is soaked as well.
    "checkpoint.every_steps=51_200",
)
"""A run whose iterations are short; all else is the laptop preset."""
WARM_UP: Final = 0.5
"""Share of the iterations that only warms up: allocators fill, more and more slowly."""


@dataclass(frozen=True)
class Soak:
    """What was found."""

    rss_mb: list[float]
    """Of all processes, in each iteration."""
    seconds: float
    """From the first iteration's end to the last's."""


def measure(iterations: int, settings: tuple[str, ...] = SETTINGS) -> Soak:
    """Train so many iterations in a folder that goes afterwards."""
    config = load_config(None, settings)
    with tempfile.TemporaryDirectory() as folder:
        run = RunDir(Path(folder))
        request = Request(run, config, run.path, "the soak", iterations)
        train(request, lambda line: None)
        records = jsonl.read_all(run.metrics)
    memory = [float(record["System/rss_mb"]) for record in records]
    return Soak(memory, records[-1]["time"] - records[0]["time"])


def slope(rss_mb: list[float]) -> tuple[float, float]:
    """MB per 1,000 iterations after those that warm up, by least squares, and its standard error.

    The error takes the iterations as independent, which they are not: it is a lower bound.
    """
    values = np.array(rss_mb[round(WARM_UP * len(rss_mb)) :])
    times = np.arange(len(values)) / 1000
    centred = times - times.mean()
    # b = Σ (t − t̄) y / Σ (t − t̄)²,  s² = Σ residual² / (n − 2) / Σ (t − t̄)²
    spread = float(centred @ centred)
    found = float(centred @ values) / spread
    residuals = values - values.mean() - found * centred
    error = float(residuals @ residuals) / (len(values) - 2) / spread
    return found, error**0.5


def lines_of(found: Soak) -> list[str]:
    """For a person."""
    rss, (mb, error) = found.rss_mb, slope(found.rss_mb)
    first = rss[round(WARM_UP * len(rss))]
    return [
        f"{len(rss):,} iterations in {found.seconds:.0f} s",
        f"memory        {rss[0]:.1f} MB at first, {first:.1f} MB warm, {rss[-1]:.1f} MB at last",
        f"grows by      {mb:.2f} MB in 1,000 iterations, give or take {error:.2f}",
    ]


def write_soak(path: Path, found: Soak) -> None:
    """One JSON object."""
    mb, error = slope(found.rss_mb)
    record = asdict(found) | {"mb_per_1000": mb, "error": error}
    write_atomic(path, (json.dumps(record) + "\n").encode())
