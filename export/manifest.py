"""`manifest.json`: what a bundle is, and the SHA-256 of every other file in it.

Knows no network: it says whether the files are those that were exported, not whether they play
well. Tested by `tests/export/test_manifest.py`.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from rlbot_agent.contract import Contract, ContractError
from trainer.checkpoint_folder import sha256

MANIFEST: Final = "manifest.json"
POLICY: Final = "policy.onnx"
WEIGHTS: Final = "policy.safetensors"

MADE_BY_FIRST_START: Final = frozenset({".venv", ".venv.lock"})
"""What the bot's own start adds to its folder."""


class BundleError(Exception):
    """A bundle is not what was exported; the message is one sentence for a person."""


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

    def to_json(self) -> str:
        """Readable JSON with sorted keys, so that equal manifests are equal bytes."""
        return json.dumps(asdict(self), indent=2, sort_keys=True) + "\n"


def read_manifest(bundle: Path) -> Manifest:
    """The manifest of a bundle folder.

    Raises:
        BundleError: When there is none that can be understood.
    """
    path = bundle / MANIFEST
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        contract = Contract.from_json(json.dumps(found.pop("contract")))
        return Manifest(contract=contract, **found)
    except FileNotFoundError:
        raise BundleError(f"{MANIFEST} is missing: {bundle} is no bundle") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ContractError) as error:
        raise BundleError(f"{MANIFEST} is damaged: {error}") from error


def require_files(bundle: Path, manifest: Manifest) -> None:
    """Refuse unless the bundle holds exactly the files of its manifest.

    Raises:
        BundleError: Naming every file that was changed, is missing, or was added.
    """
    found = hashes_of(bundle)
    told = manifest.files
    wrong = [f"{name} is missing" for name in sorted(told.keys() - found.keys())]
    wrong += [f"{name} was not exported with it" for name in sorted(found.keys() - told.keys())]
    wrong += [
        f"{name} was changed after the export"
        for name in sorted(told.keys() & found.keys())
        if told[name] != found[name]
    ]
    if wrong:
        raise BundleError("; ".join(wrong))


def hashes_of(bundle: Path) -> dict[str, str]:
    """SHA-256 of every file but the manifest and what the first start makes."""
    own = (path for path in bundle.iterdir() if path.name not in MADE_BY_FIRST_START | {MANIFEST})
    files = (file for path in own for file in (path, *path.rglob("*")) if not file.is_dir())
    return {file.relative_to(bundle).as_posix(): sha256(file) for file in sorted(files)}
