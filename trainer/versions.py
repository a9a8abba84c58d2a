"""Actors of the past in `policy_versions/`: how one is written, and how it is read.

    RUN/policy_versions/000000005000000/   actor.safetensors, contract.json, version.json

They are no checkpoints: nothing resumes from one, and neither counts among the other. What cannot
be read is told of, and nothing ever stands in for it. Which there are is known to
`version_folder.py`. Knows no game. Tested by `tests/trainer/test_versions.py`.
"""

from dataclasses import replace
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from safetensors.torch import save as serialize

from rlbot_agent.contract import Contract, ContractError
from trainer.checkpoint import contract_of
from trainer.checkpoint_folder import damage, sha256, write_hashes
from trainer.config import RunConfig
from trainer.files import write_folder_atomic
from trainer.networks import MLP, ActorCritic, actor_of
from trainer.run_dir import RunDir
from trainer.version_folder import version_path

ACTOR, CONTRACT, SEAL = "actor.safetensors", "contract.json", "version.json"
"""The last holds the SHA-256 of the others. It is not called as that of a checkpoint, which is one
by that name."""


class VersionError(Exception):
    """A version cannot be used; the message is one sentence for a person."""


def save_version(run: RunDir, config: RunConfig, model: ActorCritic, steps: int) -> Path:
    """Write the actor of this moment, whole or not at all.

    Raises:
        FileExistsError: When one of these steps is there already, which stays.
        OSError: When the disk refuses; earlier versions are as they were.
    """
    path = version_path(run, steps)

    def fill(folder: Path) -> None:
        weights = model.playing.state_dict().items()
        tensors = {name: tensor.contiguous() for name, tensor in weights}
        (folder / ACTOR).write_bytes(serialize(tensors))
        contract = replace(contract_of(config, steps), checkpoint_hash=sha256(folder / ACTOR))
        (folder / CONTRACT).write_text(contract.to_json() + "\n")
        write_hashes(folder, (ACTOR, CONTRACT), SEAL)

    write_folder_atomic(path, fill)
    return path


def load_version(folder: Path) -> tuple[MLP, Contract]:
    """The actor of a version, on the CPU, and what it expects of its body.

    Raises:
        VersionError: When a file is missing, is not what was saved, or is of another program.
    """
    reason = damage(folder, (ACTOR, CONTRACT), SEAL)
    if reason is not None:
        raise VersionError(f"version {folder}: {reason}")
    try:
        contract = Contract.from_json((folder / CONTRACT).read_text())
    except (OSError, ContractError) as error:
        raise VersionError(f"version {folder} is of another program: {error}") from error
    try:
        # On no device: drawing weights that are overwritten takes as long as reading the others.
        with torch.device("meta"):
            actor = actor_of(contract)
        actor.load_state_dict(load_file(folder / ACTOR), assign=True)
    except (OSError, SafetensorError, RuntimeError, ValueError) as error:
        raise VersionError(
            f"version {folder}: the weights are not the network of its contract"
        ) from error
    return actor.float(), contract
