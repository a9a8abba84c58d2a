"""Where the time of an iteration goes, by the metrics of a run and the clock on the wall.

Knows no training. Tested by `tests/trainer/test_bench_phases.py`; that nothing is left unaccounted
for in a run, by `tests/trainer/test_learner.py`.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Final

from trainer.stopwatch import PHASES, UPDATE_PHASES

PARTS: Final = {
    "collect": ("rollout", *PHASES, "waiting"),
    "update": UPDATE_PHASES,
    "save": (),
    "publish": (),
}
"""What an iteration is made of, and what each of those is made of. A rollout is made of the phases
that follow it; with `ppo.overlap`, most of it is beside the update before and in no collecting."""


def phases_of(records: Sequence[Mapping[str, float]], walls: Sequence[float]) -> dict[str, float]:
    """Mean seconds of an iteration by phase.

    "unaccounted" is what "wall" has beyond collecting, the update's phases, saving and publishing,
    so that these and it are the wall's time, whatever was measured.
    """
    names = [name for part, phases in PARTS.items() for name in (part, *phases)]
    means = {
        name: statistics.fmean(record[f"Timing/{name}_s"] for record in records) for name in names
    }
    wall = statistics.fmean(walls)
    found = math.fsum(means[name] for name in ("collect", *UPDATE_PHASES, "save", "publish"))
    return means | {"unaccounted": wall - found, "wall": wall}


def phase_lines(phases: Mapping[str, float]) -> Sequence[str]:
    """Where the time of an iteration goes, for a person: `phases` as `phases_of` has them."""
    wall = phases["wall"]

    def line(name: str, indent: str = "  ") -> str:
        return f"{indent + name:<20} {phases[name]:>10,.4f} s {phases[name] / wall:>7.1%}"

    lines = ["  of an iteration"]
    for part, parts in PARTS.items():
        lines += [line(part, "    "), *(line(name, "      ") for name in parts)]
    return [*lines, line("unaccounted", "    "), line("wall", "    ")]
