"""Builds everything a run learns with from its config, and brings a checkpoint back into it.

Order matters: the checkpoint restores the random states first, then the environment draws its
first starts from them, so that two resumes of one checkpoint go the same way. Knows no run folder.
Tested by `tests/trainer/test_builder.py` and `tests/trainer/test_resume.py`.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from rlbot_agent.actions import NUM_ACTIONS
from rlbot_agent.observation import make_observation
from trainer.central import Central
from trainer.checkpoint import Counters, TrainingState, load
from trainer.config import RunConfig
from trainer.networks import ActorCritic
from trainer.opponents import Opponents
from trainer.optimizers import make_anchors, make_optimizers
from trainer.overlap import Overlapping, copy_to_act
from trainer.players import OneProcess, Players
from trainer.precision import Precisions
from trainer.second_look import SecondLook
from trainer.sizes import count_workers
from trainer.start_file import starts_of
from trainer.version_pool import VersionPool
from trainer.worker import Rngs
from trainer.workers import Workers


class DeviceError(Exception):
    """The asked device is not in this machine."""


class Parts(NamedTuple):
    """What a learner works with."""

    players: Players
    """All arenas, and who plays in them."""
    state: TrainingState
    """What a checkpoint holds."""
    device: torch.device
    """Where the networks learn."""


def build(
    config: RunConfig,
    config_folder: Path,
    checkpoint: Path | None,
    *,
    reset_optimizer: bool = False,
    pool: VersionPool | None = None,
    second: SecondLook | None = None,
) -> Parts:
    """Everything for `config`, fresh from its seed or as `checkpoint` left it.

    Args:
        config: What to build.
        config_folder: Where the user's own rewards and start states are found.
        checkpoint: A whole checkpoint folder; None starts a run.
        reset_optimizer: Leave the checkpoint's optimizer moments and rate factor out.
        pool: The old versions to play against; None for nobody, ever.
        second: What else is to be seen of the game, if anything; not with `ppo.overlap`.

    Raises:
        CheckpointError: When the checkpoint has other sizes than `config`.
        DeviceError: When there is no such device.
        MeshError: When the arena's meshes are not found.
        RewardError: When a reward is not found.
        StartFileError: When the file of start states is missing or unusable.
    """
    device = choose_device(config.device)
    state = fresh_state(config, device)
    if checkpoint is not None:
        load(checkpoint, config, state, reset_optimizer=reset_optimizer)
    players = make_players(config, config_folder, state, device, pool, second)
    return Parts(players, state, device)


def make_players(
    config: RunConfig,
    config_folder: Path,
    state: TrainingState,
    device: torch.device,
    pool: VersionPool | None = None,
    second: SecondLook | None = None,
) -> Players:
    """Who plays for `state`, beside its updates where `ppo.overlap` says so."""
    if not config.ppo.overlap:
        return _players_in_turn(config, config_folder, state, device, pool, second)
    assert second is None, "a rollout in flight would write over what was seen of the one before"
    acting = copy_to_act(state)
    players = _players_in_turn(config, config_folder, acting, device, pool)
    return Overlapping(players, state, acting)


def _players_in_turn(
    config: RunConfig,
    config_folder: Path,
    state: TrainingState,
    device: torch.device,
    pool: VersionPool | None,
    second: SecondLook | None = None,
) -> Players:
    """Workers that decide or ask, or the trainer's own process where there is to be one only."""
    steps = state.counters.steps
    stored = starts_of(config.resets, config_folder, config.sim.played)
    central, workers = decides_centrally(config, device), count_workers(config)
    rng = state.rngs["opponents"]
    opponents = None if pool is None else Opponents(config, pool, rng, workers)
    if workers == 1 and not central:
        return OneProcess(config, config_folder, state, steps, stored, opponents, second)
    kind, rngs = Central if central else Workers, _worker_rngs(config, state)
    return kind(config, config_folder, state, rngs, steps, stored, opponents, second)


def decides_centrally(config: RunConfig, device: torch.device) -> bool:
    """Whether the trainer decides for all workers.

    A GPU needs large batches, which workers cannot share; but a trainer that plays by itself has no
    one to decide for.
    """
    if config.sim.inference == "auto":
        return device.type == "cuda" and count_workers(config) > 1
    return config.sim.inference == "central"


def choose_device(name: str) -> torch.device:
    """The device that "auto", "cpu" or "cuda" means here.

    Raises:
        DeviceError: When "cuda" is asked for and there is none.
    """
    found = torch.cuda.is_available()
    if name == "cuda" and not found:
        raise DeviceError(
            "device = 'cuda', but PyTorch finds no GPU here: take auto or cpu, "
            "or install a PyTorch built for CUDA"
        )
    return torch.device("cuda" if found and name != "cpu" else "cpu")


def device_words(device: torch.device) -> str:
    """For example "cuda (NVIDIA H200)" or "cpu (2 threads)"."""
    if device.type == "cuda":
        return f"cuda ({torch.cuda.get_device_name(device)})"
    return f"cpu ({torch.get_num_threads()} threads)"


def make_clock(device: torch.device, synchronise: bool) -> Callable[[], float]:
    """Seconds; `synchronise` first waits for what a GPU was given to do, so that it counts."""
    if not synchronise or device.type != "cuda":
        return time.perf_counter

    def clock() -> float:
        torch.cuda.synchronize(device)
        return time.perf_counter()

    return clock


def fresh_state(config: RunConfig, device: torch.device) -> TrainingState:
    """Networks, optimizers and random states as `config.seed` makes them, before any step."""
    # PyTorch's initialisers draw from its global state; nothing after them does.
    torch.manual_seed(config.seed)
    sim = config.sim
    obs = make_observation(sim.observation, sim.teams, sim.padding)
    precisions = Precisions.of(config.ppo)
    model = ActorCritic(obs.width, NUM_ACTIONS, config.networks, precisions).to(device)
    return TrainingState(
        model=model,
        optimizers=make_optimizers(model, config.ppo),
        anchors=make_anchors(model, config.ppo),
        rngs=_fresh_rngs(config.seed, count_workers(config)),
        counters=Counters(),
    )


def _worker_rngs(config: RunConfig, state: TrainingState) -> list[Rngs]:
    """The generators of each worker; those of one alone are the trainer's own, without a number."""
    workers = count_workers(config)
    ends = [f".{rank}" for rank in range(workers)] if workers > 1 else [""]
    return [{name: state.rngs[name + end] for name in ("env", "policy")} for end in ends]


def _fresh_rngs(seed: int, workers: int) -> dict[str, np.random.Generator]:
    """One for the shuffles of the "update"; "env" and "policy" for who plays, by number if many.

    Last is one for "opponents", so that the others draw what they drew before there was one.
    """
    names = ["env", "policy", "update"]
    if workers > 1:
        names = ["update"]
        names += [f"{name}.{rank}" for rank in range(workers) for name in ("env", "policy")]
    names.append("opponents")
    seeds = np.random.SeedSequence(seed).spawn(len(names))
    rngs = (np.random.Generator(np.random.PCG64(child)) for child in seeds)
    return dict(zip(names, rngs, strict=True))
