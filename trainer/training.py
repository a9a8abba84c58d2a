"""A session of training from start to end: lock, resume, build, learn, and say how it went.

The command line calls it once everything about the command itself is known to be right. Tested by
`tests/trainer/test_resume.py`.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from trainer.builder import Parts, build, choose_device, device_words, make_clock
from trainer.checkpoint import CheckpointError, contract_of, save
from trainer.checkpoint_folder import list_checkpoints, newest_valid
from trainer.config import RunConfig
from trainer.config_file import write_config
from trainer.distilling import School, after_words, ends_taught, played, was_taught
from trainer.files import write_atomic
from trainer.learner import Learner
from trainer.reward_lesson import RewardLesson
from trainer.run_dir import RunDir
from trainer.session import Session, lock_run
from trainer.start_words import new_words, resume_words
from trainer.stopping import Limit, Stop, signals_ask
from trainer.teachers import Teacher
from trainer.version_pool import VersionPool
from trainer.warm_start import WarmStart, warm_start


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
    reset_optimizer: bool = False
    """Resume without the optimizer's moments, and with the configured learning rate."""
    warm_start: Path | None = None
    """A checkpoint, or a run, whose weights a new run begins with where they fit."""
    profile: bool = False
    """Wait for the GPU wherever a phase ends, so that the time of each is its own."""
    teacher: Teacher | None = None
    """Who is to be learned from; None learns from rewards, by PPO."""


def train(request: Request, say: Callable[[str], None]) -> None:
    """Train until the limit or until somebody asks to end, and leave a checkpoint.

    Args:
        request: What to train.
        say: Gets each event and iteration as a line for a person.

    Raises:
        RunBusyError: When another process trains in the folder.
        CheckpointError: When the newest checkpoint does not fit the config, or a way of starting
            was asked for that is impossible here.
        Exception: Whatever else goes wrong. Once everything is built it is told in the run folder
            too; until then that is left as it was.
    """
    with lock_run(request.run):
        stop = Stop()
        device = choose_device(request.config.device)
        session = Session(request.run, device_words(device), stop, say)
        with signals_ask(stop):
            with session.untold_when_refused():
                built = _build(request)
            try:
                learner = _begin(request, built, session, stop)
                kept = _noting_what_is_kept(request.run)
                with kept, closing(learner.players), closing(learner.ratings):
                    learner.train(_limit(request, learner.state.counters.iteration))
            except Exception as error:
                session.fail(error)
                raise


@contextmanager
def _noting_what_is_kept(run: RunDir) -> Iterator[None]:
    """Add to whatever ends the training where the next session will resume."""
    try:
        yield
    except Exception as error:
        newest = newest_valid(run)
        kept = f"the newest checkpoint is {newest.parent.name}/{newest.name}" if newest else ""
        error.add_note(kept or "nothing was saved yet")
        raise


class _Built(NamedTuple):
    """What a session begins with, before its run folder knows of it."""

    checkpoint: Path | None
    """What it resumes."""
    reset: bool
    """Whether the optimizer begins fresh."""
    school: School | None
    """Where there is a teacher."""
    parts: Parts
    """All arenas and networks."""
    warm: WarmStart | None
    """What became of the asked one."""
    passed_over: list[str]
    """Checkpoints that are none, and why."""


def _build(request: Request) -> _Built:
    """Everything that can be refused; writes nothing."""
    passed_over: list[str] = []
    checkpoint = newest_valid(request.run, passed_over.append)
    _require_possible(request, checkpoint)
    reset = request.reset_optimizer or _changes_lesson(request, checkpoint)
    school = _school(request)
    parts = build(
        *(played(request.config) if school else request.config, request.config_folder, checkpoint),
        reset_optimizer=reset,
        # Old versions would play, not teach.
        pool=None if school else VersionPool(request.run, contract_of(request.config, 0)),
        second=school.look if school else None,
    )
    return _Built(checkpoint, reset, school, parts, _warm(request, parts), passed_over)


def _begin(request: Request, built: _Built, session: Session, stop: Stop) -> Learner:
    """Give the run folder the config and what belongs to it, and say what begins."""
    school, parts, warm = built.school, built.parts, built.warm
    config = _keep_start_states(request)
    write_config(request.run.config, config)
    _keep_own_rewards(request)
    if warm:
        # From here on it is a run like any other: whatever ends it, the next session resumes.
        save(request.run, config, parts.state)
    if config.viewer.enabled:
        session.show(viewer=True)
    clock = make_clock(parts.device, request.profile)
    lesson = school.lesson if school else RewardLesson()
    learner = Learner(config, parts, session, stop, lesson, clock)
    counters = parts.state.counters
    session.progress(counters.iteration, counters.steps, session.status.next_save)
    heard = school.warnings(config) if school else []
    for warning in built.passed_over + parts.players.warnings + heard:
        session.tell("warning", warning)
    # From here on it is the learner who tells what they add.
    parts.players.warnings.clear()
    session.tell("start", _start_words(request, built, config, session.status.device))
    if school:
        school.note(request.run)
    return learner


def _start_words(request: Request, built: _Built, config: RunConfig, device: str) -> str:
    """What begins, and from where."""
    checkpoint, state, school = built.checkpoint, built.parts.state, built.school
    if checkpoint is None:
        words = new_words(request.run.path, config, state.model, device, built.warm)
    else:
        name = request.config_name
        words = resume_words(checkpoint, config, name, device, state, built.reset)
    if school:
        return f"{words}; {school.words(request.run, config)}"
    if ends_taught(state.counters.taught, state.counters.steps):
        return f"{words}; {after_words(config)}"
    return words


def _school(request: Request) -> School | None:
    """Where there is a teacher to learn from."""
    if request.teacher is None:
        return None
    return School(request.teacher, request.config, choose_device(request.config.device))


def _changes_lesson(request: Request, checkpoint: Path | None) -> bool:
    """Whether the optimizer's moments are of distillation and PPO comes, or the reverse."""
    if checkpoint is None:
        return False
    return was_taught(checkpoint) != (request.teacher is not None)


def _require_possible(request: Request, checkpoint: Path | None) -> None:
    """Refuse to begin with what is not there, or on top of what is."""
    run = request.run
    if request.warm_start and list_checkpoints(run):
        raise CheckpointError(
            f"{run.path} has checkpoints already, and --warm-start begins a new run: "
            "give another --run folder"
        )
    if request.reset_optimizer and checkpoint is None:
        raise CheckpointError(
            f"{run.path} has no whole checkpoint: --reset-optimizer has nothing to reset"
        )


def _warm(request: Request, parts: Parts) -> WarmStart | None:
    if request.warm_start is None:
        return None
    return warm_start(request.warm_start, parts.state.model, contract_of(request.config, 0))


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


def _limit(request: Request, iteration: int) -> Limit:
    return Limit(
        None if request.iterations is None else iteration + request.iterations,
        None if request.minutes is None else time.time() + 60 * request.minutes,
    )
