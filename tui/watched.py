"""The run that a dashboard is opened on: attached to when its trainer lives, started when not.

Knows no screen. Tested by `tests/tui/test_main.py`.
"""

import subprocess
from dataclasses import dataclass

from trainer.config import RunConfig
from trainer.config_file import load_config
from trainer.run_dir import RunDir, Status, read_status
from tui.launcher import Launch, resume_command, start


class RefusedError(Exception):
    """The dashboard cannot open; the message is one sentence for a person."""


@dataclass(frozen=True)
class Watched:
    """A run with a trainer."""

    run: RunDir
    """Its folder."""
    config: RunConfig
    """What it trains with."""
    child: subprocess.Popen[bytes] | None = None
    """The trainer, when it was started for this dashboard."""
    stale: Status | None = None
    """The status of an earlier trainer, found before `child` was started."""


def watch(launch: Launch) -> Watched:
    """Attach to the trainer of the run when it is alive, or else start one.

    Raises:
        RefusedError: When a living trainer is asked for other settings.
        ConfigError: When the config cannot be used.
        OSError: When the trainer cannot be started.
    """
    status = read_status(launch.run)
    if status is not None and status.alive:
        return _attach(launch, status)
    written = launch.config or (launch.run.config if launch.run.config.exists() else None)
    device = () if launch.device is None else (f"device={launch.device}",)
    config = load_config(written, [*launch.overrides, *device])
    return Watched(launch.run, config, start(launch), stale=status)


def _attach(launch: Launch, status: Status) -> Watched:
    if launch.overrides or launch.device or launch.minutes or launch.iterations:
        raise RefusedError(
            f"{launch.run.path} is being trained by process {status.pid}: its settings cannot be "
            f"changed from here. To watch it: {resume_command(launch.run)}"
        )
    return Watched(launch.run, load_config(launch.run.config))
