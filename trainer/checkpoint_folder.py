"""The folder `checkpoints/`: which entries are checkpoints, which are whole, which must go.

A checkpoint is a folder named by its steps; its hashes.json holds the SHA-256 of every other file,
so half a file, a flipped bit or an empty folder is seen before anything is loaded. Knows nothing of
what the files mean. Standard library only. Tested by `tests/trainer/test_checkpoint.py`.
"""

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from trainer.checkpoint_marks import read_mark
from trainer.run_dir import RunDir

HASHES = "hashes.json"
FILES = (
    "actor.safetensors",
    "critic.safetensors",
    "optimizer.safetensors",
    "anchors.safetensors",
    "state.json",
    "config.toml",
    "contract.json",
)
"""What every checkpoint holds beside its hashes."""

_NAME = re.compile(r"\d{15}")
_LEFTOVER = re.compile(r"\.\d{15}\.\d+\.tmp")
"""What an interrupted save or removal leaves."""


def checkpoint_path(run: RunDir, steps: int) -> Path:
    """Where the checkpoint after `steps` agent steps belongs."""
    return run.checkpoints / f"{steps:015d}"


def list_checkpoints(run: RunDir) -> list[Path]:
    """Every folder with a checkpoint's name, whole or not, newest first."""
    return sorted((path for path in _entries(run) if _is_checkpoint(path)), reverse=True)


def newest_valid(run: RunDir, explain: Callable[[str], None] | None = None) -> Path | None:
    """The newest checkpoint whose files are all as they were written; None when there is none.

    Args:
        run: The run folder; it is not changed.
        explain: Is told, a sentence each, what was passed over and why.
    """
    explain = explain or _keep_silent
    foreign = sorted(path.name for path in _entries(run) if not _is_checkpoint(path))
    if foreign:
        explain(f"ignored in {run.checkpoints}, no checkpoints: {', '.join(foreign)}")
    for path in list_checkpoints(run):
        reason = damage(path)
        if reason is None:
            return path
        explain(f"passed over the damaged checkpoint {path}: {reason}")
    return None


def damage(folder: Path, files: Sequence[str] = FILES, seal: str = HASHES) -> str | None:
    """What is wrong with a sealed folder, in words; None when all `files` have their hashes."""
    try:
        hashes = json.loads((folder / seal).read_text())
        for name in files:
            if sha256(folder / name) != hashes[name]:
                return f"{name} is not what was saved"
    except FileNotFoundError as error:
        return f"{Path(str(error.filename)).name} is missing"
    except OSError as error:
        return f"it cannot be read ({error.strerror})"
    except (ValueError, TypeError, KeyError):
        return f"{seal} is damaged"
    return None


def write_hashes(folder: Path, files: Sequence[str] = FILES, seal: str = HASHES) -> None:
    """Seal a folder that has all of `files`: those of a checkpoint, or of a version."""
    hashes = {name: sha256(folder / name) for name in files}
    (folder / seal).write_text(json.dumps(hashes, indent=2) + "\n")


def sha256(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def prune(run: RunDir, newest: Path, keep: int) -> None:
    """Remove what is older than the `keep` newest whole checkpoints up to `newest`; 0 keeps all.

    Only whole ones count, so damage never pushes out the last good one. Pinned ones stay, and do
    not count. Also clears away what interrupted saves left; only the one trainer of the run may
    call this.

    Raises:
        OSError: When the disk refuses.
    """
    for path in _entries(run):
        # One that is pinned was to be removed, and whoever did so is about to put it back, or died.
        if _LEFTOVER.fullmatch(path.name) and not read_mark(path).pinned:
            _clear_away(path)
    kept = 0
    for path in list_checkpoints(run):
        if read_mark(path).pinned:
            continue
        if keep and kept >= keep:
            remove(path)
        elif path.name <= newest.name and damage(path) is None:
            kept += 1


def remove(folder: Path) -> bool:
    """Remove a checkpoint unless it is pinned, at the last moment too; whether it is gone.

    Raises:
        OSError: When the disk refuses.
    """
    # Renamed first: whatever interrupts this leaves no half of a checkpoint under its name, and
    # nobody can write a mark on it any more.
    leftover = folder.with_name(f".{folder.name}.0.tmp")
    try:
        folder.rename(leftover)
    except FileNotFoundError:  # who prunes and who deletes may meet here
        return True
    if read_mark(leftover).pinned:
        leftover.rename(folder)
        return False
    _clear_away(leftover)
    return True


def _clear_away(leftover: Path) -> None:
    # Those two may meet here as well; what one leaves the other takes.
    with suppress(FileNotFoundError):
        shutil.rmtree(leftover)


def _keep_silent(reason: str) -> None:
    pass


def _entries(run: RunDir) -> list[Path]:
    return list(run.checkpoints.iterdir()) if run.checkpoints.is_dir() else []


def _is_checkpoint(path: Path) -> bool:
    return path.is_dir() and _NAME.fullmatch(path.name) is not None
