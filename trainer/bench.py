"""Measures a work as its user would meet it, and what this machine could do at most.

Trains in a folder of its own through the same door as `rlppo train`, and reads the metrics that any
run writes. Then physics, inference and update are measured alone, in the same minutes: noise of a
shared machine meets both. Tested by `tests/trainer/test_bench.py`.
"""

import gc
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from rlbot_agent.actions import NUM_ACTIONS
from trainer import jsonl
from trainer.bench_phases import phases_of
from trainer.builder import choose_device, fresh_state
from trainer.checkpoint import contract_of
from trainer.config import RunConfig
from trainer.files import write_atomic
from trainer.fit_to_play import fit_to_play
from trainer.memory import pss_mb
from trainer.meshes import find_meshes
from trainer.networks import parameter_vector
from trainer.resets import kickoff_starts
from trainer.run_dir import RunDir
from trainer.sim import Simulator
from trainer.sizes import count_workers
from trainer.training import Request, train
from trainer.worker import MakePolicy
from trainer.workers import who_decides

Floats = npt.NDArray[np.float32]

SKIPPED: Final = 3
"""Iterations that only warm up."""
LIMIT_S: Final = 4.0
"""Seconds that physics, and inference, are measured for."""


@dataclass(frozen=True)
class Result:
    """Of one work; steps are agent steps, and all are medians over the iterations."""

    work: str
    overall_sps: float
    """Steps a second of whole iterations."""
    collect_sps: float
    """Steps a second of the playing alone."""
    learn_sps: float
    """Steps a second while learning."""
    limit_sps: float
    """Steps a second if nothing but physics, inference and the update took time."""
    ratio_of_limit: float
    """Of `overall_sps`."""
    physics_sps: float
    """Steps a second of the physics alone, on all cores."""
    inference_sps: float
    """Steps a second of the networks' decisions alone, on all cores."""
    peak_rss_mb: float
    """Most memory of all processes; what they share counts in each."""
    first_iteration_s: float
    """From the start of building to the end of the first iteration."""
    phases: dict[str, float]
    """Seconds of an iteration by phase, means; "wall" was taken from outside."""
    workers: int
    """Processes that played."""
    machine: str
    """Cores and, where there is one, GPU."""
    pss_mb: float | None = None
    """Memory of all processes at the end, what they share counted once; None where nobody tells."""
    warnings: list[str] = field(default_factory=list)
    """What the run had to say of this machine, such as a GPU that cannot record."""


class Measured(NamedTuple):
    """A short training, as its metrics and the clock on the wall saw it."""

    records: list[dict[str, float]]
    """The metrics of each iteration after those that warm up."""
    walls: list[float]
    """Seconds of each of them, from outside: between the lines that report them."""
    first_s: float
    """Seconds from the start of building to the first such line."""
    pss_mb: float | None
    """As `Result` has it, and so are these."""
    warnings: list[str]


def measure_work(name: str, config: RunConfig, iterations: int, *, profile: bool) -> Result:
    """Train `config` for so many iterations beyond those that warm up, then measure the limit.

    `profile` waits for the GPU at the end of each phase.
    """
    measured = _train(config, SKIPPED + iterations, profile)
    rows = config.rollout_rows
    rollout_s, update_s = (
        statistics.median(record[f"Timing/{part}_s"] for record in measured.records)
        for part in ("rollout", "update")
    )
    physics, inference = (_in_processes(config, work) for work in (_physics, _inference))
    limit = 1 / (1 / physics + 1 / inference + update_s / rows)
    overall = rows / statistics.median(measured.walls)
    return Result(
        work=name,
        overall_sps=overall,
        collect_sps=rows / rollout_s,
        learn_sps=rows / update_s,
        limit_sps=limit,
        ratio_of_limit=overall / limit,
        physics_sps=physics,
        inference_sps=inference,
        peak_rss_mb=max(record["System/rss_mb"] for record in measured.records),
        first_iteration_s=measured.first_s,
        phases=phases_of(measured.records, measured.walls),
        workers=count_workers(config),
        machine=_machine_words(config),
        pss_mb=measured.pss_mb,
        warnings=measured.warnings,
    )


def _train(config: RunConfig, iterations: int, profile: bool) -> Measured:
    """Train in a folder that goes afterwards, and look at the clock whenever it reports."""
    ends = [time.perf_counter()]
    memory: float | None = None

    def note(line: str) -> None:
        nonlocal memory
        if line.startswith("iteration"):
            ends.append(time.perf_counter())
            if len(ends) > iterations:
                memory = pss_mb()

    with tempfile.TemporaryDirectory() as folder:
        run = RunDir(Path(folder))
        request = Request(run, config, run.path, "the benchmark", iterations, profile=profile)
        train(request, note)
        # A session refers to itself: what it holds of a GPU would wait for a collection.
        gc.collect()
        records = jsonl.read_all(run.metrics)[SKIPPED:]
        warnings = [e["text"] for e in jsonl.read_all(run.events) if e["kind"] == "warning"]
    walls = [end - start for start, end in pairwise(ends)]
    return Measured(records, walls[SKIPPED:], walls[0], memory, warnings)


