"""What to try, in which order, and what to take: a search over workers, arenas and chunk sizes.

Knows no machine: whoever calls it measures. Tested by `tests/trainer/test_tuning.py`, on machines
that are formulas.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from trainer.config import RunConfig

ARENAS_OF_A_WORKER: Final = (16, 32, 64, 128, 256)
"""What is tried, the middle one first."""
FIRST: Final = 64
CHUNKS: Final = (1024, 2048, 4096, 8192, 16384)
"""Rows of one pass forth and back that are tried."""
NEAR: Final = 0.97
"""Share of the fastest from which on less memory and longer rollouts count more than speed; a
shared machine cannot tell apart what is nearer than that."""
LEAST_DECISIONS: Final = 32
"""Decisions of the shortest rollout that is chosen. GAE with the usual γ = 0.99 and λ = 0.95 looks
ahead 1 / (1 - γλ) = 17 decisions, about. In 32 a row in the middle has 1 - (γλ)^16 = 63 % of its
weight on what was played; in much shorter ones most is the critic's guess at the cut."""


class Layout(NamedTuple):
    """How arenas are dealt to processes."""

    workers: int
    """Processes that play."""
    arenas: int
    """Of all of them together."""


Duel = Callable[[Layout, Layout], tuple[float, float]]
"""Measures two in turn, in the same moments: steps a second of each."""


class Try(NamedTuple):
    """What was found of one layout."""

    sps: float
    """Steps a second, as measured."""
    speed: float
    """In units of the first layout's: comparable, whatever else the machine did meanwhile."""


def worker_counts(cores: int) -> list[int]:
    """All cores, all but one, half of them, one: each once."""
    return list(dict.fromkeys(max(1, count) for count in (cores, cores - 1, cores // 2, 1)))


def search(
    first: Layout,
    cores: int,
    possible: Callable[[Layout], bool],
    duel: Duel,
    note: Callable[[Layout, Try], None],
) -> dict[Layout, Try]:
    """Workers at a middling number of arenas, then arenas upward while that pays, else downward.

    Each is measured against the fastest so far.

    Args:
        first: What there is now; the measure of all others.
        cores: That may be used.
        possible: Whether a layout may be measured at all; `first` is not asked about.
        duel: Measures.
        note: Is told of each as soon as it was measured.

    Returns:
        All that were measured; none when nothing but `first` is possible.
    """
    tries: dict[Layout, Try] = {}
    speeds = {first: 1.0}

    def found(layout: Layout, sps: float) -> None:
        if layout not in tries:
            tries[layout] = Try(sps, speeds[layout])
            note(layout, tries[layout])

    def pays(layout: Layout) -> float:
        """Its speed in units of the fastest before it; 0 when it cannot be measured."""
        fastest = max(speeds, key=lambda known: speeds[known])
        if layout not in speeds:
            if not possible(layout):
                return 0.0
            before, sps = duel(fastest, layout)
            speeds[layout] = speeds[fastest] * sps / before
            found(fastest, before)
            found(layout, sps)
        return speeds[layout] / speeds[fastest]

    for workers in worker_counts(cores):
        middling = (each for each in reversed(ARENAS_OF_A_WORKER) if each <= FIRST)
        any(pays(Layout(workers, workers * each)) for each in middling)
    workers, arenas = max(speeds, key=lambda known: speeds[known])
    more, fewer = _steps_from(arenas / workers)
    climbed = _walk(workers, more, lambda layout: pays(layout) * NEAR > 1)
    if not climbed:
        _walk(workers, fewer, lambda layout: pays(layout) >= NEAR)
    return tries


def _steps_from(each: float) -> tuple[list[int], list[int]]:
    """The numbers of arenas of a worker beyond `each`, upward, and those below it, downward."""
    more = [count for count in ARENAS_OF_A_WORKER if count > each]
    return more, [count for count in reversed(ARENAS_OF_A_WORKER) if count < each]


def _walk(workers: int, steps: Sequence[int], pays: Callable[[Layout], bool]) -> bool:
    """Take steps while they pay; whether the first did."""
    paid = [*takewhile(lambda each: pays(Layout(workers, workers * each)), steps)]
    return bool(paid)


def choose(tries: Mapping[Layout, Try]) -> Layout:
    """The one with the fewest arenas, then workers, of all that are near the fastest."""
    best = max(found.speed for found in tries.values())
    near = [layout for layout, found in tries.items() if found.speed >= NEAR * best]
    return min(near, key=lambda layout: (layout.arenas, layout.workers))


def choose_chunk(speeds: Mapping[int, float]) -> int:
    """The smallest chunk of all that are near the fastest: it needs the least memory."""
    best = max(speeds.values())
    return min(size for size, speed in speeds.items() if speed >= NEAR * best)


def chunks_of(batch: int, own: int) -> Iterator[int]:
    """Chunk sizes that cut `batch` rows in different ways, with `own` among them, in order."""
    seen = {math.ceil(batch / own)}
    for size in sorted({own, *CHUNKS}):
        parts = math.ceil(batch / size)
        if size == own or (size <= batch and parts not in seen):
            seen.add(parts)
            yield size


def with_layout(config: RunConfig, layout: Layout) -> RunConfig:
    """The config with its arenas dealt so.

    Raises:
        ValueError: When that cannot be, such as fewer arenas than modes.
    """
    sim = {"workers": layout.workers, "arenas": layout.arenas}
    return RunConfig.model_validate(config.model_dump() | {"sim": config.sim.model_dump() | sim})
