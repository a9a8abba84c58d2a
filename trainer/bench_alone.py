"""Physics, inference and the update of a config, each measured by itself, as a run does them.

Who decides here is who would: workers, the trainer for all of them, or the trainer that plays.
Tested by `tests/trainer/test_bench_alone.py`.
"""

from collections.abc import Callable
from contextlib import closing
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Final

import numpy as np
import torch

from rlbot_agent.actions import NUM_ACTIONS
from trainer import bench_pieces
from trainer.bench_limit import Load, together
from trainer.bench_pieces import timed
from trainer.builder import choose_device, decides_centrally, fresh_state
from trainer.checkpoint import TrainingState
from trainer.config import RunConfig
from trainer.crew import WorkerError, agent_columns
from trainer.deciding import Deciding, decide_row
from trainer.fit_to_play import fit_to_play
from trainer.networks import parameter_vector
from trainer.policy import TorchPolicy
from trainer.reward_lesson import learn
from trainer.shared_arrays import Plan, SharedArrays
from trainer.sizes import count_workers
from trainer.torch_threads import one_torch_thread
from trainer.trials import random_rollout
from trainer.workers import who_decides

LIMIT_S: Final = 4.0
"""Seconds that each is measured for."""


def measure_physics(config: RunConfig) -> Load:
    """Of as many processes at once as would play, which wait for nobody."""
    return _in_processes(config, "physics", bench_pieces.physics)


def measure_inference(config: RunConfig) -> Load:
    """Of whoever decides in a run of `config`.

    Where the trainer does for its workers, that is all of `decide_row`: copies from the memory that
    workers write into, the step as it was recorded, and the actions back; group after group.
    """
    device = choose_device(config.device)
    if decides_centrally(config, device):
        return _on(device, _decided_here(config, fresh_state(config, device)))
    if count_workers(config) > 1:
        return _decided_by_workers(config)
    return _on(device, _decided_in_play(config, fresh_state(config, device)))


def measure_update(config: RunConfig) -> Load:
    """Of the trainer's own process, on a rollout of random rows that lies where a run's would."""
    device = choose_device(config.device)
    state, rng = fresh_state(config, device), np.random.default_rng(config.seed)
    sizes = (config.rollout_length, config.sim.agents, state.model.obs_width, NUM_ACTIONS)
    rollout = random_rollout(*sizes, rng)
    if decides_centrally(config, device):
        rollout = rollout.to(device)

    def update(turn: int) -> None:
        learn(config.ppo, state, rollout, _nothing)

    update(0)
    return _on(device, timed(update, rollout.num_rows, LIMIT_S))


def _decided_here(config: RunConfig, state: TrainingState) -> Load:
    """By the very groups of `Central`, without the workers."""
    deciding = Deciding(config, state.model, agent_columns(config.sim, count_workers(config)))
    obs, rng = deciding.shared.obs, np.random.default_rng(config.seed)
    obs.copy_(torch.from_numpy(rng.normal(size=tuple(obs.shape))))
    deciding.shared.masks.fill_(True)
    deciding.arrays["uniforms"][:] = rng.random(obs.shape[:2], np.float32)

    def rows(turn: int) -> None:
        for group in deciding.groups:
            decide_row(group, turn % len(obs), None)

    with closing(deciding), one_torch_thread(), deciding.acting(), torch.no_grad():
        deciding.pin()
        rows(0)
        return timed(rows, config.sim.agents, LIMIT_S)


def _decided_in_play(config: RunConfig, state: TrainingState) -> Load:
    """By the networks that learn, in the process that plays too."""
    rng, agents = np.random.default_rng(config.seed), config.sim.agents
    policy = TorchPolicy(state.model, next(state.model.parameters()).device)
    obs = rng.normal(size=(agents, state.model.obs_width)).astype(np.float32)
    masks = np.ones((agents, NUM_ACTIONS), np.bool_)
    with one_torch_thread():
        policy.act(obs, masks, rng)
        return timed(lambda turn: policy.act(obs, masks, rng), agents, LIMIT_S)


def _decided_by_workers(config: RunConfig) -> Load:
    """By as many processes as would play, by parameters that lie in memory which all of them see.

    Handed to each, they would keep the next one from starting until they were taken.
    """
    model = fresh_state(config, torch.device("cpu")).model
    parameters = parameter_vector(model).numpy()
    plans = {"parameters": Plan(parameters.shape, "float32")}
    shared = SharedArrays(plans, get_context("spawn"))
    shared["parameters"][:] = parameters
    work = partial(bench_pieces.decisions, shared, who_decides(config, model))
    return _in_processes(config, "decisions", work)


def _in_processes(
    config: RunConfig, name: str, work: Callable[[RunConfig, Connection], None]
) -> Load:
    """Of `work`, which as many processes do at once as would play, each for its own arenas."""
    workers, context = count_workers(config), get_context("spawn")
    pipes: list[Connection] = []
    processes: list[SpawnProcess] = []
    try:
        for rank in range(workers):
            share = config.model_copy(update={"sim": config.sim.worker_share(rank, workers)})
            ours, theirs = context.Pipe()
            process = context.Process(target=work, args=(share, theirs), daemon=True)
            with fit_to_play():
                process.start()
            theirs.close()
            processes.append(process)
            pipes.append(ours)
        for pipe in pipes:
            pipe.recv()
        for pipe in pipes:
            pipe.send(LIMIT_S)
        return together([pipe.recv() for pipe in pipes])
    except (EOFError, ConnectionError):
        raise WorkerError(f"a process that measured {name} alone died") from None
    finally:
        # Where something went wrong, others would go on, or wait for orders.
        for process in processes:
            process.terminate()
            process.join()


def _on(device: torch.device, load: Load) -> Load:
    """On a GPU no core is needed, though one may be busy waiting for it."""
    return load._replace(cores_s=0.0) if device.type == "cuda" else load


def _nothing() -> None:
    pass
