"""What an agent step costs, as a function of game, networks and machine: fitted to measurements.

A step costs a worker its share of the physics, of reading what they did, and of deciding; workers
play side by side; then all cores, or a GPU, learn from it. Pure: numbers in, numbers out. Tested by
`tests/benchmarks/test_model.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

READING: Final = ("state", "rewards", "resets", "observations", "storing")
"""Phases of a worker beside physics and decisions."""
PASSES: Final = 3
"""Forward passes that a pass forth and back costs: twice as much back as forth."""
USUAL_EACH: Final = 64
"""Arenas of a worker that team and network sizes are measured at."""
MOST_EACH: Final = 128
"""Arenas of a worker beyond which they leave the CPU's caches, of which the model knows nothing."""


@dataclass(frozen=True)
class Point:
    """One size of run, as it was measured."""

    curve: str
    """What it was measured for."""
    workers: int
    arenas: int
    """Of all workers."""
    team: int
    """Cars of each team."""
    layers: tuple[int, ...]
    """Hidden widths of actor and critic."""
    parameters: int
    """Of both together."""
    collect_sps: float
    """Agent steps a second while playing."""
    phases_us: Mapping[str, float]
    """Microseconds of one worker that an agent step takes, by phase."""
    worker_mb: float
    """Resident memory of a worker; 0 where the trainer itself plays."""
    learn_sps: float | None = None
    """Agent steps a second of one epoch; None where it was not measured."""

    @property
    def words(self) -> str:
        """Its size, for a person."""
        mode = f"{self.team}v{self.team}"
        arenas = f"{self.workers} workers, {self.arenas:,} arenas"
        return f"{arenas}, {mode}, {layer_words(self.layers)}"

    @property
    def each(self) -> float:
        """Agents of a worker."""
        return self.arenas * 2 * self.team / self.workers

    @property
    def flops(self) -> float:
        """Of deciding once: a product and a sum for each parameter."""
        return 2.0 * self.parameters


class Line(NamedTuple):
    """y = start + slope · x."""

    start: float
    slope: float

    def at(self, x: float) -> float:
        """Its y."""
        return self.start + self.slope * x


@dataclass(frozen=True)
class Costs:
    """Of an agent step, in microseconds."""

    physics_us: Mapping[int, float]
    """Of a worker, by team size."""
    reading_us: Mapping[int, float]
    """The same of reading and paying."""
    deciding_us: Line
    """Of a worker, over the floating point operations of deciding."""
    decision_us: float
    """Of a worker for each decision of all its agents, however many they are."""
    busy: float
    """Share of the time that workers play rather than wait."""
    learning_us: Line
    """Of the whole machine for an epoch, over the operations of a pass forth and back."""


class Machine(NamedTuple):
    """Another machine, by comparison with the one that was measured."""

    name: str
    workers: int
    """Processes that play, a core each."""
    efficiency: float
    """Of each worker, as a share of what one does on the measured machine."""
    learning: float = 1.0
    """How many times as fast as the measured machine it learns, where it has no GPU."""
    gpu_flops: float = 0.0
    """Operations a second that an update comes to on one GPU; 0 has none."""
    gpus: float = 1.0
    """GPUs that share an update, each with a process of its own, what sharing costs taken off."""


def layer_words(layers: Sequence[int]) -> str:
    """For example 256-256-256."""
    return "-".join(map(str, layers))


def fit(points: Sequence[Point]) -> Costs:
    """The costs that explain the points.

    Raises:
        ValueError: When a curve is missing.
    """
    curves = {
        name: [point for point in points if point.curve == name]
        for name in ("arenas", "teams", "networks")
    }
    for name, found in curves.items():
        if len(found) < 2:
            raise ValueError(f"the model needs at least two points of the curve {name}")
    teams, networks = curves["teams"], curves["networks"]
    in_cache = [point for point in curves["arenas"] if point.arenas <= MOST_EACH * point.workers]
    fixed = [(1 / p.each, reading(p) + p.phases_us["decisions"]) for p in in_cache]
    learned = [(PASSES * p.flops, 1e6 / p.learn_sps) for p in networks if p.learn_sps]
    return Costs(
        physics_us={point.team: point.phases_us["physics"] for point in teams},
        reading_us={point.team: reading(point) for point in teams},
        deciding_us=fit_line([(p.flops, p.phases_us["decisions"]) for p in networks]),
        decision_us=fit_line(fixed).slope,
        busy=float(np.median([busy(point) for point in (*teams, *networks)])),
        learning_us=fit_line(learned),
    )


