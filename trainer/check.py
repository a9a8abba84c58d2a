"""What a config comes to: sizes, memory, parameters, speed; builds everything once, writes nothing.

Tested by `tests/trainer/test_cli.py`.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from torch import nn

from rlbot_agent.field import TICKS_PER_SECOND
from trainer.builder import Parts, build, decides_centrally, device_words
from trainer.checkpoint import contract_of
from trainer.config import RunConfig
from trainer.config_ppo import Precision
from trainer.memory import memory_mb
from trainer.meshes import find_meshes
from trainer.networks import parameter_count
from trainer.precision import autocast, tf32_allowed
from trainer.reward_lesson import learn
from trainer.rollout import rollout_plans
from trainer.sizes import count_workers

TRIAL_ROWS = 15_000
"""Agent steps of the measurement, about: a second or so on two cores."""
PASSES = 4
"""Of each precision that is timed; the first only warms up."""
MEGABYTE = 2**20


def check(config: RunConfig, config_folder: Path) -> Iterator[str]:
    """Build what `config` says and yield one line a finding.

    Raises:
        MeshError, RewardError, StartFileError, DeviceError: When something it names is missing.
    """
    trial = _trial_of(config)
    parts = build(trial, config_folder, None)
    try:
        yield from _sizes(config)
        yield from _networks(parts)
        yield f"device        {device_words(parts.device)}"
        yield f"workers       {_workers_words(config, parts.device)}"
        yield from _speed(config, trial, parts)
        yield from _precision(config, parts)
        yield from _memory(config, parts)
        yield f"meshes        {find_meshes(config.sim.meshes)}"
        for warning in parts.players.warnings:
            yield f"warning       {warning}"
    finally:
        parts.players.close()


def _sizes(config: RunConfig) -> Iterator[str]:
    sim, contract = config.sim, contract_of(config, 0)
    decisions = TICKS_PER_SECOND / sim.tick_skip
    steps = config.rollout_length
    modes = ", ".join(f"{arenas:,} of {mode}" for mode, arenas in sim.shares.items())
    padded = f", padded to teams of {sim.padding}" if sim.padding else ""
    yield f"game          {decisions:g} decisions a second"
    yield f"delay         {sim.action_delay} of {sim.tick_skip} ticks"
    yield f"agents        {sim.agents:,} in {sim.arenas:,} arenas: {modes}"
    yield f"observation   {contract.obs_width} numbers{padded}, {contract.num_actions} actions"
    yield f"rollout       {steps:,} decisions x {sim.agents:,} agents = {config.rollout_rows:,}"
    yield f"game time     {steps / decisions:.1f} s of each arena an iteration"


def _workers_words(config: RunConfig, device: torch.device) -> str:
    """How many, and who decides."""
    workers = count_workers(config)
    if decides_centrally(config, device):
        return f"{workers}, the trainer decides for all"
    return f"{workers}, each decides for itself" if workers > 1 else "1, the trainer itself"


def _networks(parts: Parts) -> Iterator[str]:
    for name, part in parts.state.model.parts.items():
        yield f"{name:<13} {parameter_count(part):,} parameters"


def _speed(config: RunConfig, trial: RunConfig, parts: Parts) -> Iterator[str]:
    """Play and learn a short rollout; an iteration is estimated by its share of the rows."""
    players, state = parts.players, parts.state
    for _ in range(2):  # the first only warms up
        collect_s = _seconds(lambda: players.collect(0, _nothing))
        update_s = _seconds(lambda: learn(trial.ppo, state, players.rollout, _nothing))
    rows = trial.rollout_rows
    iteration_s = (collect_s + update_s) * config.rollout_rows / rows
    overall = config.rollout_rows / iteration_s
    yield f"collects      {rows / players.rollout_s:,.0f} steps/s"
    yield f"learns        {rows / update_s:,.0f} steps/s, {config.ppo.epochs} epochs"
    yield f"iteration     about {iteration_s:.1f} s, {overall:,.0f} steps/s"


def _trial_of(config: RunConfig) -> RunConfig:
    """The same with a rollout of about `TRIAL_ROWS`, and nothing larger than it."""
    least = 2 * config.sim.agents
    rows = min(config.ppo.steps_per_iteration, max(least, TRIAL_ROWS))
    sizes = {
        "steps_per_iteration": rows,
        "batch_size": min(config.ppo.batch_size, rows),
        "minibatch_size": min(config.ppo.minibatch_size, rows),
    }
    return config.model_copy(update={"ppo": config.ppo.model_copy(update=sizes)})


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _precision(config: RunConfig, parts: Parts) -> Iterator[str]:
    """How much faster than f32 a coarser pass through a network is on this machine."""
    model = parts.state.model
    asked = {"actor": config.ppo.actor_precision, "critic": config.ppo.critic_precision}
    for name, precision in asked.items():
        if precision == "f32":
            continue
        network = getattr(model, name)
        width = next(network.parameters()).shape[1]
        rows = torch.rand(config.ppo.minibatch_size, width, device=parts.device)
        exact, coarse = (_pass_seconds(network, rows, kind) for kind in ("f32", precision))
        yield _precision_words(f"{name} in {precision}", round(exact / coarse, 2))


def _precision_words(what: str, speed: float) -> str:
    words = f"{what} learns {speed:.2f} times as fast as in f32"
    return f"precision     {words}" if speed > 1 else f"warning       {words}: take f32 here"


def _pass_seconds(network: nn.Module, rows: torch.Tensor, precision: Precision) -> float:
    """Least of a few passes forth and back, which is what noise leaves alone."""
    return min(_pass(network, rows, precision) for _ in range(PASSES))


def _pass(network: nn.Module, rows: torch.Tensor, precision: Precision) -> float:
    started = time.perf_counter()
    with tf32_allowed(precision):
        with autocast(precision, rows.device):
            out = network(rows)
        loss = out.float().mean()
        loss.backward()
    if rows.is_cuda:
        torch.cuda.synchronize(rows.device)
    return time.perf_counter() - started


def _memory(config: RunConfig, parts: Parts) -> Iterator[str]:
    contract = contract_of(config, 0)
    sizes = (config.rollout_length, config.sim.agents, contract.obs_width, contract.num_actions)
    arrays = sum(plan.nbytes for plan in rollout_plans(*sizes).values())
    arrays *= 2 if config.ppo.overlap else 1
    # Weights, gradients and AdamW's two moments, 4 bytes each.
    networks = 4 * 4 * parameter_count(parts.state.model)
    processes = memory_mb(parts.players.pids)
    yield (
        f"memory        rollout {arrays / MEGABYTE:.0f} MB, networks {networks / MEGABYTE:.0f} MB, "
        f"all processes {processes:.0f} MB"
    )


def _nothing() -> None:
    pass
