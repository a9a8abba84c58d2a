"""What a process that plays does, measured by itself: physics, or its own decisions.

Loads no PyTorch, as such a process does not. Tested by `tests/trainer/test_bench_alone.py`.
"""

import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Final

import numpy as np

from rlbot_agent.actions import NUM_ACTIONS
from trainer.bench_limit import Load
from trainer.config import RunConfig
from trainer.config_sim import SimConfig
from trainer.meshes import find_meshes
from trainer.resets import kickoff_starts
from trainer.shared_arrays import SharedArrays
from trainer.sim import Simulator
from trainer.sizes import obs_width
from trainer.worker import MakePolicy

TURNS: Final = 50
"""Decisions' worth of random actions, over and over."""


def timed(
    work: Callable[[int], object],
    steps: int,
    seconds: float,
    wall: Callable[[], float] = time.perf_counter,
    cores: Callable[[], float] = time.process_time,
) -> Load:
    """What an agent step takes of `work`, which is of `steps`, in so many seconds or one turn.

    Args:
        work: Gets the number of its turn.
        steps: Agent steps of each turn.
        seconds: After which no turn begins.
        wall: The wall's clock.
        cores: Seconds that this process computed, in all of its threads.
    """
    started, computed, turns = wall(), cores(), 0
    while not turns or wall() - started < seconds:
        work(turns)
        turns += 1
    return Load((wall() - started) / (turns * steps), (cores() - computed) / (turns * steps))


def physics(config: RunConfig, orders: Connection) -> None:
    """Random actions, held for whole decisions, and nothing read; the life of a process."""
    sim, rng = config.sim, np.random.default_rng(config.seed)
    plays = [_physics_of(sim.only(mode), rng) for mode in sim.played]
    _obey(lambda turn: [play(turn) for play in plays], sim.agents, orders)


def _physics_of(sim: SimConfig, rng: np.random.Generator) -> Callable[[int], None]:
    """Plays a decision in the arenas of one mode."""
    size = (sim.arenas, sim.teams, sim.tick_skip, sim.action_delay)
    simulator = Simulator(*size, find_meshes(sim.meshes), rng)
    simulator.reset(np.arange(sim.arenas), kickoff_starts(sim.arenas, sim.teams, rng))
    choices = [rng.integers(NUM_ACTIONS, size=(sim.arenas, len(sim.teams))) for _ in range(TURNS)]
    return lambda turn: simulator.play(choices[turn % TURNS])


def decisions(
    shared: SharedArrays, decides: MakePolicy, config: RunConfig, orders: Connection
) -> None:
    """Decisions for as many agents as a worker has, among all actions; the life of a process.

    By the "parameters" in `shared`.
    """
    rng, agents = np.random.default_rng(config.seed), config.sim.agents
    policy = decides(shared["parameters"])
    obs = rng.normal(size=(agents, obs_width(config.sim))).astype(np.float32)
    masks = np.ones((agents, NUM_ACTIONS), np.bool_)
    _obey(lambda turn: policy.act(obs, masks, rng), agents, orders)


def _obey(work: Callable[[int], object], steps: int, orders: Connection) -> None:
    """Do it once, tell, wait for the seconds to do it for, and send what a step takes."""
    # It reaches all processes of a terminal; the one that measures them decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    work(0)
    orders.send("ready")
    orders.send(timed(work, steps, float(orders.recv())))