def reading(point: Point) -> float:
    """Microseconds of a worker for all but physics and decisions."""
    return sum(point.phases_us[phase] for phase in READING)


def busy(point: Point) -> float:
    """Share of the time that its workers played."""
    return sum(point.phases_us.values()) * point.collect_sps / point.workers / 1e6


def fit_line(points: Sequence[tuple[float, float]]) -> Line:
    """The line whose relative errors are least; neither start nor slope is below 0."""
    x, y = np.array(points).T
    # Minimises Σ ((a + b·x − y) / y)²
    columns = np.stack([1 / y, x / y], axis=1)
    (start, slope), *_ = np.linalg.lstsq(columns, np.ones(len(y)), rcond=None)
    if start < 0:
        ratios = x / y
        start, slope = 0.0, float(ratios.sum() / (ratios @ ratios))
    elif slope < 0:
        start, slope = float((1 / y).sum() / np.square(1 / y).sum()), 0.0
    return Line(float(start), float(slope))


def playing_us(costs: Costs, team: int, flops: float, each: float) -> float:
    """Microseconds of a worker for an agent step, with `each` agents a worker."""
    usual = USUAL_EACH * 2 * team
    fixed = costs.decision_us * (1 / each - 1 / usual)
    return costs.physics_us[team] + costs.reading_us[team] + costs.deciding_us.at(flops) + fixed


def collect_sps(costs: Costs, team: int, flops: float, each: float, workers: float) -> float:
    """Steps a second of so many workers that have a core each."""
    return workers * costs.busy * 1e6 / playing_us(costs, team, flops, each)


def learn_sps(costs: Costs, flops: float, machine: Machine | None = None) -> float:
    """Steps a second of an epoch, here or on another machine."""
    work = PASSES * flops
    if machine is None:
        return 1e6 / costs.learning_us.at(work)
    if machine.gpu_flops:
        # What does not grow with the networks is the processor's work: advantages and shuffling.
        return machine.gpus / (1e-6 * costs.learning_us.start + work / machine.gpu_flops)
    return 1e6 * machine.learning / costs.learning_us.at(work)


def overall_sps(collect: float, learn: float, epochs: int = 1) -> float:
    """Steps a second of whole iterations: first all is played, then all is learned from."""
    return 1 / (1 / collect + epochs / learn)


def errors(costs: Costs, points: Sequence[Point], cores: int) -> list[tuple[Point, float]]:
    """How far the model is off, as a share of what was measured, wherever it says anything.

    That is where workers have a core each and their arenas fit the caches; of collecting, or of
    whole iterations where learning was measured.
    """
    found = []
    for point in points:
        if point.workers > cores or point.arenas > MOST_EACH * point.workers:
            continue
        said = collect_sps(costs, point.team, point.flops, point.each, point.workers)
        seen = point.collect_sps
        if point.learn_sps is not None:
            said = overall_sps(said, learn_sps(costs, point.flops))
            seen = overall_sps(seen, point.learn_sps)
        found.append((point, said / seen - 1))
    return found


def predict(costs: Costs, machine: Machine, flops: float) -> tuple[float, float, float]:
    """Steps a second of collecting, of learning and of whole iterations in 1v1."""
    workers = machine.workers * machine.efficiency
    collect = collect_sps(costs, 1, flops, USUAL_EACH * 2, workers)
    learn = learn_sps(costs, flops, machine)
    return collect, learn, overall_sps(collect, learn)
