"""`manifest.json`: what a bundle is, the SHA-256 of every other file in it, and where it came from.

Says whether the files are those that were exported, not whether they play well. Standard library
only. Tested by `tests/rlbot_agent/test_manifest.py`.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from rlbot_agent.contract import Contract, ContractError

MANIFEST: Final = "manifest.json"
POLICY: Final = "policy.onnx"
WEIGHTS: Final = "policy.safetensors"


class BundleError(Exception):
    """A bundle is not what was exported; the message is one sentence for a person."""


@dataclass(frozen=True)
class Provenance:
    """The chain from a checkpoint to the policy that plays; every link is a SHA-256."""

    checkpoint: str
    """Of the checkpoint's actor.safetensors, which is the bundle's policy.safetensors."""
    config: str
    """Of the config.toml that it was trained with."""
    contract: str
    """Of `Contract.to_json`."""
    policy: str
    """Of policy.onnx."""
    selection: str
    """Of the report of the selection that chose the checkpoint; empty when none did."""


@dataclass(frozen=True)
class Manifest:
    """What `manifest.json` says."""

    contract: Contract
    """What the actor expects of its body."""
    deterministic: bool
    """Whether the bot takes the likeliest action instead of drawing one."""
    files: Mapping[str, str]
    """SHA-256 of every other file, by its path in the bundle with "/" between folders."""
    versions: Mapping[str, str]
    """Of the exporter, and of the packages that the bot installs."""
    provenance: Provenance
    """Where the policy came from."""

    def to_json(self) -> str:
        """Readable JSON with sorted keys, so that equal manifests are equal bytes."""
        return json.dumps(asdict(self), indent=2, sort_keys=True) + "\n"


def provenance_of(contract: Contract, files: Mapping[str, str], selection: str) -> Provenance:
    """The chain of an actor with `contract` in a bundle of `files`, chosen by `selection`."""
    return Provenance(
        checkpoint=files.get(WEIGHTS, ""),
        config=contract.config_hash,
        contract=hashlib.sha256(contract.to_json().encode()).hexdigest(),
        policy=files.get(POLICY, ""),
        selection=selection,
    )


def read_manifest(bundle: Path) -> Manifest:
    """The manifest of a bundle folder.

    Raises:
        BundleError: When there is none that can be understood.
    """
    path = bundle / MANIFEST
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        contract = Contract.from_json(json.dumps(found.pop("contract")))
        provenance = Provenance(**found.pop("provenance"))
        manifest = Manifest(contract=contract, provenance=provenance, **found)
        _require_kinds(manifest)
    except FileNotFoundError:
        raise BundleError(f"{MANIFEST} is missing: {bundle} is no bundle") from None
    except (
        *(OSError, ValueError, KeyError, TypeError, AttributeError),
        *(RecursionError, ContractError),
    ) as error:
        raise BundleError(f"{MANIFEST} is damaged: {error}") from error
    return manifest


def require_chain(manifest: Manifest) -> None:
    """Refuse unless every link of the provenance is what the rest of the manifest says.

    Raises:
        BundleError: Naming every link that is not, a network that no hash holds, or the weights
            that are another checkpoint's.
    """
    if loose := [name for name in (POLICY, WEIGHTS) if name not in manifest.files]:
        raise BundleError(f"{MANIFEST} holds no hash of {' and '.join(loose)}")
    said = manifest.provenance
    expected = provenance_of(manifest.contract, manifest.files, said.selection)
    wrong = [name for name, link in asdict(expected).items() if asdict(said)[name] != link]
    if wrong:
        raise BundleError(f"{MANIFEST} contradicts itself about: {', '.join(wrong)}")
    if expected.checkpoint != manifest.contract.checkpoint_hash:
        raise BundleError(f"{WEIGHTS} is not the checkpoint that the contract names")


def changes_in(bundle: Path, manifest: Manifest) -> dict[str, str]:
    """What happened to files of the manifest since the export, a sentence for each by its path."""
    found = {name: _change(bundle / name, told) for name, told in sorted(manifest.files.items())}
    return {name: f"{name} {change}" for name, change in found.items() if change}


def sha256(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _require_kinds(manifest: Manifest) -> None:
    """Refuse what anybody may have written in place of a manifest's values."""
    words = (*asdict(manifest.provenance).values(), *manifest.files.values())
    words = (*words, *manifest.versions.keys(), *manifest.versions.values())
    if type(manifest.deterministic) is not bool or not all(type(word) is str for word in words):
        raise TypeError("a value is of another kind")
    if outside := [name for name in manifest.files if not _is_inside(name)]:
        raise ValueError(f"{outside[0]!r} is no path inside a bundle")


def _is_inside(name: str) -> bool:
    """Whether a path with "/" between folders stays in its folder, on Windows too."""
    parts = name.split("/")
    return not any(part in ("", ".", "..") or {"\\", ":"} & {*part} for part in parts)


def _change(path: Path, told: str) -> str:
    try:
        return "" if sha256(path) == told else "was changed after the export"
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
