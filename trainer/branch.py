"""Rolls a run back to one of its checkpoints as a new run; the old line stays as it was.

The new folder holds that checkpoint, the versions and the numbers that led to it, who taught it and
branch.json, which says where it came from. Training it resumes from there, as any run. Works beside
the parent's trainer, and loads neither torch nor numpy. Tested by `tests/trainer/test_branch.py`.
"""

import json
import os
import shutil
from pathlib import Path
from typing import NamedTuple

from trainer.checkpoint_folder import FILES, HASHES, damage
from trainer.checkpoint_list import require_checkpoint
from trainer.config import RunConfig
from trainer.config_file import ConfigError, load_config, write_config
from trainer.control import tell
from trainer.files import write_folder_atomic
from trainer.fitting import must_fit
from trainer.lineage import copy_lines_to
from trainer.ratings.branching import copy_ratings
from trainer.run_dir import RunDir
from trainer.version_folder import list_versions, version_path


class BranchError(Exception):
    """A branch cannot be made as asked; the message is one sentence for a person."""


class Parent(NamedTuple):
    """Where a run was branched from."""

    run: Path
    """Folder of the other run, whether it is still there or not."""
    steps: int
    """Agent steps up to which both are one."""


def branch(run: RunDir, checkpoint: Path, new: RunDir) -> None:
    """Make `new` a run that goes on from a checkpoint of `run`, whole or not at all.

    Its settings are the present ones of `run`, as with every resume; those of the checkpoint where
    the present ones no longer fit its networks. The mark of the checkpoint stays with the parent.

    Args:
        run: Is only read; somebody may train in it.
        checkpoint: Folder of one of its checkpoints.
        new: A folder that is not there yet, or is empty.

    Raises:
        BranchError: When the checkpoint is damaged or goes meanwhile, or `new` is in use.
        CheckpointRefusedError: When it is no checkpoint of `run`.
        ConfigError: When neither the settings of the run nor those of the checkpoint can be read.
        OSError: When the disk refuses.
    """
    require_checkpoint(run, checkpoint)
    reason = damage(checkpoint)
    if reason is not None:
        raise BranchError(f"{checkpoint} is no whole checkpoint: {reason}")
    config, words = _settings(run, checkpoint)
    _require_free(new.path)
    write_folder_atomic(
        new.path, lambda folder: _fill(RunDir(folder), run, checkpoint, new, config, words)
    )


def default_branch(run: RunDir, steps: int) -> RunDir:
    """A free folder beside `run`, named for both, such as laptop-from-12.3M."""
    path = run.path if run.path.name not in ("", "..") else run.path.resolve()
    name = f"{path.name}-from-{_short(steps)}"
    found, count = path.with_name(name), 1
    while found.exists():
        count += 1
        found = path.with_name(f"{name}-{count}")
    return RunDir(found)


def parent_of(run: RunDir) -> Parent | None:
    """Where `run` was branched from; None when it was not, or nobody can tell any more."""
    try:
        record = json.loads(run.branch.read_bytes())
        parent = run.path / str(record["of"])
        return Parent(Path(os.path.normpath(parent)), int(record["steps"]))
    except (OSError, OverflowError, ValueError, TypeError, KeyError, RecursionError):
        return None


def _fill(
    folder: RunDir, run: RunDir, checkpoint: Path, new: RunDir, config: RunConfig, words: str
) -> None:
    """Write all of the new run into `folder`, which becomes `new` once it is whole."""
    steps, copy = int(checkpoint.name), folder.checkpoints / checkpoint.name
    _copy_checkpoint(checkpoint, copy)
    write_config(folder.config, config)
    for name in (*_beside(config), folder.teacher.name):
        if (run.path / name).is_file():
            shutil.copy2(run.path / name, folder.path / name)
    copy_lines_to(run.metrics, folder.metrics, steps)
    copy_ratings(run, folder, steps)
    _copy_versions(run, folder, steps)
    folder.branch.write_text(json.dumps({"of": _seen_from(new.path, run.path), "steps": steps}))
    tell(folder, "start", f"branched from {run.path} at {steps:,} steps; {words}", steps)


def _copy_checkpoint(checkpoint: Path, copy: Path) -> None:
    copy.mkdir(parents=True)
    try:
        for name in (*FILES, HASHES):
            shutil.copy2(checkpoint / name, copy / name)
    except FileNotFoundError as error:
        raise BranchError(f"{checkpoint} was removed meanwhile: take a pinned one") from error
    reason = damage(copy)
    if reason is not None:
        raise BranchError(f"the copy of {checkpoint} is not whole: {reason}")


def _copy_versions(run: RunDir, folder: RunDir, steps: int) -> None:
    """Those up to `steps`; one that the parent's trainer prunes meanwhile is gone there as well."""
    for found in list_versions(run):
        if found > steps:
            continue
        source, copy = version_path(run, found), version_path(folder, found)
        copy.mkdir(parents=True)
        try:
            for file in source.iterdir():
                shutil.copy2(file, copy / file.name)
        except FileNotFoundError:
            shutil.rmtree(copy)


def _settings(run: RunDir, checkpoint: Path) -> tuple[RunConfig, str]:
    """What the branch trains with, and whose settings those are, in words."""
    saved = _read(checkpoint / "config.toml")
    present = _read(run.config)
    if present is not None and (saved is None or must_fit(present) == must_fit(saved)):
        return present, "the settings are those of that run now"
    theirs = load_config(checkpoint / "config.toml")
    why = "cannot be read" if present is None else "have other networks, observation or optimizer"
    return theirs, f"the settings are those of the checkpoint, since those of that run now {why}"


def _read(path: Path) -> RunConfig | None:
    try:
        return load_config(path)
    except ConfigError:
        return None


def _beside(config: RunConfig) -> list[str]:
    """Files in a run's folder that its config names; it may name others elsewhere."""
    names = {f"{name.partition(':')[0]}.py" for name in config.rewards.custom}
    names |= {config.resets.file} if config.resets.file else set()
    return sorted(name for name in names if Path(name).name == name)


def _require_free(path: Path) -> None:
    """Refuse a folder that holds anything; an empty one makes room.

    Raises:
        BranchError: When something is there.
    """
    if path.is_dir() and not any(path.iterdir()):
        path.rmdir()
    elif path.exists():
        raise BranchError(f"{path} exists already and is not empty: give another folder")


def _seen_from(new: Path, run: Path) -> str:
    """The way to `run`: relative when they are neighbours, so that both may move together."""
    here, there = new.absolute(), run.absolute()
    return os.path.relpath(there, here) if here.parent == there.parent else str(there)


def _short(steps: int) -> str:
    """`steps` in three digits, such as 12.3M."""
    rounded = float(f"{steps:.3g}")
    for unit, suffix in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if rounded >= unit:
            return f"{rounded / unit:g}{suffix}"
    return str(steps)
