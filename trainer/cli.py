"""The trainer's commands: flags and config files in, a session of training or a report out.

What is slow to import is imported inside the commands, so that `--help` is instant. A mistake of
the user is one sentence on stderr and exit code 2. Tested by `tests/trainer/test_cli.py`.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, CycloptsError, Parameter
from cyclopts.types import NonNegativeInt, PositiveFloat, PositiveInt

from trainer import cli_steering
from trainer.cli_distill import distill
from trainer.cli_parts import Device, Settings, load_settings, refusals, refuse, say, wanted
from trainer.config_file import ConfigError
from trainer.evaluation.commands import evaluate, select
from trainer.ratings.commands import rate
from trainer.ratings.ladder_command import ladder
from trainer.revision import source_revision
from trainer.run_dir import RunDir
from trainer.viewer_wishes import NEWEST, is_player

Works = Annotated[Sequence[Literal["small", "medium", "seed"]], Parameter(negative=())]
"""Any number of `bench_works.WORKS`."""

app = App(
    name="rlppo",
    help="Train a Rocket League bot with PPO, and ship it.",
    version=source_revision,
)
app.command(select)
app.command(evaluate)
app.command(distill)
app.command(ladder)
app.command(rate)
cli_steering.add_to(app)


@app.command
def train(
    config: Path | None = None,
    *,
    run: Path | None = None,
    iterations: PositiveInt | None = None,
    minutes: PositiveFloat | None = None,
    settings: Settings = (),
    device: Device | None = None,
    seed: NonNegativeInt | None = None,
    reset_optimizer: Annotated[bool, Parameter(negative=())] = False,
    warm_start: Path | None = None,
) -> None:
    """Train without a screen, one line an iteration; an existing run is resumed.

    Ctrl-C or SIGTERM finishes the iteration, saves and exits; a second one drops the iteration.

    Args:
        config: Config file. Without one the run's own config.toml is used, or the laptop preset.
        run: Run folder; runs/NAME of the config file when absent.
        iterations: Stop after this many iterations of this session.
        minutes: Stop after this many minutes of this session, those in which it is paused too.
        settings: One setting over the config, such as ppo.epochs=2; may be repeated.
        device: Where the networks learn, over the config.
        seed: Seed of a new run, over the config.
        reset_optimizer: Resume with a fresh optimizer; all else goes on as it was.
        warm_start: Begin a new run with the weights of this checkpoint or run, where they fit.
    """
    session = wanted(run, config, settings, device, seed)
    with refusals():
        from trainer.training import Request
        from trainer.training import train as train_session

        request = Request(*session, iterations, minutes, reset_optimizer, warm_start)
        train_session(request, say)


@app.command
def check(config: Path | None = None, *, settings: Settings = ()) -> None:
    """Build everything once, print what it comes to and how fast it is; writes nothing.

    Args:
        config: Config file; the laptop preset when absent.
        settings: One setting over the config, such as ppo.epochs=2; may be repeated.
    """
    loaded = load_settings(config, settings)
    with refusals():
        from trainer.check import check as check_config

        for line in check_config(loaded, config.parent if config else Path()):
            say(line)


@app.command
def tune(
    config: Path | None = None, *, seconds: PositiveFloat = 3.0, settings: Settings = ()
) -> None:
    """Find the workers, arenas and minibatch size that are fastest here; changes nothing.

    Takes about a minute on two cores. What it finds can be pasted into the config.

    Args:
        config: Config file; the laptop preset when absent.
        seconds: Of each measurement.
        settings: One setting over the config, such as sim.modes.2v2=1; may be repeated.
    """
    loaded = load_settings(config, settings)
    with refusals():
        from trainer.tune import tune as tune_config

        tune_config(loaded, config.parent if config else Path(), seconds, say)


@app.command
def bench(
    *,
    work: Works = ("small",),
    iterations: PositiveInt = 5,
    json: Path | None = None,
    compare: Path | None = None,
    profile: Annotated[bool, Parameter(negative=())] = False,
    settings: Settings = (),
) -> None:
    """Measure fixed works on this machine: steps/s, memory, and how near they come to its limit.

    Args:
        work: Which works; may be repeated.
        iterations: Iterations to take medians of, after 3 that warm up.
        json: File to write the numbers to.
        compare: File of an earlier measurement, to show ratios to.
        profile: Show where the time of an iteration goes; a GPU is waited for after each phase.
        settings: One setting over the works, such as sim.workers=4; may be repeated.
    """
    from dataclasses import replace

    from trainer import bench as measuring
    from trainer.bench_phases import phase_lines
    from trainer.bench_works import WORKS, config_of

    try:
        before = measuring.read_results(compare, work) if compare else {}
        configs = {name: config_of(name, tuple(settings)) for name in work}
        if json:
            measuring.require_place(json)
    except (ConfigError, OSError, ValueError) as error:
        raise SystemExit(refuse(error)) from None
    found = []
    with refusals():
        for name, config in configs.items():
            say(f"measuring {name}: {WORKS[name].words}; a minute or more")
            result = measuring.measure_work(name, config, iterations, profile=profile)
            found.append(replace(result, settings=list(settings)))
            lines = measuring.lines_of(found[-1], before.get(name))
            for line in (*lines, *(phase_lines(found[-1].phases) if profile else ())):
                say(line)
            if json:
                measuring.write_results(json, found)


@app.command(name="set")
def set_settings(run: Path, /, *settings: str) -> None:
    """Change settings of a run: while it trains, from its next iteration on; all of them or none.

    When nobody trains in it, its config.toml is changed, which the next resume takes.

    Args:
        run: Run folder.
        settings: NAME=VALUE, such as ppo.learning_rate=1e-4 or rewards.touch=2.
    """
    from trainer.asking import RefusedError, set_values
    from trainer.session import RunBusyError

    try:
        set_values(RunDir(run), settings, say)
    except (ConfigError, OSError, RefusedError, RunBusyError) as error:
        raise SystemExit(refuse(error)) from None


@app.command
def record(
    run: Path,
    /,
    *,
    rallies: PositiveInt = 5,
    blue: str = NEWEST,
    orange: str = NEWEST,
    deterministic: Annotated[bool, Parameter(negative=())] = False,
    out: Path | None = None,
) -> None:
    """Play rallies as fast as possible and write them to a replay, which rlppo-tui plays.

    Args:
        run: Run folder.
        rallies: From a kickoff to a goal, or until nobody touched the ball for long.
        blue: Who plays blue: newest, or the folder name of a checkpoint.
        orange: Who plays orange.
        deterministic: Play the likeliest actions.
        out: File to write; replays/DATE_STEPS.jsonl.gz in the run folder when absent.
    """
    for name in (blue, orange):
        if not is_player(name):
            words = f"{name!r} plays nowhere: give {NEWEST}, or the 15 digits of a checkpoint"
            raise SystemExit(refuse(ValueError(words)))
    with refusals():
        from datetime import datetime

        import numpy as np

        from trainer.policy import PolicyError
        from trainer.record import Asked
        from trainer.record import record as record_rallies

        asked = Asked(RunDir(run), rallies, (blue, orange), deterministic, out)
        date = datetime.now().astimezone()
        try:
            say(str(record_rallies(asked, np.random.default_rng(), date)))
        except (ConfigError, OSError, PolicyError) as error:
            raise SystemExit(refuse(error)) from None


def run_app(commands: App, tokens: Sequence[str] | None = None) -> int:
    """Run a command line to its exit code; one that cannot be understood is a sentence and a 2."""
    # PyTorch reads it once, when it is loaded. Threads that spin while they wait for another which
    # some other program keeps from its core make an update up to 20 times as long.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        commands(tokens, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        return refuse(error)
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else 0
    return 0


def main() -> None:
    """Run the command line of this process."""
    sys.exit(run_app(app))
