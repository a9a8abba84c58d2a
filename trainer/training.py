"""A session of training from start to end: lock, resume, build, learn, and say how it went.

The command line calls it once everything about the command itself is known to be right. Tested by
`tests/trainer/test_resume.py`.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from trainer.builder import Parts, build, choose_device, device_words
from trainer.checkpoint_folder import newest_valid
from trainer.config import RunConfig
from trainer.config_file import write_config
from trainer.files import write_atomic
from trainer.learner import Learner
from trainer.networks import parameter_count
from trainer.run_dir import RunDir
from trainer.schedules import rate_words
from trainer.session import Session, lock_run
from trainer.stopping import Limit, Stop, signals_ask


class Request(NamedTuple):
    """What somebody asked to train."""

    run: RunDir
    """The run folder; resumed when it holds a checkpoint."""
    config: RunConfig
    """Every setting of this session."""
    config_folder: Path
    """Where the user's own rewards and start states are."""
    config_name: str
    """Where the settings come from, in words."""
    iterations: int | None = None
    """Iterations of this session; None goes on."""
    minutes: float | None = None
    """Minutes of this session; None goes on."""


def train(request: Request, say: Callable[[str], None]) -> None:
    """Train until the limit or until somebody asks to end, and leave a checkpoint.

    Args:
        request: What to train.
        say: Gets each event and iteration as a line for a person.

    Raises:
        RunBusyError: When another process trains in the folder.
        CheckpointError: When the newest checkpoint does not fit the config.
        Exception: Whatever else goes wrong; it is told in the run folder first.
    """
    with lock_run(request.run):
        stop = Stop()
        device = choose_device(request.config.device)
        session = Session(request.run, device_words(device), stop, say)
        try:
            with signals_ask(stop):
                learner = _prepare(request, session, stop)
                learner.train(_limit(request, learner.state.counters.iteration))
        except Exception as error:
            session.fail(error)
            raise


def _prepare(request: Request, session: Session, stop: Stop) -> Learner:
    """Resume or start; only when that worked does the run folder get the config."""
    passed_over: list[str] = []
    checkpoint = newest_valid(request.run, passed_over.append)
    parts = build(request.config, request.config_folder, checkpoint)
    config = _keep_start_states(request)
    write_config(request.run.config, config)
    _keep_own_rewards(request)
    if config.viewer.enabled:
        session.show(viewer=True)
    learner = Learner(config, parts, session, stop)
    for warning in passed_over + parts.env.warnings:
        session.tell("warning", warning)
    session.tell("start", _start_words(request, parts, session.status.device, checkpoint))
    return learner


def _keep_own_rewards(request: Request) -> None:
    """Copy the user's reward modules beside the run's config.toml, where a resume looks."""
    for name in request.config.rewards.custom:
        module = f"{name.partition(':')[0]}.py"
        source = request.config_folder / module
        if source.is_file() and request.config_folder.resolve() != request.run.path.resolve():
            write_atomic(request.run.path / module, source.read_bytes())


def _keep_start_states(request: Request) -> RunConfig:
    """Copy resets.file beside the run's config.toml; the config that names the copy."""
    config = request.config
    if not config.resets.file:
        return config
    source = request.config_folder / config.resets.file
    # A name of its own: the user's could be that of another file of the run.
    suffix = ".jsonl.gz" if source.name.endswith(".gz") else ".jsonl"
    copy = request.run.path / f"start_states{suffix}"
    if source.resolve() != copy.resolve():
        write_atomic(copy, source.read_bytes())
    resets = config.resets.model_copy(update={"file": copy.name})
    return config.model_copy(update={"resets": resets})


def _start_words(request: Request, parts: Parts, device: str, checkpoint: Path | None) -> str:
    config = request.config
    if checkpoint is None:
        networks = parts.state.model.parts.items()
        sizes = ", ".join(f"{name} {parameter_count(network):,}" for name, network in networks)
        return (
            f"started {request.run.path} on {device}: {config.sim.agents} agents in "
            f"{config.sim.arenas} arenas, {config.rollout_rows:,} steps an iteration, "
            f"seed {config.seed}; parameters: {sizes}"
        )
    steps = parts.state.counters.steps
    return (
        f"resumed {checkpoint} at {steps:,} steps on {device}; all settings are those of "
        f"{request.config_name}, {rate_words(config.ppo, steps, parts.state.rate_factor)}"
    )


def _limit(request: Request, iteration: int) -> Limit:
    return Limit(
        None if request.iterations is None else iteration + request.iterations,
        None if request.minutes is None else time.time() + 60 * request.minutes,
    )
