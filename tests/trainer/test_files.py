import os
import sys
from pathlib import Path

import pytest

from trainer.files import write_atomic, write_folder_atomic


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_file_is_replaced_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "status.json"
    path.write_bytes(b"old")
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["status.json"]


def test_a_folder_that_fails_halfway_never_appears(tmp_path: Path) -> None:
    def fill(folder: Path) -> None:
        (folder / "actor").write_bytes(b"half")
        raise OSError("No space left on device")

    with pytest.raises(OSError, match="No space left"):
        write_folder_atomic(tmp_path / "000001", fill)
    assert names(tmp_path) == []


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")
def test_a_full_disk_is_named_with_the_file_that_it_did_not_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, opened = tmp_path / "status.json", Path.open
    monkeypatch.setattr(Path, "open", lambda found, mode: opened(Path("/dev/full"), mode))
    with pytest.raises(OSError, match=r"No space left on device: .*status\.json"):
        write_atomic(path, b"new")


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")
def test_a_full_disk_is_named_with_the_folder_that_it_did_not_take(tmp_path: Path) -> None:
    def fill(folder: Path) -> None:
        Path("/dev/full").write_bytes(b"actor")

    with pytest.raises(OSError, match=r"No space left on device: .*000001"):
        write_folder_atomic(tmp_path / "000001", fill)


def test_a_finished_folder_is_never_overwritten(tmp_path: Path) -> None:
    target = tmp_path / "000001"
    write_folder_atomic(target, lambda folder: (folder / "actor").touch())
    with pytest.raises(FileExistsError):
        write_folder_atomic(target, lambda folder: (folder / "other").touch())
    assert names(target) == ["actor"]


def test_what_a_killed_writer_left_does_not_stand_in_the_way(tmp_path: Path) -> None:
    left = tmp_path / f".000001.{os.getpid()}.tmp"
    left.mkdir()
    (left / "half").touch()
    write_folder_atomic(tmp_path / "000001", lambda folder: (folder / "actor").touch())
    assert names(tmp_path) == ["000001"]
    assert names(tmp_path / "000001") == ["actor"]
