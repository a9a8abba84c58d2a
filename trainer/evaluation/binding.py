"""What a selection is bound to: its terms, its players, its starts and the programs that played.

Equal bindings are one selection, which an interrupted one goes on in; whatever changes in one makes
another. Tested by `tests/trainer/evaluation/test_binding.py`.
"""

import hashlib
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final

from trainer.evaluation.candidates import Entrant
from trainer.evaluation.protocol import SelectionProtocol, hash_of, protocol_hash
from trainer.meshes import mesh_hashes
from trainer.revision import source_revision

PACKAGES: Final = ("numpy", "rocketsim", "torch")
"""On which the games depend."""


@dataclass(frozen=True)
class Bound:
    """One player."""

    name: str
    role: str
    steps: int
    weights_sha256: str
    """Of its safetensors file; empty for random."""
    contract_sha256: str
    """Of what it expects of its body; empty for random."""


@dataclass(frozen=True)
class Binding:
    """Everything that a selection's result depends on."""

    protocol_sha256: str
    starts_sha256: str
    """Of the file of start states."""
    meshes_sha256: str
    """Of the arena that is played in: of the sorted hashes of its meshes, whatever their names."""
    modes: tuple[str, ...]
    players: tuple[Bound, ...]
    """In the order of their numbers."""
    versions: dict[str, str]
    """Of Python, of the packages that play, and the source revision as "rlppo"."""

    @property
    def sha256(self) -> str:
        """Of all of it."""
        return hash_of(asdict(self))


def bind(
    protocol: SelectionProtocol,
    modes: Sequence[str],
    starts: str,
    meshes: Path,
    entrants: Sequence[Entrant],
) -> Binding:
    """The binding of a selection.

    Args:
        protocol: Its terms.
        modes: That are played.
        starts: Text of the file of start states.
        meshes: Folder of the arena's meshes.
        entrants: Who plays.
    """
    return Binding(
        protocol_sha256=protocol_hash(protocol),
        starts_sha256=_sha256(starts),
        meshes_sha256=hash_of(sorted(mesh_hashes(meshes).values())),
        modes=tuple(modes),
        players=tuple(map(_bound, entrants)),
        versions={
            "rlppo": source_revision(),
            "python": platform.python_version(),
            **{name: version(name) for name in PACKAGES},
        },
    )


def _bound(entrant: Entrant) -> Bound:
    contestant = entrant.contestant
    contract = contestant.contract
    return Bound(
        name=contestant.name,
        role=entrant.role,
        steps=entrant.steps,
        weights_sha256=contestant.sha256,
        contract_sha256="" if contract is None else _sha256(contract.to_json()),
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
