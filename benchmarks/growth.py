"""How steps/s grow with arenas, workers, team and network sizes.

Measures short pieces of the work `small` in other sizes, those of a curve in turn, and fits
`model.py` to them. Tested by `tests/benchmarks/test_growth.py`.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.model import USUAL_EACH, Costs, Point, fit
from trainer.bench_works import config_of
from trainer.config import RunConfig
from trainer.files import write_atomic
from trainer.sizes import count_cores
from trainer.trials import CollectTrial, LearnTrial, in_turn

ROUNDS: Final = 3
ROWS: Final = 8_192
"""Rows that learning is measured on."""
ARENAS: Final = (16, 32, 64, 128, 256, 512, 1024)
"""Of all workers together."""
TEAMS: Final = (1, 2, 3)
SMALL: Final = (256, 256, 256)
LARGE: Final = (2048, 2048, 1024, 1024)
NETWORKS: Final = ((64, 64), SMALL, (512, 512, 512), (1024, 1024, 512), LARGE)


class Size(NamedTuple):
    """One size of run to measure."""

    workers: int
    arenas: int
    team: int = 1
    layers: tuple[int, ...] = SMALL

    @property
    def config(self) -> RunConfig:
        """The work `small` in this size."""
        mode = f"{self.team}v{self.team}"
        layers = list(self.layers)
        free = (f"sim.workers={self.workers}", f"sim.arenas={self.arenas}")
        nets = (f"networks.actor={layers}", f"networks.critic={layers}")
        return config_of("small", (*free, *nets, "sim.modes.1v1=0", f"sim.modes.{mode}=1"))


@dataclass(frozen=True)
class Growth:
    """All that was found."""

    cores: int
    points: list[Point]
    costs: Costs


def curves(cores: int) -> dict[str, list[Size]]:
    """What to measure, by curve; "check" is for the model to be wrong about."""
    usual = USUAL_EACH * cores
    workers = dict.fromkeys(max(1, round(share * cores)) for share in (0.25, 0.5, 1, 1.5, 2))
    return {
        "arenas": [Size(cores, arenas) for arenas in ARENAS if arenas >= cores],
        "workers": [Size(count, USUAL_EACH * count) for count in workers],
        "teams": [Size(cores, usual, team) for team in TEAMS],
        "networks": [Size(cores, usual, 1, layers) for layers in NETWORKS],
        "check": [
            Size(cores, usual // 2, 3, (1024, 1024, 512)),
            Size(cores, 2 * usual, 2, (64, 64)),
        ],
    }


def grow(seconds: float, say: Callable[[str], None]) -> Growth:
    """Measure all curves and fit the model; `say` gets a line a point."""
    cores = count_cores()
    points = []
    for curve, sizes in curves(cores).items():
        for point in _measure(curve, sizes, seconds):
            points.append(point)
            say(f"{curve:<9} {point.words}: {point.collect_sps:,.0f} steps/s")
    return Growth(cores, points, fit(points))


def _measure(curve: str, sizes: Sequence[Size], seconds: float) -> Iterator[Point]:
    """All sizes of a curve, in turn."""
    with ExitStack() as stack:
        here = Path()
        trials = [stack.enter_context(closing(CollectTrial(s.config, here))) for s in sizes]
        # Not their medians: rates must be of the same moments as phases, which are of all.
        in_turn([partial(trial.run, seconds / ROUNDS) for trial in trials], ROUNDS)
        memory = [trial.worker_mb for trial in trials]
    learned: list[float | None] = [None] * len(sizes)
    if curve in ("networks", "check"):
        learners = [LearnTrial(size.config, ROWS) for size in sizes]
        chunk = config_of("small").ppo.minibatch_size
        learned = [*in_turn([partial(trial.run, chunk) for trial in learners], ROUNDS)]
    for size, trial, mb, learn in zip(sizes, trials, memory, learned, strict=True):
        phases = {
            phase: 1e6 * size.workers * spent / trial.rows_played
            for phase, spent in trial.seconds.items()
        }
        sps = trial.rows_played / trial.played_s
        yield Point(curve, *size, trial.parameters, sps, phases, mb, learn)


def write_growth(path: Path, found: Growth) -> None:
    """One JSON object: the points, and what was fitted to them."""
    record: dict[str, Any] = asdict(found)
    write_atomic(path, (json.dumps(record, indent=1) + "\n").encode())
