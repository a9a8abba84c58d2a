"""Starts a trainer as a process of its own, and asks it to stop the hard way.

The trainer outlives the dashboard: it has its own session, so a closed terminal or a Ctrl-C here
does not reach it, and its output goes to a file. Tested by `tests/tui/test_launcher.py`.
"""

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from trainer.metrics import read_last
from trainer.run_dir import RunDir, Status
from trainer.teacher_note import teaching

TRAINER = (sys.executable, "-m", "trainer")
"""The program that trains."""

PROGRAM: Final = "rlppo-tui"
"""The command of the dashboard."""

_children: list[subprocess.Popen[bytes]] = []
"""The trainers that this process has started and that were not seen to end."""


@dataclass(frozen=True)
class Launch:
    """What a trainer is started with."""

    run: RunDir
    """Where it writes."""
    config: Path | None = None
    """The config file; None takes what the run folder or the default preset says."""
    iterations: int | None = None
    """Iterations after which it stops; None goes on."""
    minutes: float | None = None
    """Minutes after which it stops; None goes on."""
    overrides: tuple[str, ...] = ()
    """Settings such as "ppo.epochs=2"."""
    device: str | None = None
    """auto, cpu or cuda; None leaves it to the config."""
    teacher: str = ""
    """Whom to learn from; empty where rewards teach."""

    @property
    def arguments(self) -> list[str]:
        """The command line after `TRAINER`."""
        taught = bool(self.teacher)
        command = ["distill", self.teacher] if taught else ["train"]
        named = ["--config"] if taught else []
        config = [] if self.config is None else [*named, str(self.config)]
        iterations = [] if self.iterations is None else ["--iterations", str(self.iterations)]
        minutes = [] if self.minutes is None else ["--minutes", f"{self.minutes:g}"]
        device = [] if self.device is None else ["--device", self.device]
        overrides = [word for override in self.overrides for word in ("--set", override)]
        run = ["--run", str(self.run.path)]
        return [*command, *config, *run, *iterations, *minutes, *device, *overrides]


def start(launch: Launch) -> subprocess.Popen[bytes]:
    """Start the trainer; its output replaces the run's `trainer.log`.

    A run goes on with what it did last: where that was a distillation, with the same teacher.

    Raises:
        OSError: When the folder cannot be written or the program cannot be started.
    """
    if note := teaching(launch.run, read_last(launch.run.metrics)):
        launch = replace(launch, teacher=note.path)
    launch.run.path.mkdir(parents=True, exist_ok=True)
    with launch.run.log.open("wb") as log:
        child = subprocess.Popen(
            [*TRAINER, *launch.arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            creationflags=_new_group(),
        )
    _children.append(child)
    return child


def reap() -> None:
    """Take note of trainers that ended, also of those that nobody watches any more.

    One that is not taken note of stays in the system's table, and counts as alive.
    """
    _children[:] = [child for child in _children if child.poll() is None]


def interrupt(status: Status | None, child: subprocess.Popen[bytes] | None) -> None:
    """Ask the trainer's process itself to save and end, when it does not read its commands."""
    if status is not None and status.alive:
        pid = status.pid
    elif child is not None and child.poll() is None:
        pid = child.pid
    else:
        return
    with contextlib.suppress(OSError):
        os.kill(pid, _stop_signal())


def resume_command(run: RunDir) -> str:
    """What a person types to go on with `run`; to try again, where no trainer took it up yet."""
    begun = run.config.exists() or run.status.exists()
    words = [_program(sys.argv[0]), *([str(run.path)] if begun else sys.argv[1:])]
    if sys.platform == "win32":
        return subprocess.list2cmdline(words)
    return shlex.join(words)


def _program(called: str) -> str:
    """How this program is called again: by its path, where the shell finds none of its name."""
    found = shutil.which(PROGRAM) is not None or Path(called).stem != PROGRAM
    return PROGRAM if found else called


def _new_group() -> int:
    if sys.platform == "win32":
        return subprocess.CREATE_NEW_PROCESS_GROUP
    return 0


def _stop_signal() -> int:
    if sys.platform == "win32":
        return signal.CTRL_BREAK_EVENT
    return signal.SIGTERM
