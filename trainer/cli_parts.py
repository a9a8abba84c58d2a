"""What the trainer's commands have in common: flags, settings, refusals and lines.

Loads nothing that is slow to import. Tested by `tests/trainer/test_cli.py`.
"""

import errno
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

from cyclopts import Parameter

from trainer.config import RunConfig
from trainer.config_file import ConfigError, load_config
from trainer.report import error_words
from trainer.run_dir import RunDir

RUNS = Path("runs")
"""Where runs are that nobody gave a folder."""
Settings = Annotated[tuple[str, ...], Parameter(name="--set", negative=(), show_default=False)]
"""Any number of NAME=VALUE."""
Device = Literal["auto", "cpu", "cuda"]
"""Where the networks learn."""
DISK_REFUSES: Final = frozenset(
    {errno.EACCES, errno.EDQUOT, errno.EFBIG, errno.ENOSPC, errno.EPERM, errno.EROFS}
    | {errno.EEXIST, errno.ENAMETOOLONG, errno.ENOTDIR}
)
"""Errors of a full, foreign or read-only disk, or of a path that cannot be a folder, which a person
mends; no trace of calls helps."""


def load_settings(
    path: Path | None,
    settings: Sequence[str],
    device: Device | None = None,
    seed: int | None = None,
) -> RunConfig:
    """The settings of `path` with flags over them; a mistake in them ends the command."""
    flags = {"device": device, "seed": seed}
    extra = [f"{name}={value}" for name, value in flags.items() if value is not None]
    try:
        return load_config(path, [*settings, *extra])
    except ConfigError as error:
        raise SystemExit(refuse(error)) from None


class Wanted(NamedTuple):
    """What the flags of a command that trains come to."""

    run: RunDir
    """The run folder."""
    config: RunConfig
    """Every setting of the session."""
    folder: Path
    """Where the user's own rewards and start states are."""
    name: str
    """Where the settings come from, in words."""


def wanted(
    run: Path | None,
    config: Path | None,
    settings: Sequence[str],
    device: Device | None,
    seed: int | None,
) -> Wanted:
    """The session that is meant; a mistake in its settings or its folder ends the command."""
    found = RunDir(run or RUNS / (config.stem if config else "laptop"))
    try:
        path = config or (found.config if found.config.exists() else None)
    except OSError as error:
        raise SystemExit(refuse(error)) from None
    loaded = load_settings(path, settings, device, seed)
    return Wanted(
        *(found, loaded, path.parent if path else Path()),
        str(path) if path else "the laptop preset",
    )


@contextmanager
def refusals() -> Iterator[None]:
    """Turn what only building can find out and a person can mend, and Ctrl-C, into a sentence."""
    from trainer.builder import DeviceError
    from trainer.checkpoint import CheckpointError
    from trainer.crew import WorkerError
    from trainer.custom_rewards import RewardError
    from trainer.env import EnvError
    from trainer.meshes import MeshError
    from trainer.session import RunBusyError
    from trainer.start_file import StartFileError
    from trainer.teachers import TeacherError

    refused = (
        *(CheckpointError, DeviceError, EnvError, MeshError),
        *(RewardError, RunBusyError, StartFileError, TeacherError, WorkerError),
    )
    try:
        yield
    except refused as error:
        raise SystemExit(refuse(error)) from None
    except KeyboardInterrupt:
        print("rlppo: interrupted", file=sys.stderr)
        raise SystemExit(130) from None
    except OSError as error:
        if error.errno not in DISK_REFUSES:
            raise
        raise SystemExit(refuse(error)) from None


def refuse(error: Exception) -> int:
    """Say why not; the exit code."""
    print(f"rlppo: {error_words(error)}", file=sys.stderr)
    return 2


def say(line: str) -> None:
    """Print a line; when nobody can read any more (a closed terminal), the run still goes on."""
    try:
        encoding = sys.stdout.encoding
        print(line.encode(encoding, "replace").decode(encoding), flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
