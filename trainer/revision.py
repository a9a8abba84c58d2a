"""Which source a run was trained by: the version, and the commit where there is one.

Asks git only when the package stands in a checkout of its own. Knows no run. Tested by
`tests/trainer/test_cli.py`.
"""

import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def source_revision() -> str:
    """For example "0.1.0", "0.1.0+g1a2b3c4d5e6f", or the latter with ".dirty" when files differ."""
    try:
        name = version("rlppo")
    except PackageNotFoundError:
        name = "unknown"
    root = Path(__file__).resolve().parent.parent
    commit = _git(root, "rev-parse", "--short=12", "HEAD") if (root / ".git").exists() else ""
    if not commit:
        return name
    dirty = ".dirty" if _git(root, "status", "--porcelain", "--untracked-files=no") else ""
    return f"{name}+g{commit}{dirty}"


def _git(root: Path, *words: str) -> str:
    """What git prints; empty when there is no git, or it refuses."""
    try:
        command = ["git", "-C", str(root), *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
