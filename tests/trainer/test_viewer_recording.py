"""A recording begins and ends as wished; a disk that refuses ends it and nothing else."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trainer.frames import CarFrame, notice
from trainer.replay import ReplayWriter, read_replay
from trainer.run_dir import RunDir
from trainer.viewer_recording import Recording

CAR = CarFrame(0, 0.0, 0.0, 17.0, 0.0, 0.0, True, False, False)
FRAME = replace(notice(""), cars=(CAR,), steps=70, names=("newest", "5.0M steps"))
DATE = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def recording(tmp_path: Path, said: list[str]) -> Recording:
    return Recording(RunDir(tmp_path / "mine"), 15, lambda: DATE, said.append)


def names(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "mine" / "replays").glob("*"))


def test_nothing_is_written_before_it_is_wished_and_there_is_a_picture(
    recording: Recording, tmp_path: Path, said: list[str]
) -> None:
    recording.take(FRAME)
    recording.switch(True)
    recording.switch(False)
    assert (names(tmp_path), said) == ([], [])


def test_it_is_named_by_date_and_steps_and_two_have_two_names(
    recording: Recording, tmp_path: Path, said: list[str]
) -> None:
    for _ in range(2):
        recording.switch(True)
        recording.take(FRAME)
        recording.take(FRAME)
        recording.switch(False)
    first, second = "2026-03-04_05-06-07_70.jsonl.gz", "2026-03-04_05-06-07_70_2.jsonl.gz"
    assert names(tmp_path) == [first, second]
    assert said == [f"Recorded to replays/{first}", f"Recorded to replays/{second}"]
    header, frames = read_replay(tmp_path / "mine" / "replays" / first)
    assert (header.run, header.names, header.teams) == ("mine", FRAME.names, (0,))
    assert list(frames) == [FRAME, FRAME]


def test_a_folder_that_cannot_be_made_is_a_sentence_and_no_more_tries(
    recording: Recording, tmp_path: Path, said: list[str]
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "replays").touch()  # a file is in the way
    recording.switch(True)
    recording.take(FRAME)
    recording.take(FRAME)
    assert said == ["The recording ended: File exists"]
    recording.switch(False)
    recording.finish()
    assert len(said) == 1


def test_a_full_disk_ends_it_and_what_was_written_stays(
    recording: Recording, tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    recording.switch(True)
    recording.take(FRAME)

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ReplayWriter, "write", refuse)
    recording.take(FRAME)
    assert said == ["The recording ended: No space left on device"]
    (left,) = names(tmp_path)
    assert left.endswith(".tmp")
    assert list(read_replay(tmp_path / "mine" / "replays" / left)[1]) == [FRAME]
