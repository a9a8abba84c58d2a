"""The settings that a run's newest checkpoint holds it to: its weights and moments have sizes.

As settings only, so that a form can ask too; `checkpoint.py` makes sure when it loads one. Tested
by `tests/trainer/test_asking.py` and `test_branch.py`.
"""

from trainer.checkpoint_folder import newest_valid
from trainer.config import RunConfig
from trainer.config_file import ConfigError, load_config
from trainer.run_dir import RunDir

_OPTIMIZER = "ppo.optimizer"


def must_fit(config: RunConfig) -> dict[str, object]:
    """What a checkpoint's weights and moments must fit, by the settings that say it."""
    sim = config.sim
    return {
        "networks": config.networks,
        "sim.observation": sim.observation,
        "sim.modes": sim.padding or sim.teams,
        _OPTIMIZER: config.ppo.optimizer,
    }


def require_fitting(run: RunDir, config: RunConfig, wanted: RunConfig) -> None:
    """Refuse to change `config` into what the newest checkpoint of `run` does not fit.

    What `wanted` leaves as it is counts for nothing, so that other settings can be changed where
    the checkpoint does not fit already.

    Raises:
        ConfigError: Naming the settings, and how to train with them.
        OSError: When the checkpoints cannot be read.
    """
    before, after = must_fit(config), must_fit(wanted)
    changed = [name for name in after if after[name] != before[name]]
    newest = newest_valid(run) if changed else None
    if newest is None:
        return
    try:
        saved = must_fit(load_config(newest / "config.toml"))
    except ConfigError:  # of another release: whoever resumes it will see
        return
    wrong = [name for name in changed if after[name] != saved[name]]
    if wrong:
        raise ConfigError(
            f"set: {', '.join(wrong)} cannot be other than in {newest}, from which the run goes "
            f"on: {_instead(run, wrong)}"
        )


def _instead(run: RunDir, wrong: list[str]) -> str:
    if wrong == [_OPTIMIZER]:
        return f"give it with --set to rlppo train --run {run.path} --reset-optimizer"
    return (
        f"a new run begins with what fits of the weights, by --run NEW --warm-start {run.path} "
        "and --set"
    )
