"""The names of everything in a run folder, and whether somebody trains in it.

The folder is the whole interface between a run and its watchers: whoever can read it can watch,
whoever can write it can steer. Knows no contents but `status.json`. Loads psutil beside the
standard library. Tested by `tests/trainer/test_run_dir.py`.
"""

import json
import math
import os
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import psutil

from trainer.files import write_atomic

Phase = Literal["starting", "collecting", "learning", "saving", "paused", "stopped", "failed"]


@dataclass(frozen=True)
class RunDir:
    """A run folder by its path; nothing is created until somebody writes."""

    path: Path

    @property
    def config(self) -> Path:
        """Exactly what runs, after presets and flags."""
        return self.path / "config.toml"

    @property
    def metrics(self) -> Path:
        """One JSON object an iteration."""
        return self.path / "metrics.jsonl"

    @property
    def events(self) -> Path:
        """What happened: starts, saves, edits, pauses, warnings, errors."""
        return self.path / "events.jsonl"

    @property
    def commands(self) -> Path:
        """What somebody asked for."""
        return self.path / "commands.jsonl"

    @property
    def status(self) -> Path:
        """Who trains here, and what it does right now."""
        return self.path / "status.json"

    @property
    def log(self) -> Path:
        """Output of a trainer that a dashboard started."""
        return self.path / "trainer.log"

    @property
    def live_policy(self) -> Path:
        """The newest actor and critic, published each iteration while a viewer wants them."""
        return self.path / "live_policy.safetensors"

    @property
    def checkpoints(self) -> Path:
        """Checkpoint folders, named by their zero-padded steps."""
        return self.path / "checkpoints"

    @property
    def versions(self) -> Path:
        """Actors of the past, to play against and to rate; no checkpoints."""
        return self.path / "policy_versions"

    @property
    def rating_games(self) -> Path:
        """Every game that was played to rate versions, one JSON object each, append only."""
        return self.path / "rating_games.jsonl"

    @property
    def ratings(self) -> Path:
        """What those games come to."""
        return self.path / "ratings.json"

    @property
    def rater_log(self) -> Path:
        """Output of the rater that a trainer started."""
        return self.path / "rater.log"

    @property
    def ladder(self) -> Path:
        """The newest round robin of `rlppo ladder`."""
        return self.path / "ladder.json"

    @property
    def teacher(self) -> Path:
        """Whom this run learns from, or last learned from, by distillation."""
        return self.path / "teacher.json"

    @property
    def ladder_games(self) -> Path:
        """Games of ladders that were interrupted, a file for each set of terms."""
        return self.path / "ladder_games"

    @property
    def branch(self) -> Path:
        """Which run this one was branched from, if it was, and where."""
        return self.path / "branch.json"

    @property
    def bundles(self) -> Path:
        """Exported bots."""
        return self.path / "bundles"

    @property
    def selections(self) -> Path:
        """Comparisons of checkpoints, a folder for each set of terms."""
        return self.path / "selections"

    @property
    def replays(self) -> Path:
        """Recorded games."""
        return self.path / "replays"


@dataclass(frozen=True)
class Status:
    """What `status.json` says: one trainer process and its place in the run."""

    pid: int
    """Process id of the trainer."""
    pid_created: float
    """When that process began (seconds since the epoch), since ids are used again."""
    started: float
    """When it began to train (seconds since the epoch)."""
    phase: Phase
    """What it does."""
    heartbeat: float
    """When this was written (seconds since the epoch)."""
    device: str
    """Where the networks learn, in words."""
    iteration: int
    """Finished iterations of the run."""
    steps: int
    """Agent steps of the run."""
    next_save: int
    """Agent steps at which it saves next."""
    viewer: bool
    """Whether it publishes the newest policy."""
    last_iteration: int | None = None
    """Iteration after which it stops by itself; None goes on."""
    ends: float | None = None
    """Time (seconds since the epoch) at which it stops by itself; None goes on."""

    @property
    def alive(self) -> bool:
        """Whether that very process still exists and has not said that it is done."""
        if self.phase in ("stopped", "failed"):
            return False
        try:
            return abs(psutil.Process(self.pid).create_time() - self.pid_created) < 1.0
        except psutil.Error:
            return False


def new_status(device: str) -> Status:
    """The status of this process before it has done anything."""
    now = time.time()
    created = psutil.Process(os.getpid()).create_time()
    return Status(os.getpid(), created, now, "starting", now, device, 0, 0, 0, False)


def write_status(run: RunDir, status: Status) -> None:
    """Publish `status` with a fresh heartbeat."""
    written = replace(status, heartbeat=time.time())
    write_atomic(run.status, json.dumps(asdict(written)).encode())


def read_status(run: RunDir) -> Status | None:
    """The last published status; None when there is none that can be read and believed."""
    try:
        status = Status(**json.loads(run.status.read_bytes()))
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    return status if _believable(status) else None


def _believable(status: Status) -> bool:
    """Whether its numbers are numbers: another program may write a status.json too."""
    counts = [status.pid, status.steps, status.iteration, status.next_save]
    counts += [] if status.last_iteration is None else [status.last_iteration]
    times = [status.pid_created, status.started, status.heartbeat]
    times += [] if status.ends is None else [status.ends]
    whole = all(type(number) is int and 0 <= number < 1 << 62 for number in counts)
    finite = all(isinstance(moment, int | float) and math.isfinite(moment) for moment in times)
    words = (
        isinstance(status.device, str)
        and isinstance(status.phase, str)
        and type(status.viewer) is bool
    )
    return whole and finite and words and 0 < status.pid < 1 << 31