def _in_processes(config: RunConfig, work: Callable[..., None]) -> float:
    """Steps a second of `work`, which as many processes do at once as would play."""
    workers = count_workers(config)
    state = fresh_state(config, torch.device("cpu"))
    vector, decides = parameter_vector(state.model).numpy(), who_decides(config, state.model)
    context = get_context("spawn")
    pipes: list[Connection] = []
    for rank in range(workers):
        share = config.model_copy(update={"sim": config.sim.worker_share(rank, workers)})
        ours, theirs = context.Pipe()
        arguments = (share, vector, decides, theirs)
        with fit_to_play():
            context.Process(target=work, args=arguments, daemon=True).start()
        pipes.append(ours)
    for pipe in pipes:
        pipe.recv()
    for pipe in pipes:
        pipe.send(LIMIT_S)
    return sum(float(pipe.recv()) for pipe in pipes)


def _physics(config: RunConfig, vector: Floats, decides: MakePolicy, orders: Connection) -> None:
    """Random actions, held for whole decisions, and nothing read."""
    sim, rng = config.sim, np.random.default_rng(config.seed)
    size = (sim.arenas, sim.teams, sim.tick_skip, sim.action_delay)
    simulator = Simulator(*size, find_meshes(sim.meshes), rng)
    simulator.reset(np.arange(sim.arenas), kickoff_starts(sim.arenas, sim.teams, rng))
    choices = [rng.integers(NUM_ACTIONS, size=(sim.arenas, len(sim.teams))) for _ in range(50)]
    _repeat(lambda turn: simulator.play(choices[turn % 50]), sim.agents, orders)


def _inference(config: RunConfig, vector: Floats, decides: MakePolicy, orders: Connection) -> None:
    """Decisions for as many agents as a worker has, among all actions."""
    rng, agents = np.random.default_rng(config.seed), config.sim.agents
    policy = decides(vector)
    obs = rng.normal(size=(agents, contract_of(config, 0).obs_width)).astype(np.float32)
    masks = np.ones((agents, NUM_ACTIONS), np.bool_)
    _repeat(lambda turn: policy.act(obs, masks, rng), agents, orders)


def _repeat(work: Callable[[int], object], steps: int, orders: Connection) -> None:
    """Do it once, tell, wait for the seconds to do it for, and send the steps a second."""
    work(0)
    orders.send("ready")
    seconds = float(orders.recv())
    started, turns = time.perf_counter(), 0
    while time.perf_counter() - started < seconds:
        turns += 1
        work(turns)
    orders.send(turns * steps / (time.perf_counter() - started))


def _machine_words(config: RunConfig) -> str:
    device = choose_device(config.device)
    gpu = f", {torch.cuda.get_device_name(device)}" if device.type == "cuda" else ""
    return f"{torch.get_num_threads()} threads, {torch.backends.cpu.get_cpu_capability()}{gpu}"


def lines_of(result: Result, before: Result | None) -> Sequence[str]:
    """The result for a person, with the ratio to an earlier one where there is one."""

    def line(name: str, unit: str) -> str:
        value = float(getattr(result, name))
        text = f"  {name:<18} {value:>12,.2f} {unit}"
        return text if before is None else f"{text}  x{value / float(getattr(before, name)):.2f}"

    rates = ("overall_sps", "collect_sps", "learn_sps", "physics_sps", "inference_sps", "limit_sps")
    return [
        f"{result.work}: {result.workers} workers, {result.machine}",
        *(line(name, "steps/s") for name in rates),
        line("ratio_of_limit", ""),
        line("peak_rss_mb", "MB"),
        *([] if result.pss_mb is None else [f"  {'pss_mb':<18} {result.pss_mb:>12,.2f} MB"]),
        line("first_iteration_s", "s"),
        *(f"  warning: {warning}" for warning in result.warnings),
    ]


def write_results(path: Path, results: Sequence[Result]) -> None:
    """One JSON object, by work."""
    record = {result.work: asdict(result) for result in results}
    write_atomic(path, (json.dumps(record, indent=2) + "\n").encode())


def read_results(path: Path) -> dict[str, Result]:
    """What `write_results` wrote.

    Raises:
        OSError: When it cannot be read.
        ValueError: When it is something else.
    """
    try:
        return {name: Result(**record) for name, record in json.loads(path.read_text()).items()}
    except (AttributeError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path} is no measurement of this version: {error}") from error
