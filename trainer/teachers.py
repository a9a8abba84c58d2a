"""The frozen teacher that a student learns from: ours, or an actor of another trainer.

What is ours has a contract, which says what it sees; of anything else `[transfer.teacher]` says it.
A teacher must see every mode that the student plays, and choose from the same actions: nothing is
cut, filled or guessed. Knows no student's network and no loss. Tested by
`tests/trainer/test_teachers.py`.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

import torch
from torch import Tensor, nn

from rlbot_agent.contract import Contract
from rlbot_agent.manifest import MANIFEST
from rlbot_agent.modes import teams_of
from rlbot_agent.observation import OBSERVATIONS, Observation, make_observation
from trainer.checkpoint import CheckpointError, load_actor
from trainer.checkpoint_folder import HASHES
from trainer.config_transfer import TeacherConfig
from trainer.evaluation.contestants import EvaluationError, bundled_actor
from trainer.foreign_files import find_files
from trainer.foreign_networks import network_of
from trainer.foreign_weights import WeightsError, read_tensors
from trainer.networks import MLP
from trainer.run_dir import RunDir
from trainer.sampling import masked_log_probs
from trainer.versions import CONTRACT, VersionError, load_version
from trainer.warm_start import find_checkpoint

LARGEST_TEAM: Final = 4
"""Of the modes that there are."""


class TeacherError(Exception):
    """A teacher cannot be used; the message is one sentence for a person."""


@dataclass(frozen=True)
class Teacher:
    """Somebody to learn from."""

    path: Path
    """Where it was found, from the root of the disk."""
    words: str
    """What it is, for events."""
    sha256: str
    """Of its weights file; of both in a row where a shared head lies apart."""
    obs_name: str
    """Which observation it sees, one of `rlbot_agent.observation`."""
    max_team_size: int
    """Team size that its observation is padded to; 0 when it is not."""
    obs_width: int
    """D, numbers it sees."""
    tick_skip: int | None
    """Ticks (1/120 s) that its actions were held, when known."""
    action_delay: int | None
    """Ticks from its observation to the first of its action, when known."""
    actor: MLP
    """(…, D) observations to (…, A) logits; frozen, float32, on the CPU until it is moved."""

    def log_probs(self, obs: Tensor, masks: Tensor) -> Tensor:
        """What it would do, at temperature 1.

        Args:
            obs: (…, D) its own observation, on the device of `actor`.
            masks: (…, A) bool, the possible actions, at least one in each row.

        Returns:
            (…, A) log-probabilities (nats); those that `masks` forbid get probability 0.
        """
        return masked_log_probs(self.actor(obs), masks)

    def observation(self, mode: str) -> Observation:
        """What it sees in `mode`, one of those it was loaded for."""
        return make_observation(self.obs_name, teams_of(mode), self.max_team_size)


def load_teacher(
    path: Path, known: TeacherConfig, student: Contract, modes: Sequence[str]
) -> Teacher:
    """The teacher at `path`, which its contents tell apart.

    Args:
        path: A run (its newest whole checkpoint), a checkpoint, a version or a bundle; or a file of
            weights of another trainer, or a folder with it.
        known: `[transfer.teacher]`. Of the first four the contract says more: what is set and
            contradicts it is refused.
        student: What the student expects of its body.
        modes: Those that the student plays.

    Raises:
        TeacherError: When it is none of these, is damaged, chooses from other actions than the
            student, or cannot see one of `modes`.
    """
    try:
        ours = _ours(path)
        if ours is None:
            teacher = _foreign(path, known)
        else:
            teacher = _with_contract(path, *ours, known, student)
    except (WeightsError, CheckpointError, VersionError, EvaluationError) as error:
        raise TeacherError(str(error)) from error
    except OSError as error:
        raise TeacherError(f"{path} cannot be read ({error.strerror})") from error
    _require_actions(teacher, student)
    _require_finite(teacher)
    for mode in modes:
        _require_sight(teacher, mode, _trained_in(ours[2]) if ours else _fitting(teacher, modes))
    teacher.actor.requires_grad_(False).eval()
    return teacher


def _ours(path: Path) -> tuple[str, MLP, Contract] | None:
    """What it is in words, actor and contract, if `path` is a folder that this program wrote."""
    if (path / MANIFEST).exists():
        return f"bundle {path}", *bundled_actor(path)
    if (path / CONTRACT).exists() and not (path / HASHES).exists():
        return _place(path), *load_version(path)
    if (path / HASHES).exists() or RunDir(path).checkpoints.is_dir():
        checkpoint = find_checkpoint(path)
        return _place(checkpoint), *load_actor(checkpoint)
    return None


def _place(folder: Path) -> str:
    """Where a checkpoint or a version lies: the run last, if it is in one."""
    kind = folder.parent
    if kind.name in ("checkpoints", "policy_versions"):
        return f"{kind.name}/{folder.name} of {kind.parent}"
    return str(folder)


def _with_contract(
    path: Path,
    place: str,
    actor: MLP,
    contract: Contract,
    known: TeacherConfig,
    student: Contract,
) -> Teacher:
    _require_known(place, contract, known)
    _require_layout(place, contract)
    if contract.action_hash != student.action_hash:
        raise TeacherError(
            f"{place} chooses from another action table: {contract.action_hash} there, "
            f"{student.action_hash} in the student"
        )
    if contract.action_masks and not student.action_masks:
        raise TeacherError(
            f"{place} never learned what to make of impossible actions, which the student may "
            "take: set sim.action_masks = true"
        )
    return Teacher(
        path=path.absolute(),
        words=f"{place} ({contract.steps:,} steps), {_sizes(actor)}",
        sha256=contract.checkpoint_hash,
        obs_name=contract.obs_name,
        max_team_size=contract.max_team_size,
        obs_width=contract.obs_width,
        tick_skip=contract.tick_skip,
        action_delay=contract.action_delay,
        actor=actor,
    )


def _require_known(place: str, contract: Contract, known: TeacherConfig) -> None:
    """Refuse what was set in vain; a default says nothing."""
    said = {
        "observation": contract.obs_name,
        "max_team_size": contract.max_team_size,
        "norm": contract.norm,
        "activation": contract.activation,
    }
    unset = TeacherConfig()
    wrong = [
        f"transfer.teacher.{name} is {getattr(known, name)} and its contract says {value}"
        for name, value in said.items()
        if getattr(known, name) not in (value, getattr(unset, name))
    ]
    if wrong:
        raise TeacherError(f"{place} says itself what it is: {'; '.join(wrong)}")


def _require_layout(place: str, contract: Contract) -> None:
    """Refuse an observation whose numbers mean something else here than they did there."""
    try:
        teams, size = contract.teams, contract.max_team_size
        here = make_observation(contract.obs_name, teams, size).layout_hash
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise TeacherError(f"{place} has a contract that makes no sense: {error}") from error
    if here != contract.obs_hash:
        raise TeacherError(
            f"{place} sees {contract.obs_name} as another release built it: "
            f"{contract.obs_hash} there, {here} here"
        )


def _foreign(path: Path, known: TeacherConfig) -> Teacher:
    files = find_files(path)
    actor = network_of(
        str(files.actor),
        read_tensors(files.actor),
        read_tensors(files.shared) if files.shared else None,
        known.norm,
        known.activation,
    )
    digest = hashlib.sha256()
    for file in files.all:
        digest.update(file.read_bytes())
    head = f" behind {files.shared.name}" if files.shared else ""
    return Teacher(
        path=path.absolute(),
        words=f"{files.actor}{head}, {_sizes(actor)} {known.activation}, sees {known.observation}",
        sha256=digest.hexdigest(),
        obs_name=known.observation,
        max_team_size=known.max_team_size,
        obs_width=_linears(actor)[0].in_features,
        tick_skip=None,
        action_delay=None,
        actor=actor,
    )


def _linears(actor: MLP) -> list[nn.Linear]:
    return [layer for layer in actor.layers if isinstance(layer, nn.Linear)]


def _sizes(actor: MLP) -> str:
    """Such as 256-256."""
    widths = [str(layer.out_features) for layer in _linears(actor)[:-1]]
    return "-".join(widths) or "no hidden layer"


def _require_actions(teacher: Teacher, student: Contract) -> None:
    actions = _linears(teacher.actor)[-1].out_features
    if actions == 1:
        raise TeacherError(
            f"{teacher.words}: it has 1 output, as a critic: a teacher is the actor's file, such "
            "as PPO_POLICY.pt or actor.safetensors"
        )
    if actions != student.num_actions:
        raise TeacherError(
            f"{teacher.words}: a teacher with another action table, it has {actions} outputs and "
            f"the student {student.num_actions} actions"
        )


def _require_finite(teacher: Teacher) -> None:
    for name, tensor in teacher.actor.state_dict().items():
        if not torch.isfinite(tensor).all():
            raise TeacherError(f"{teacher.words}: {name} holds a number that is not finite")


def _require_sight(teacher: Teacher, mode: str, advice: str) -> None:
    width = _width(teacher.obs_name, mode, teacher.max_team_size)
    if width == teacher.obs_width:
        return
    sees = teacher.obs_name
    if teacher.max_team_size:
        sees += f" of up to {teacher.max_team_size} a side"
    shown = "cannot show" if width is None else f"shows {width} numbers of"
    raise TeacherError(
        f"{teacher.words}: it takes {teacher.obs_width} numbers, and {sees} {shown} {mode}; "
        f"{advice}"
    )


def _trained_in(contract: Contract) -> str:
    return f"it was trained in {' and '.join(contract.modes)}"


def _fitting(teacher: Teacher, modes: Sequence[str]) -> str:
    """Which observations are as wide as the teacher, in all of `modes` or in one, in words."""
    for wanted in (modes, *([mode] for mode in modes)):
        found = [
            f"{name} with max_team_size {size}" if size else name
            for name, size in product(OBSERVATIONS, range(LARGEST_TEAM + 1))
            if {_width(name, mode, size) for mode in wanted} == {teacher.obs_width}
        ]
        if found:
            return f"for {' and '.join(wanted)}, {' or '.join(found)} would be as wide"
    return "no observation there is would be as wide"


def _width(name: str, mode: str, max_team_size: int) -> int | None:
    """D; None where a team is larger than the observation has places for."""
    try:
        return make_observation(name, teams_of(mode), max_team_size).width
    except ValueError:
        return None
