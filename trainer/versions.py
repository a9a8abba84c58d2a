"""Actors of the past in `policy_versions/`: written in between, pruned, and loaded by number.

    RUN/policy_versions/000000005000000/   actor.safetensors, contract.json

They are no checkpoints: nothing resumes from one, and neither counts among the other. What cannot
be read is told of, and nothing ever stands in for it. Knows no game. Tested by
`tests/trainer/test_versions.py`.
"""

import re
import shutil
from dataclasses import replace
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file
from safetensors.torch import save as serialize

from rlbot_agent.contract import Contract, ContractError
from trainer.checkpoint import contract_of
from trainer.checkpoint_folder import sha256
from trainer.config import RunConfig
from trainer.files import write_folder_atomic
from trainer.networks import MLP, ActorCritic, actor_of
from trainer.run_dir import RunDir

ACTOR, CONTRACT = "actor.safetensors", "contract.json"
_NAME = re.compile(r"\d{15}")
_LEFTOVER = re.compile(r"\.\d{15}\.\d+\.tmp")
"""What an interrupted save leaves."""


class VersionError(Exception):
    """A version cannot be used; the message is one sentence for a person."""


def version_path(run: RunDir, steps: int) -> Path:
    """Where the version after `steps` agent steps belongs."""
    return run.versions / f"{steps:015d}"


def list_versions(run: RunDir) -> list[int]:
    """The steps of every folder with a version's name, whole or not, fewest first."""
    if not run.versions.is_dir():
        return []
    names = (path.name for path in run.versions.iterdir() if path.is_dir())
    return sorted(int(name) for name in names if _NAME.fullmatch(name))


def is_due(before: int, now: int, every: int) -> bool:
    """Whether one belongs between `before` and `now` agent steps; several are one, 0 has none."""
    # ⌊now / every⌋ > ⌊before / every⌋
    return every > 0 and now // every > before // every


def save_version(run: RunDir, config: RunConfig, model: ActorCritic, steps: int) -> Path:
    """Write the actor of this moment, whole or not at all; one that is there already stays.

    Raises:
        OSError: When the disk refuses; earlier versions are as they were.
    """
    path = version_path(run, steps)

    def fill(folder: Path) -> None:
        weights = model.playing.state_dict().items()
        tensors = {name: tensor.contiguous() for name, tensor in weights}
        (folder / ACTOR).write_bytes(serialize(tensors))
        contract = replace(contract_of(config, steps), checkpoint_hash=sha256(folder / ACTOR))
        (folder / CONTRACT).write_text(contract.to_json() + "\n")

    if not path.exists():
        write_folder_atomic(path, fill)
    return path


def load_version(folder: Path) -> tuple[MLP, Contract]:
    """The actor of a version, on the CPU, and what it expects of its body.

    Raises:
        VersionError: When a file is missing, is not what was saved, or is of another program.
    """
    try:
        contract = Contract.from_json((folder / CONTRACT).read_text())
        if sha256(folder / ACTOR) != contract.checkpoint_hash:
            raise VersionError(f"version {folder}: {ACTOR} is not what was saved")
        actor = actor_of(contract)
        actor.load_state_dict(load_file(folder / ACTOR))
    except FileNotFoundError as error:
        name = Path(str(error.filename)).name
        raise VersionError(f"version {folder}: {name} is missing") from error
    except (OSError, ContractError, SafetensorError, RuntimeError, ValueError) as error:
        raise VersionError(f"version {folder} cannot be read: {error}") from error
    return actor, contract


def prune_versions(run: RunDir, keep: int) -> None:
    """Remove all but the `keep` newest, and what interrupted saves left; 0 keeps all.

    Only the one trainer of the run may call this.

    Raises:
        OSError: When one cannot be removed.
    """
    for path in run.versions.iterdir() if run.versions.is_dir() else ():
        if _LEFTOVER.fullmatch(path.name):
            shutil.rmtree(path)
    for steps in list_versions(run)[:-keep] if keep else ():
        shutil.rmtree(version_path(run, steps))
