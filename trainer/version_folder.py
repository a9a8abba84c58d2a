"""The folder `policy_versions/` of a run: names, which are there, when one is due, and pruning.

    RUN/policy_versions/000000005000000/         a version (`versions.py`)
    RUN/policy_versions/000000005000000.aside/   one of a line that the run does not go on with

Neither counts among checkpoints. Loads no torch. Tested by `tests/trainer/test_versions.py`.
"""

import re
import shutil
from itertools import count
from pathlib import Path

from trainer.run_dir import RunDir

_NAME = re.compile(r"\d{15}")
_LEFTOVER = re.compile(r"\.\d{15}\.\d+\.tmp")
"""What an interrupted save or removal leaves."""


def version_path(run: RunDir, steps: int) -> Path:
    """Where the version after `steps` agent steps belongs."""
    return run.versions / f"{steps:015d}"


def list_versions(run: RunDir) -> list[int]:
    """The steps of every folder with a version's name, whole or not, fewest first."""
    if not run.versions.is_dir():
        return []
    names = (path.name for path in run.versions.iterdir() if path.is_dir())
    return sorted(int(name) for name in names if _NAME.fullmatch(name))


def is_due(before: int, now: int, every: int) -> bool:
    """Whether one belongs between `before` and `now` agent steps; several are one, 0 has none."""
    # ⌊now / every⌋ > ⌊before / every⌋
    return every > 0 and now // every > before // every


def set_aside_after(run: RunDir, steps: int) -> list[Path]:
    """Rename all versions after `steps` agent steps, so that nobody takes them for this line's.

    Only the one trainer of the run may call this.

    Returns:
        Where they are now, fewest steps first.

    Raises:
        OSError: When one cannot be renamed.
    """
    paths = [version_path(run, found) for found in list_versions(run) if found > steps]
    return [path.rename(_free_aside(path)) for path in paths]


def prune_versions(run: RunDir, keep: int) -> None:
    """Remove all but the `keep` newest, and what was interrupted before; 0 keeps all.

    Only the one trainer of the run may call this.

    Raises:
        OSError: When one cannot be removed.
    """
    for path in run.versions.iterdir() if run.versions.is_dir() else ():
        if _LEFTOVER.fullmatch(path.name):
            shutil.rmtree(path)
    for steps in list_versions(run)[:-keep] if keep else ():
        _remove(version_path(run, steps))


def _remove(path: Path) -> None:
    # Renamed first: whoever reads one meanwhile finds it whole or gone, never half of it.
    path.rename(leftover := path.with_name(f".{path.name}.0.tmp"))
    shutil.rmtree(leftover)


def _free_aside(path: Path) -> Path:
    names = (f"{path.name}.aside{number if number > 1 else ''}" for number in count(1))
    return next(found for found in map(path.with_name, names) if not found.exists())
