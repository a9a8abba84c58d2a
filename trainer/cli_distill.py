"""`rlppo distill`: flags in, a session of learning from a teacher.

What is slow to import is imported inside the command, so that `--help` is instant. A mistake of the
user is one sentence on stderr and exit code 2. Tested by `tests/trainer/test_cli_distill.py`.
"""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.types import NonNegativeInt, PositiveFloat, PositiveInt

from trainer.cli_parts import Device, Settings, refusals, say, wanted


def distill(
    teacher: Path,
    /,
    *,
    config: Path | None = None,
    run: Path | None = None,
    iterations: PositiveInt | None = None,
    minutes: PositiveFloat | None = None,
    settings: Settings = (),
    device: Device | None = None,
    seed: NonNegativeInt | None = None,
    reset_optimizer: Annotated[bool, Parameter(negative=())] = False,
    warm_start: Path | None = None,
) -> None:
    """Let the actor of a run take after a teacher, of whatever size and observation.

    The critic is left alone. An existing run is resumed; afterwards rlppo train goes on by PPO.

    Args:
        teacher: A run, a checkpoint, a version, a bundle, or weights of another trainer, of which
            transfer.teacher says what it sees.
        config: Config file of the student. Without one the run's own config.toml is used, or the
            laptop preset.
        run: Run folder; runs/NAME of the config file when absent.
        iterations: Stop after this many iterations of this session.
        minutes: Stop after this many minutes of this session, those in which it is paused too.
        settings: One setting over the config, such as transfer.epochs=3; may be repeated.
        device: Where the networks learn, over the config.
        seed: Seed of a new run, over the config.
        reset_optimizer: Resume with a fresh optimizer; all else goes on as it was.
        warm_start: Begin a new run with the weights of this checkpoint or run, where they fit.
    """
    session = wanted(run, config, settings, device, seed)
    with refusals():
        from trainer.checkpoint import contract_of
        from trainer.teachers import TeacherError, load_teacher
        from trainer.training import Request, train

        if teacher.resolve() == session.run.path.resolve():
            raise TeacherError(
                f"{teacher} would be its own teacher: give another folder as --run, or an older "
                "checkpoint or a version of it as the teacher"
            )
        settled = session.config
        student, modes = contract_of(settled, 0), settled.sim.played
        found = load_teacher(teacher, settled.transfer.teacher, student, modes)
        request = Request(*session, iterations, minutes, reset_optimizer, warm_start, teacher=found)
        train(request, say)
