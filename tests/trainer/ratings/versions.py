"""Runs with versions of untrained tiny actors, and terms of moments."""

from pathlib import Path

import torch

from tests.trainer.tiny import tiny_config
from trainer.checkpoint import contract_of
from trainer.config import RunConfig
from trainer.config_file import write_config
from trainer.networks import ActorCritic
from trainer.run_dir import RunDir
from trainer.versions import save_version

SHORT = (
    "ratings.seconds=1",
    "ratings.starts=2",
    "ratings.versions=2",
    "ratings.sampled=true",
    'ratings.anchors={"random"=0.0}',
)
"""Two pairs of games, from both sides: 4 games with each opponent."""


def make_versions(folder: Path, *steps: int, settings: tuple[str, ...] = SHORT) -> RunDir:
    """A run with a version after each of `steps`, whose weights are drawn by that number."""
    run, config = RunDir(folder), tiny_config(*settings)
    folder.mkdir(parents=True, exist_ok=True)
    for number in steps:
        add_version(run, config, number)
    write_config(run.config, config)
    return run


def add_version(run: RunDir, config: RunConfig, steps: int) -> None:
    sizes = contract_of(config, 0)
    torch.manual_seed(steps)
    model = ActorCritic(sizes.obs_width, sizes.num_actions, config.networks)
    save_version(run, config, model, steps)
