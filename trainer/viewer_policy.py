"""The newest policy of a run, wherever it is: the one published live, or a checkpoint's.

Knows no game and no screen. Tested by `tests/trainer/test_viewer_policy.py`.
"""

import time
from pathlib import Path
from typing import NamedTuple

from safetensors import SafetensorError

from rlbot_agent.contract import ContractError
from trainer.brain import Brain, load_brain, load_published
from trainer.checkpoint import CheckpointError, contract_of
from trainer.checkpoint_folder import list_checkpoints, newest_valid
from trainer.config import RunConfig
from trainer.run_dir import RunDir, read_status

LOOK_EVERY_S = 1.0


class _Published(NamedTuple):
    """A file or folder with a policy, and when it was written; the later is the newer."""

    written_ns: int
    path: Path


class NewestPolicy:
    """Plays the newest policy that could be loaded: one that cannot be keeps the one before."""

    def __init__(self, run: RunDir, config: RunConfig) -> None:
        """Nothing is loaded before `refresh`."""
        self._run, self._networks = run, config.networks
        self._contract = contract_of(config, 0)
        self._seen: _Published | None = None
        self._next_look = 0.0
        self.brain: Brain | None = None
        """What plays; None before there is anything that could be loaded."""
        self.problem = ""
        """Why the newest one could not be loaded, or nothing."""

    def refresh(self) -> None:
        """Load the newest if it is another than the last seen; looks once a second at most."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + LOOK_EVERY_S
        newest = _newest(self._run)
        if newest is None or newest == self._seen:
            return
        self._seen = newest
        try:
            self.brain = self._load(newest.path)
        except (OSError, RuntimeError, SafetensorError, CheckpointError, ContractError) as error:
            self.problem = str(error)
        else:
            self.problem = ""

    def named(self, name: str) -> Brain:
        """The networks of the run's checkpoint in the folder called `name`.

        Raises:
            CheckpointError, ContractError, OSError: When it cannot be played here.
        """
        folder = self._run.checkpoints / name
        if not folder.is_dir():
            raise CheckpointError(f"there is no checkpoint {name} in {self._run.checkpoints}")
        return load_brain(folder, self._contract)

    def _load(self, path: Path) -> Brain:
        if path == self._run.live_policy:
            status = read_status(self._run)
            steps = status.steps if status else 0
            return load_published(path, self._contract, self._networks, steps)
        whole = newest_valid(self._run)
        if whole is None:
            raise CheckpointError(f"{path} is damaged, and there is no other checkpoint")
        return load_brain(whole, self._contract)


def _newest(run: RunDir) -> _Published | None:
    """What was written last; a checkpoint is not opened for that."""
    found = []
    for path in (run.live_policy, *list_checkpoints(run)[:1]):
        try:
            found.append(_Published(path.stat().st_mtime_ns, path))
        except OSError:  # not there, or just removed
            continue
    return max(found, default=None)
