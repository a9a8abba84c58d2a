"""Ways to train the work `seed` on one GPU, each with one thing more than the one before.

Tested by `tests/benchmarks/test_gpu.py`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from trainer.bench import Result, measure_work
from trainer.bench_works import config_of
from trainer.builder import choose_device
from trainer.files import write_atomic

WAYS: Final[Mapping[str, tuple[str, ...]]] = {
    "eager": ("device=cuda", "sim.inference=workers", "ppo.cuda_graphs=false"),
    "graphs": ("ppo.cuda_graphs=true",),
    "+resident": ("sim.inference=central",),
    "+bf16 critic": ("ppo.critic_precision=bf16",),
    "+bf16 both": ("ppo.actor_precision=bf16",),
    "+overlap": ("ppo.overlap=true",),
}
"""What each has beside all that those before it have; a batch is one pass, as memory allows."""
ALL: Final = ("ppo.minibatch_size=50_000",)
COLUMNS: Final = f"{'steps/s':>10}{'collecting':>12}{'learning':>10}{'limit':>10}{'of it':>7}"
HEADER: Final = f"{'way':<14}{COLUMNS}{'MB':>8}"


def settings_of(way: str) -> tuple[str, ...]:
    """All settings of one way."""
    names = list(WAYS)
    return (*ALL, *(setting for name in names[: names.index(way) + 1] for setting in WAYS[name]))


def compare(
    iterations: int,
    say: Callable[[str], None],
    keep: Callable[[Mapping[str, Result]], None],
) -> dict[str, Result]:
    """Measure all of them in turn; `say` gets a line each, and `keep` what there is after each.

    Raises:
        DeviceError: When there is no GPU.
    """
    choose_device("cuda")
    say(HEADER)
    found: dict[str, Result] = {}
    for way in WAYS:
        settings = settings_of(way)
        result = measure_work("seed", config_of("seed", settings), iterations, profile=False)
        found[way] = replace(result, settings=list(settings))
        say(line_of(way, found[way]))
        for warning in found[way].warnings:
            say(f"  {warning}")
        keep(found)
    return found


def line_of(way: str, found: Result) -> str:
    """One row of the table; the limit is that of this way (`bench_limit.py`)."""
    rates = f"{found.overall_sps:>10,.0f}{found.collect_sps:>12,.0f}{found.learn_sps:>10,.0f}"
    limit = f"{found.limit_sps:>10,.0f}{found.ratio_of_limit:>7.2f}"
    return f"{way:<14}{rates}{limit}{found.peak_rss_mb:>8,.0f}"


def write_ways(path: Path, found: Mapping[str, Result]) -> None:
    """One JSON object, by way."""
    record = {way: asdict(result) for way, result in found.items()}
    write_atomic(path, (json.dumps(record, indent=2) + "\n").encode())
