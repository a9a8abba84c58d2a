"""A run to watch: its config, networks that like an action, and files of them."""

import os
from pathlib import Path

import torch

from rlbot_agent.actions import NUM_ACTIONS
from tests.trainer.tiny import tiny_config
from trainer.brain import published_bytes
from trainer.checkpoint import Counters, TrainingState, contract_of, save
from trainer.config import RunConfig
from trainer.config_file import write_config
from trainer.networks import ActorCritic
from trainer.optimizers import make_optimizers
from trainer.run_dir import RunDir

CONFIG = tiny_config("episodes.no_touch_s=0")
WIDTH = contract_of(CONFIG, 0).obs_width


def run_in(folder: Path, config: RunConfig = CONFIG) -> RunDir:
    run = RunDir(folder)
    folder.mkdir(exist_ok=True)
    write_config(run.config, config)
    return run


def model_that_likes(
    action: int, config: RunConfig = CONFIG, value: float | None = None
) -> ActorCritic:
    """Takes `action` wherever it may, and thinks that everything is worth `value`."""
    model = ActorCritic(contract_of(config, 0).obs_width, NUM_ACTIONS, config.networks)
    with torch.no_grad():
        model.actor.layers[-1].bias[action] = 1000.0
        if value is not None:
            model.critic.layers[-1].weight.zero_()
            model.critic.layers[-1].bias.fill_(value)
    return model


def publish(run: RunDir, action: int, written: int | None = None, value: float = 0.0) -> None:
    run.live_policy.write_bytes(published_bytes(model_that_likes(action, value=value)))
    if written is not None:
        os.utime(run.live_policy, (written, written))


def save_checkpoint(
    run: RunDir,
    action: int,
    steps: int,
    written: int | None = None,
    config: RunConfig = CONFIG,
    value: float = 0.0,
) -> Path:
    model = model_that_likes(action, config, value)
    optimizers = make_optimizers(model, config.ppo)
    folder = save(run, config, TrainingState(model, optimizers, {}, Counters(steps=steps)))
    if written is not None:
        os.utime(folder, (written, written))
    return folder
