"""A run so small that an iteration takes a moment: 2 arenas, 8 decisions, 8-wide networks."""

from pathlib import Path

from trainer.config import RunConfig
from trainer.config_file import load_config, write_config

SETTINGS = (
    "device=cpu",
    "sim.arenas=2",
    "sim.workers=1",
    "sim.observation=default",
    "networks.actor=[8, 8]",
    "networks.critic=[12]",
    "ppo.steps_per_iteration=32",
    "ppo.batch_size=16",
    "ppo.minibatch_size=8",
    "checkpoint.every_steps=1_000_000",
    "ratings.enabled=false",
)


def tiny_config(*settings: str) -> RunConfig:
    """The tiny config with `settings` such as "ppo.epochs=3" over it."""
    return load_config(None, (*SETTINGS, *settings))


def write_tiny(folder: Path, *settings: str) -> Path:
    """Write it to tiny.toml in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tiny.toml"
    write_config(path, tiny_config(*settings))
    return path
