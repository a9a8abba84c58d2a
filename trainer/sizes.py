"""What a config comes to in numbers, before anything is built: rows, steps, parameters, memory.

Arithmetic on settings only, so a form can ask it with every key; `check.py` builds and measures.
Loads neither numpy nor torch. Tested by `tests/trainer/test_sizes.py`, against what is built.
"""

import math
import os
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from trainer.config import RunConfig
from trainer.config_sim import SimConfig
from trainer.modes import team_sizes

ACTIONS: Final = 90
"""A, rows of the action table."""
OBS_WIDTHS: Final = {
    "default": (92, 40),
    "local": (116, 34),
    "rlgymppo_default": (53, 44),
    "rlgymppo_advanced": (87, 44),
}
"""D of each observation in 1v1, and what each further car in both teams adds to it."""
NORM_VECTORS: Final = {"none": 0, "rms_norm": 1, "layer_norm": 2}
"""Parameters of a norm, as vectors of its width."""

TRAINER_MB: Final = 320.0
"""Resident memory of the trainer itself on a CPU, most of it PyTorch (docs/performance.md)."""
WORKER_MB: Final = 60.0
ARENA_MB: Final = 0.36
"""Resident memory of a process that plays, without arenas, and of each (docs/performance.md)."""
MEGABYTE: Final = 2**20


class Sizes(NamedTuple):
    """What one iteration comes to."""

    decisions: int
    """T, of each agent."""
    agents: int
    """N, in all arenas."""
    game_s: float
    """Seconds that each arena plays."""
    batches: int
    """Optimizer steps of an epoch."""
    optimizer_steps: int
    """Of all epochs."""
    passes: int
    """Forward passes of the largest batch."""
    parameters: dict[str, int]
    """Of each network that has any."""
    memory_mb: dict[str, float]
    """MB by who takes it, about, on a CPU; docs/performance.md compares it with measured runs."""


def sizes_of(config: RunConfig, ticks_per_second: int = 120) -> Sizes:
    """The sizes of `config` on this machine, which counts for `sim.workers` 0 only."""
    rows, batch = config.rollout_rows, config.ppo.batch_size
    batches = max(1, round(rows / batch))
    return Sizes(
        decisions=config.rollout_length,
        agents=config.sim.agents,
        game_s=config.rollout_length * config.sim.tick_skip / ticks_per_second,
        batches=batches,
        optimizer_steps=batches * config.ppo.epochs,
        passes=math.ceil(math.ceil(rows / batches) / config.ppo.minibatch_size),
        parameters=parameters(config),
        memory_mb=memory_mb(config),
    )


def parameters(config: RunConfig) -> dict[str, int]:
    """Numbers that training may change, of each network that has any."""
    networks, norm = config.networks, NORM_VECTORS[config.networks.norm]
    width = obs_width(config.sim)
    features = (width, *networks.shared)[-1]
    counts = {
        "shared": _layers(width, networks.shared, norm),
        "actor": _network(features, networks.actor, ACTIONS, norm),
        "critic": _network(features, networks.critic, 1, norm),
    }
    return {name: count for name, count in counts.items() if count}


def obs_width(sim: SimConfig) -> int:
    """D, numbers an agent sees."""
    duel, car = OBS_WIDTHS[sim.observation]
    return duel + car * ((sim.padding or team_sizes(sim.played[0])[0]) - 1)


def row_bytes(width: int) -> int:
    """Bytes of one agent step in a rollout of observations of that width."""
    # Observation, mask, action; log-probability, value, reward and next value; two ends, valid.
    return 4 * width + ACTIONS + 8 + 4 * 4 + 3


def memory_mb(config: RunConfig) -> dict[str, float]:
    """MB by who takes it, about; see `Sizes.memory_mb`."""
    workers, sim = count_workers(config), config.sim
    others = workers if workers > 1 or sim.inference == "central" else 0
    rollouts = 2 if config.ppo.overlap else 1
    # Weights, gradients and AdamW's two moments, 4 bytes each; L2 Init keeps the first weights.
    copies = 5 if config.ppo.regeneration else 4
    rows = min(config.ppo.minibatch_size, config.rollout_rows)
    row_mb = row_bytes(obs_width(sim)) / MEGABYTE
    return {
        "trainer": TRAINER_MB,
        "workers": others * WORKER_MB,
        "arenas": sim.arenas * ARENA_MB,
        "rollout": rollouts * config.rollout_rows * row_mb,
        "batch": min(config.ppo.batch_size, config.rollout_rows) * row_mb,
        "networks": copies * 4 * sum(parameters(config).values()) / MEGABYTE,
        "one pass": chunk_mb(config, rows),
        **_old_opponents_mb(config),
    }


def _old_opponents_mb(config: RunConfig) -> dict[str, float]:
    """The actors of versions that play and of those that just played, and a copy of the former."""
    selfplay, keep = config.selfplay, config.versions.keep
    if not selfplay.chance:
        return {}
    drawn_from = min(selfplay.in_memory, keep or selfplay.in_memory)
    held = min(drawn_from, 2 * selfplay.groups) + selfplay.groups
    numbers = sum(count for name, count in parameters(config).items() if name != "critic")
    return {"old opponents": held * 4 * numbers / MEGABYTE}


def chunk_mb(config: RunConfig, rows: int) -> float:
    """About what a pass forth and back of so many rows takes, beyond the networks."""
    networks = config.networks
    widths = sum(sum(layers) for layers in (networks.shared, networks.actor, networks.critic))
    # What each layer gives before and after its activation, and before its norm where it has one,
    # and the gradient of it; 4 bytes.
    numbers = 3 if networks.norm == "none" else 4
    return rows * widths * numbers * 4 / MEGABYTE


def count_workers(config: RunConfig) -> int:
    """How many processes play; never more than there are arenas."""
    least = 2 if config.ppo.overlap else 1  # on a machine with one core too
    return min(config.sim.workers or max(count_cores(), least), config.sim.arenas)


def count_cores() -> int:
    """How many this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return cores or 1


def _layers(width: int, layers: Sequence[int], norm: int) -> int:
    """Weights, bias and norm of each hidden layer."""
    return sum((before + 1 + norm) * after for before, after in pairwise((width, *layers)))


def _network(width: int, layers: Sequence[int], width_out: int, norm: int) -> int:
    """The hidden layers, then one bare linear one."""
    return _layers(width, layers, norm) + ((width, *layers)[-1] + 1) * width_out
