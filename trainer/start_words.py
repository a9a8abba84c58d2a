"""What a session says when it starts: what began, from where, and which settings rule.

The config in force rules, whatever a checkpoint was trained with; what differs is named. Tested by
`tests/trainer/test_resume.py`.
"""

from pathlib import Path

from trainer.checkpoint import TrainingState
from trainer.config import RunConfig
from trainer.config_file import ConfigError, load_config
from trainer.live import differences
from trainer.networks import ActorCritic, parameter_count
from trainer.schedules import rate_words
from trainer.warm_start import WarmStart

MOST_NAMED = 4
"""Differing settings that are named one by one."""


def new_words(
    run: Path, config: RunConfig, model: ActorCritic, device: str, warm: WarmStart | None
) -> str:
    """A run that begins."""
    sizes = (f"{name} {parameter_count(part):,}" for name, part in model.parts.items())
    words = (
        f"started {run} on {device}: {config.sim.agents} agents in {config.sim.arenas} arenas, "
        f"{config.rollout_rows:,} steps an iteration, seed {config.seed}; "
        f"parameters: {', '.join(sizes)}"
    )
    return f"{words}; the networks take {warm}" if warm else words


def resume_words(
    checkpoint: Path,
    config: RunConfig,
    config_name: str,
    device: str,
    state: TrainingState,
    reset: bool,
) -> str:
    """A run that goes on from `checkpoint` under `config`, its optimizer `reset` or not."""
    steps = state.counters.steps
    words = (
        f"resumed {checkpoint} at {steps:,} steps on {device}; all settings are those of "
        f"{config_name}, {rate_words(config.ppo, steps, state.rate_factor)}; "
        f"{_since(checkpoint, config)}"
    )
    return f"{words}; the optimizer begins fresh" if reset else words


def _since(checkpoint: Path, config: RunConfig) -> str:
    """Which settings are not those that the checkpoint was trained with."""
    try:
        changes = differences(load_config(checkpoint / "config.toml"), config)
    except ConfigError:
        return "those of the checkpoint cannot be read by this version"
    if not changes:
        return "the checkpoint was trained with the same"
    named = ", ".join(map(str, changes[:MOST_NAMED]))
    more = len(changes) - MOST_NAMED
    return f"since the checkpoint: {named}" + (f" and {more} more" if more > 0 else "")
