"""Runs with old versions in their folder, whose weights are far from each other."""

import torch

from rlbot_agent.actions import NUM_ACTIONS
from rlbot_agent.observation import make_observation
from trainer.checkpoint import contract_of
from trainer.config import RunConfig
from trainer.networks import ActorCritic
from trainer.run_dir import RunDir
from trainer.version_pool import VersionPool
from trainer.versions import save_version


def a_model(config: RunConfig, seed: int) -> ActorCritic:
    """Networks whose choices are far from even."""
    torch.manual_seed(seed)
    sim = config.sim
    obs = make_observation(sim.observation, sim.teams, sim.padding)
    model = ActorCritic(obs.width, NUM_ACTIONS, config.networks)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(3)
    return model


def save_versions(run: RunDir, config: RunConfig, *steps: int) -> None:
    """Actors of those agent steps, each of its own seed."""
    for each in steps:
        save_version(run, config, a_model(config, seed=each), each)


def pool_of(run: RunDir, config: RunConfig) -> VersionPool:
    return VersionPool(run, contract_of(config, 0))
