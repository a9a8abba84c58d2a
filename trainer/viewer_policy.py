"""The newest policy of a run, wherever it is: the one published live, or a checkpoint's.

Knows no game and no screen. Tested by `tests/trainer/test_viewer_policy.py`.
"""

import time
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from rlbot_agent.contract import Contract, ContractError
from trainer.checkpoint import CheckpointError, contract_of, load_actor
from trainer.checkpoint_folder import list_checkpoints, newest_valid
from trainer.config import RunConfig
from trainer.networks import MLP, ActorCritic, actor_of
from trainer.policy import TorchPolicy
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
        self._run = run
        self._contract = contract_of(config, 0)
        self._seen: _Published | None = None
        self._next_look = 0.0
        # What plays is one network, shared layers and all. Nobody asks the critic.
        sizes = {"shared": (), "actor": self._contract.actor_layers, "critic": (1,)}
        networks = config.networks.model_copy(update=sizes)
        model = ActorCritic(self._contract.obs_width, self._contract.num_actions, networks)
        self.policy = TorchPolicy(model, torch.device("cpu"))
        """Random before `ready`."""
        self.steps = 0
        """Agent steps of training behind it."""
        self.ready = False
        """Whether a trained policy plays."""
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
            self.policy.model.actor, self.steps = self._load(newest.path)
        except (OSError, RuntimeError, SafetensorError, CheckpointError, ContractError) as error:
            self.problem = str(error)
        else:
            self.ready, self.problem = True, ""

    def _load(self, path: Path) -> tuple[MLP, int]:
        """The actor in `path`, and the agent steps behind it."""
        if path == self._run.live_policy:
            status = read_status(self._run)
            return _load_live(path, self._contract), status.steps if status else 0
        whole = newest_valid(self._run)
        if whole is None:
            raise CheckpointError(f"{path} is damaged, and there is no other checkpoint")
        actor, contract = load_actor(whole)
        wanted = ("obs_hash", "action_hash", "obs_width", "num_actions")
        expected = {name: getattr(self._contract, name) for name in wanted}
        contract.require(str(whole), "this viewer", **expected)
        return actor, contract.steps


def _newest(run: RunDir) -> _Published | None:
    """What was written last; a checkpoint is not opened for that."""
    found = []
    for path in (run.live_policy, *list_checkpoints(run)[:1]):
        try:
            found.append(_Published(path.stat().st_mtime_ns, path))
        except OSError:  # not there, or just removed
            continue
    return max(found, default=None)


def _load_live(path: Path, contract: Contract) -> MLP:
    actor = actor_of(contract)
    actor.load_state_dict(load_file(path))
    return actor
