"""Whether a folder is exactly what was exported: nothing changed, nothing missing, nothing added.

Stricter than the bot's own start (`rlbot_agent/activation.py`), which minds what it plays with.
Tested by `tests/export/test_manifest.py`.
"""

from pathlib import Path
from typing import Final

from rlbot_agent.manifest import (
    MANIFEST,
    POLICY,
    WEIGHTS,
    BundleError,
    Manifest,
    changes_in,
    read_manifest,
    sha256,
)

__all__ = [
    "MANIFEST",
    "POLICY",
    "WEIGHTS",
    "BundleError",
    "Manifest",
    "hashes_of",
    "read_manifest",
    "require_files",
]

MADE_BY_FIRST_START: Final = frozenset({".venv", ".venv.lock"})
"""What the bot's own start adds to its folder."""


def require_files(bundle: Path, manifest: Manifest) -> None:
    """Refuse unless the bundle holds exactly the files of its manifest.

    Raises:
        BundleError: Naming every file that was changed, is missing, or was added.
    """
    wrong = list(changes_in(bundle, manifest).values())
    added = sorted(hashes_of(bundle).keys() - manifest.files.keys())
    wrong += [f"{name} was not exported with it" for name in added]
    if wrong:
        raise BundleError("; ".join(wrong))


def hashes_of(bundle: Path) -> dict[str, str]:
    """SHA-256 of every file but the manifest and what the first start makes."""
    own = (path for path in bundle.iterdir() if path.name not in MADE_BY_FIRST_START | {MANIFEST})
    files = (file for path in own for file in (path, *path.rglob("*")) if not file.is_dir())
    return {file.relative_to(bundle).as_posix(): sha256(file) for file in sorted(files)}
