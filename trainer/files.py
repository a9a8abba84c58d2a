"""Writing what must survive: to a temporary name, flushed to the disk, then renamed.

Knows no format. Standard library only, because the dashboard uses it too. Tested by
`tests/trainer/test_files.py`.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


def write_atomic(path: Path, data: bytes) -> None:
    """Replace `path` by `data`, whole or not at all.

    Raises:
        OSError: When the disk refuses; `path` is then as it was.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with _naming(path), temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_folder_atomic(path: Path, fill: Callable[[Path], None]) -> None:
    """Create the folder `path`, filled by `fill(temporary)`, whole or not at all.

    Raises:
        FileExistsError: When `path` exists already.
        OSError: When the disk refuses; `path` then does not exist.
    """
    if path.exists():
        raise FileExistsError(f"{path} exists already")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    try:
        with _naming(path):
            fill(temporary)
        for file in temporary.rglob("*"):
            if file.is_file():
                sync_file(file)
        temporary.rename(path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    sync_folder(path.parent)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Let a full disk's error say what could not be written: that of a write names nothing."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)
        raise


def sync_file(path: Path) -> None:
    """Flush a finished file to the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Flush a folder's list of names to the disk, where the system can (not on Windows)."""
    if os.name != "nt":
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
