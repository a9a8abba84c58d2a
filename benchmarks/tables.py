"""What was measured of growth, and predicted from it, as tables for docs/performance.md.

Tested by `tests/benchmarks/test_growth.py`.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from benchmarks.growth import LARGE, SMALL, Growth
from benchmarks.model import USUAL_EACH, Costs, Machine, errors, layer_words, predict
from trainer.sizes import ARENA_MB, WORKER_MB

MACHINES: Final = (
    Machine("desktop, 24 cores", 24, 0.85, learning=24 / 2 * 0.6),
    Machine("desktop, 24 cores, one GPU", 24, 0.85, gpu_flops=20e12),
    Machine("node, 192 cores, one of its GPUs", 192, 0.7, gpu_flops=60e12),
    Machine("node, 192 cores, 8 GPUs", 192, 0.7, gpu_flops=60e12, gpus=8 * 0.9),
)
"""For a measured machine of two cores; what they assume is said in docs/performance.md."""


def lines_of(found: Growth) -> Iterator[str]:
    """The tables of docs/performance.md."""
    costs = found.costs
    yield from _curve_lines(found)
    yield from ("", *_cost_lines(costs), "")
    off = errors(costs, found.points, found.cores)
    fitted = [abs(error) for point, error in off if point.curve != "check"]
    checks = [f"{p.words}: {error:+.0%}" for p, error in off if p.curve == "check"]
    median, most = np.median(fitted), max(fitted)
    off_by = f"off by {median:.0%} in the middle, {most:.0%} at most"
    yield f"Of {len(fitted)} sizes the model is {off_by};"
    yield f"of sizes that it was not fitted to: {'; '.join(checks)}."
    yield from ("", *_prediction_lines(found))


def _curve_lines(found: Growth) -> Iterator[str]:
    yield "| curve | size | collecting | learning | physics | decisions | worker, MB |"
    yield "|---|---|---|---|---|---|---|"
    for point in found.points:
        whole = sum(point.phases_us.values())
        shares = [f"{point.phases_us[name] / whole:.0%}" for name in ("physics", "decisions")]
        learn = f"{point.learn_sps:,.0f}" if point.learn_sps else ""
        memory = f"{point.worker_mb:.0f}" if point.worker_mb else ""
        cells = (
            point.curve,
            point.words,
            f"{point.collect_sps:,.0f}",
            learn,
            *shares,
            memory,
        )
        yield f"| {' | '.join(cells)} |"


def _cost_lines(costs: Costs) -> Iterator[str]:
    """The fitted numbers, in units that a person knows."""
    deciding, learning = costs.deciding_us, costs.learning_us
    teams = " / ".join(f"{team}v{team}" for team in costs.physics_us)
    physics, rest = (
        " / ".join(f"{us:.1f}" for us in found.values())
        for found in (costs.physics_us, costs.reading_us)
    )
    yield f"| an agent step costs | {teams} |"
    yield "|---|---|"
    yield f"| physics, µs of a worker | {physics} |"
    yield f"| reading, paying, showing, storing, µs of a worker | {rest} |"
    yield f"| deciding, µs of a worker | {deciding.start:.1f} + FLOP / {_rate(deciding.slope)} |"
    yield f"| each decision of a worker, µs, whatever its agents | {costs.decision_us:.0f} |"
    yield f"| share of the time that workers play | {costs.busy:.0%} |"
    yield f"| an epoch, µs of the machine | {learning.start:.1f} + FLOP / {_rate(learning.slope)} |"


def _rate(slope: float) -> str:
    """A slope in µs/FLOP, as operations a second."""
    return f"{1e-3 / slope:,.0f} GFLOP/s" if slope else "∞"


def _prediction_lines(found: Growth) -> Iterator[str]:
    yield "| machine | networks | collecting | learning | overall | bound by | workers, GB |"
    yield "|---|---|---|---|---|---|---|"
    flops = {point.layers: point.flops for point in found.points if point.curve == "networks"}
    for machine in MACHINES:
        for layers in (SMALL, LARGE):
            collect, learn, overall = predict(found.costs, machine, flops[layers])
            bound = "the update" if learn < collect else "playing"
            memory = machine.workers * (WORKER_MB + USUAL_EACH * ARENA_MB) / 1024
            numbers = [f"{sps:,.0f}" for sps in (collect, learn, overall)]
            cells = (machine.name, layer_words(layers), *numbers, bound, f"{memory:.1f}")
            yield f"| {' | '.join(cells)} |"
