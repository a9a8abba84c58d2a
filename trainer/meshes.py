"""Where the arena's collision meshes are, and whether they are the game's own.

Knows no simulator: it only finds and hashes files. The folder it returns holds `soccar/*.cmf`.
Tested by `tests/trainer/test_meshes.py`.
"""

import hashlib
import os
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

ENVIRONMENT_VARIABLE: Final = "RS_COLLISION_MESHES"
MESH_PACKAGE: Final = "rlgym-rocket-league"
"""The distribution that ships the meshes."""

STANDARD_MESHES: Final = frozenset(
    {
        "8764d43b87ba134c", "9d42e5db7cde5c7b", "762ec145db3c317d", "0db5c559287bcd25",
        "92c3224da44f1a35", "776c24b1231b4f7a", "a2262bfa2bfacca3", "c887df022d6a2b33",
        "3350567082d9a133", "4864911a7f0a3add", "36cc44e14a0e500a", "7f4468be0b0835a4",
        "952a90a0ff27c273", "b441f782f07e81c2", "085f7533c53a73da", "21c1d1eb450f9e09",
    }
)  # fmt: skip
"""First 16 hex digits of the SHA-256 of each mesh of the standard soccar arena."""


class MeshError(Exception):
    """No meshes where they were said to be."""


def find_meshes(configured: str) -> Path:
    """The folder to simulate with: the configured one, else the environment's, else the installed.

    Args:
        configured: `sim.meshes` of the config; empty asks the next place.

    Raises:
        MeshError: When the first place that is named holds no `soccar/*.cmf`.
    """
    if configured:
        return _require(Path(configured).expanduser(), "sim.meshes")
    if from_environment := os.environ.get(ENVIRONMENT_VARIABLE):
        return _require(Path(from_environment).expanduser(), ENVIRONMENT_VARIABLE)
    try:
        package = distribution(MESH_PACKAGE)
    except PackageNotFoundError:
        raise MeshError(
            f"no collision meshes: install {MESH_PACKAGE}, which ships them "
            f"(pip install --no-deps {MESH_PACKAGE}), or set sim.meshes or {ENVIRONMENT_VARIABLE}"
        ) from None
    installed = package.locate_file("rlgym/rocket_league/sim/collision_meshes")
    return _require(Path(str(installed)), f"the installed {MESH_PACKAGE}")


def mesh_hashes(meshes: Path) -> dict[Path, str]:
    """First 16 hex digits of the SHA-256 of each mesh of the soccar arena in `meshes`."""
    files = sorted((meshes / "soccar").glob("*.cmf"))
    return {file: hashlib.sha256(file.read_bytes()).hexdigest()[:16] for file in files}


def mesh_warnings(meshes: Path) -> list[str]:
    """A sentence if `meshes` is not the standard soccar arena, else nothing."""
    hashes = mesh_hashes(meshes)
    strange = [file.name for file, found in hashes.items() if found not in STANDARD_MESHES]
    lacking = len(STANDARD_MESHES - set(hashes.values()))
    if not strange and not lacking:
        return []
    return [
        f"the meshes in {meshes} are not the standard soccar arena: "
        f"unknown {', '.join(strange) or 'none'}, missing {lacking} of {len(STANDARD_MESHES)}"
    ]


def _require(folder: Path, source: str) -> Path:
    if not any((folder / "soccar").glob("*.cmf")):
        raise MeshError(f"{source} says {folder}, which holds no soccar/*.cmf collision meshes")
    return folder
