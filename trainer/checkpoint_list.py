"""The checkpoints of a run as a person sees them: listed, looked up, marked, deleted.

Quick: nothing is hashed, so a damaged checkpoint is listed too (`checkpoint_folder.damage` tells).
Works beside a trainer that saves and prunes. Standard library and psutil only. Tested by
`tests/trainer/test_checkpoint_list.py`.
"""

import json
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from trainer.checkpoint_folder import HASHES, list_checkpoints, newest_valid, remove
from trainer.checkpoint_marks import Mark, read_mark, write_mark
from trainer.run_dir import RunDir, read_status


class CheckpointRefusedError(Exception):
    """What was asked of a checkpoint cannot be; the message is one sentence for a person."""


class CheckpointInfo(NamedTuple):
    """One checkpoint of a run."""

    path: Path
    """Its folder."""
    steps: int
    """Agent steps of the run."""
    iteration: int | None
    """Finished iterations of the run; None when that cannot be read."""
    saved_at: float
    """When it was saved (seconds since the epoch)."""
    size_bytes: int
    """Of all its files."""
    mark: Mark
    """What a person wrote on it."""
    config_hash: str
    """SHA-256 of its config.toml, in hex; empty when that cannot be read."""


def catalogue(run: RunDir) -> list[CheckpointInfo]:
    """Every checkpoint of `run`, newest first; one that goes meanwhile is left out."""
    found = map(_info, list_checkpoints(run))
    return [info for info in found if info is not None]


def find_checkpoint(run: RunDir, word: str) -> CheckpointInfo:
    """The checkpoint that `word` means: its steps, such as 1_000_000, or the name it was given.

    Of several with one name it is the newest.

    Raises:
        CheckpointRefusedError: When there is none, naming the nearest.
    """
    infos, name = catalogue(run), word.strip()
    digits = name.replace(",", "").replace("_", "")
    steps = int(digits) if digits.isdecimal() else None
    by_steps = [info for info in infos if info.steps == steps]
    found = by_steps or [info for info in infos if name and info.mark.name == name]
    if not found:
        near = _nearest(infos, steps, name)
        raise CheckpointRefusedError(f"{run.path} has no checkpoint {word!r}{near}")
    return found[0]


def require_checkpoint(run: RunDir, folder: Path) -> None:
    """Refuse a folder that is no checkpoint of `run`.

    Raises:
        CheckpointRefusedError: Naming the nearest.
    """
    if folder.absolute() not in [path.absolute() for path in list_checkpoints(run)]:
        steps = int(folder.name) if folder.name.isdecimal() else None
        near = _nearest(catalogue(run), steps, folder.name)
        raise CheckpointRefusedError(f"{run.path} has no checkpoint {folder.name!r}{near}")


def mark_checkpoint(run: RunDir, folder: Path, mark: Mark) -> None:
    """Write a name and a pin on one checkpoint of `run`, whoever saves and prunes meanwhile.

    Raises:
        CheckpointRefusedError: When it is no checkpoint of `run`, or no more.
        OSError: When the disk refuses.
        ValueError: When the name is not short plain text.
    """
    require_checkpoint(run, folder)
    try:
        write_mark(folder, mark)
    except FileNotFoundError as error:
        raise CheckpointRefusedError(f"{folder} was removed meanwhile") from error


def delete_checkpoint(run: RunDir, folder: Path) -> None:
    """Remove one checkpoint for good.

    While somebody trains, the newest whole one stays: an error would bring the run back to it.

    Raises:
        CheckpointRefusedError: When it is pinned, needed, or no checkpoint of `run`.
        OSError: When the disk refuses.
    """
    require_checkpoint(run, folder)
    status = read_status(run)
    if status is not None and status.alive:
        newest = newest_valid(run)
        if newest is not None and newest.absolute() == folder.absolute():
            raise CheckpointRefusedError(
                f"{folder} is the newest whole checkpoint of a run that trains, which would resume "
                "from it: stop the run first"
            )
    if read_mark(folder).pinned or not remove(folder):
        why = ", or may be: its mark.json is damaged" if read_mark(folder).damaged else ""
        raise CheckpointRefusedError(f"{folder} is pinned{why}; unpin it first")


def _info(path: Path) -> CheckpointInfo | None:
    sealed = path / HASHES
    try:
        saved_at = (sealed if sealed.exists() else path).stat().st_mtime
        size = sum(file.stat().st_size for file in path.iterdir())
    except FileNotFoundError:
        return None
    iteration = _read(path / "state.json", "counters", "iteration")
    config_hash = _read(path / "contract.json", "config_hash")
    return CheckpointInfo(
        path=path,
        steps=int(path.name),
        iteration=iteration if isinstance(iteration, int) else None,
        saved_at=saved_at,
        size_bytes=size,
        mark=read_mark(path),
        config_hash=config_hash if isinstance(config_hash, str) else "",
    )


def _read(path: Path, *keys: str) -> object:
    """A value in a JSON file; None when it is not there."""
    try:
        found = json.loads(path.read_bytes())
        for key in keys:
            found = found[key]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return found


def _nearest(infos: Sequence[CheckpointInfo], steps: int | None, word: str) -> str:
    """The nearest by steps, or the one whose name is most like `word`, as "; nearest: …"."""
    if not infos:
        return ", nor any other"
    names = [info.mark.name for info in infos if info.mark.name]
    alike = get_close_matches(word, names, 1, 0.6)
    if steps is None and alike:
        return f'; nearest: "{alike[0]}"'
    target = infos[0].steps if steps is None else steps
    nearest = min(infos, key=lambda info: abs(info.steps - target))
    return f"; {'newest' if steps is None else 'nearest'}: {nearest.steps:,}"
