"""Measures a work as its user would meet it, and what this machine could do at most.

Trains in a folder of its own through the same door as `rlppo train`, and reads the metrics that any
run writes. What `bench_limit.py` counts with is measured alone in the same minutes: noise of a
shared machine meets both. Tested by `tests/trainer/test_bench.py`.
"""

import gc
import json
import os
import statistics
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

import torch
from pydantic import TypeAdapter, ValidationError

from trainer import jsonl
from trainer.bench_alone import measure_inference, measure_physics, measure_update
from trainer.bench_limit import Alone, Load, limit_sps
from trainer.bench_phases import phases_of
from trainer.builder import choose_device, decides_centrally
from trainer.config import RunConfig
from trainer.files import write_atomic
from trainer.memory import pss_mb
from trainer.run_dir import RunDir
from trainer.sizes import count_cores, count_workers
from trainer.training import Request, train

SKIPPED: Final = 3
"""Iterations that only warm up."""


@dataclass(frozen=True)
class Result:
    """Of one work; steps are agent steps, and all are medians over the iterations."""

    work: str
    overall_sps: float
    """Steps a second of whole iterations."""
    collect_sps: float
    """Steps a second of the playing alone."""
    learn_sps: float
    """Steps a second while learning; with `ppo.overlap`, others play meanwhile."""
    limit_sps: float
    """Steps a second if nothing but physics, inference and the update took time; see
    `bench_limit.limit_sps` for which of them go on at once."""
    ratio_of_limit: float
    """Of `overall_sps`."""
    physics_sps: float
    """Steps a second of the physics alone, on all cores."""
    inference_sps: float
    """Steps a second of the networks' decisions alone, by whoever decides in the run."""
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
    update_sps: float | None = None
    """Steps a second of the update alone; None in files from before it was told."""
    settings: list[str] | None = None
    """What was set over the work, as who measured it notes; None in files from before it was."""


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
    alone = _alone(config, update_s / rows)
    limit = _limit_sps(config, alone)
    overall = rows / statistics.median(measured.walls)
    return Result(
        work=name,
        overall_sps=overall,
        collect_sps=rows / rollout_s,
        learn_sps=rows / update_s,
        limit_sps=limit,
        ratio_of_limit=overall / limit,
        physics_sps=alone.physics.sps,
        inference_sps=alone.inference.sps,
        peak_rss_mb=max(record["System/rss_mb"] for record in measured.records),
        first_iteration_s=measured.first_s,
        phases=phases_of(measured.records, measured.walls),
        workers=count_workers(config),
        machine=_machine_words(config),
        pss_mb=measured.pss_mb,
        warnings=measured.warnings,
        update_sps=alone.update.sps,
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
    if len(ends) <= iterations:
        raise KeyboardInterrupt  # which `train` took for a wish to end in order
    walls = [end - start for start, end in pairwise(ends)]
    return Measured(records, walls[SKIPPED:], walls[0], memory, warnings)


def _alone(config: RunConfig, update_s: float) -> Alone:
    """By themselves; `update_s` is what the run took to learn from an agent step."""
    # In turn, nothing else goes on while a run learns: that was the update alone, and how many
    # cores it kept busy does not matter. Beside play it took longer than it would have.
    update = measure_update(config) if config.ppo.overlap else Load(update_s, 0.0)
    return Alone(measure_physics(config), measure_inference(config), update)


def _limit_sps(config: RunConfig, alone: Alone) -> float:
    central = decides_centrally(config, choose_device(config.device))
    hides, cores = central and count_workers(config) > 1, count_cores()
    return limit_sps(alone, hides=hides, overlaps=config.ppo.overlap, cores=cores)


def _machine_words(config: RunConfig) -> str:
    device = choose_device(config.device)
    gpu = f", {torch.cuda.get_device_name(device)}" if device.type == "cuda" else ""
    return f"{torch.get_num_threads()} threads, {torch.backends.cpu.get_cpu_capability()}{gpu}"


def lines_of(result: Result, before: Result | None) -> Sequence[str]:
    """The result for a person, with the ratio to an earlier one where there is one."""

    def line(name: str, unit: str) -> str:
        text = f"  {name:<18} {getattr(result, name):>12,.2f} {unit}"
        earlier = None if before is None else getattr(before, name)
        return text if earlier is None else f"{text}  x{getattr(result, name) / earlier:.2f}"

    names = ("overall", "collect", "learn", "physics", "inference", "update", "limit")
    rates = [f"{name}_sps" for name in names if getattr(result, f"{name}_sps") is not None]
    return [
        f"{result.work}: {result.workers} workers, {result.machine}",
        *([] if before is None else [_comparison(result, before)]),
        *(line(name, "steps/s") for name in rates),
        line("ratio_of_limit", ""),
        line("peak_rss_mb", "MB"),
        *([] if result.pss_mb is None else [line("pss_mb", "MB")]),
        line("first_iteration_s", "s"),
        *(f"  warning: {warning}" for warning in result.warnings),
    ]


def _comparison(result: Result, before: Result) -> str:
    """What the ratios are to."""
    other = "" if before.machine == result.machine else ": another machine"
    settings = _other_settings(result.settings or [], before.settings)
    return f"  compared with {before.workers} workers, {before.machine}{other}{settings}"


def _other_settings(now: Sequence[str], then: Sequence[str] | None) -> str:
    if then is None:
        return "; what was set over it is not told"
    had = [setting for setting in then if setting not in now]
    lacked = [setting for setting in now if setting not in then]
    more = f"; it had {', '.join(had)}" if had else ""
    return more + (f"; it had no {', '.join(lacked)}" if lacked else "")


def write_results(path: Path, results: Sequence[Result]) -> None:
    """One JSON object, by work."""
    record = {result.work: asdict(result) for result in results}
    write_atomic(path, (json.dumps(record, indent=2) + "\n").encode())


def read_results(path: Path, works: Iterable[str] = ()) -> dict[str, Result]:
    """What `write_results` wrote, in which each of `works` must be.

    Raises:
        OSError: When it cannot be read.
        ValueError: When it is something else, or of other works.
    """
    try:
        found = TypeAdapter(dict[str, Result]).validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(f"{part}." for part in first["loc"]).rstrip(".")
        words = f"{place}: {first['msg']}" if place else first["msg"]
        raise ValueError(f"{path} is no measurement of this version: {words}") from error
    missing = [work for work in works if work not in found]
    if missing:
        held = ", ".join(found) or "nothing"
        raise ValueError(f"{path} has no measurement of {', '.join(missing)}; it holds {held}")
    return found


def require_place(path: Path) -> None:
    """Refuse a file that could not be written, before anything is measured for it.

    Raises:
        ValueError: Saying why.
    """
    if path.is_dir():
        raise ValueError(f"cannot write {path}: it is a folder")
    if not path.parent.is_dir():
        raise ValueError(f"cannot write {path}: {path.parent} is no folder")
    if not os.access(path.parent, os.W_OK):
        raise ValueError(f"cannot write {path}: {path.parent} may not be written to")
