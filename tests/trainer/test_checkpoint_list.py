import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.trainer.fake_checkpoints import fake_checkpoint, spoil
from trainer import checkpoint_list
from trainer.checkpoint_folder import HASHES, list_checkpoints
from trainer.checkpoint_list import (
    CheckpointRefusedError,
    catalogue,
    delete_checkpoint,
    find_checkpoint,
    mark_checkpoint,
)
from trainer.checkpoint_marks import MARK, Mark, write_mark
from trainer.run_dir import RunDir, new_status, write_status


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path / "run")


def trained(run: RunDir) -> RunDir:
    """This process seems to train in it."""
    write_status(run, new_status("cpu"))
    return run


def steps_of(run: RunDir) -> list[int]:
    return [info.steps for info in catalogue(run)]


def test_the_newest_is_first_with_all_that_a_person_asks_for(run: RunDir) -> None:
    older, newer = fake_checkpoint(run, 100, 2), fake_checkpoint(run, 300, 6)
    os.utime(older / HASHES, (1e9, 1e9))
    write_mark(older, Mark("before shaping", pinned=True))
    (run.checkpoints / "a copy").mkdir()
    first, second = catalogue(run)
    assert (first.path, first.steps, first.iteration) == (newer, 300, 6)
    assert second.mark == Mark("before shaping", pinned=True)
    # Marking it later makes it no younger.
    assert (second.saved_at, second.config_hash) == (1e9, "c0ffee")
    assert second.size_bytes == sum(len(file.read_bytes()) for file in older.iterdir())


def test_a_run_that_saved_nothing_has_an_empty_list(run: RunDir) -> None:
    assert catalogue(run) == []


def test_half_a_checkpoint_is_listed_with_what_is_known(run: RunDir) -> None:
    folder = fake_checkpoint(run, 100)
    (folder / HASHES).unlink()
    (folder / "state.json").write_text("[1")
    (folder / "contract.json").unlink()
    (info,) = catalogue(run)
    assert (info.steps, info.iteration, info.config_hash) == (100, None, "")


def test_what_is_pruned_while_it_is_listed_is_left_out(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, stays = fake_checkpoint(run, 100), fake_checkpoint(run, 200)

    def seen_before(run: RunDir) -> list[Path]:
        found = list_checkpoints(run)
        shutil.rmtree(gone)
        return found

    monkeypatch.setattr(checkpoint_list, "list_checkpoints", seen_before)
    assert [info.path for info in catalogue(run)] == [stays]


def test_a_checkpoint_is_found_by_steps_and_by_name(run: RunDir) -> None:
    for steps in (1_000, 2_000, 3_000):
        write_mark(fake_checkpoint(run, steps), Mark("mine" if steps < 3_000 else "1000"))
    for word, steps in (("1000", 1_000), ("2,000", 2_000), ("3_000", 3_000), ("mine", 2_000)):
        assert find_checkpoint(run, word).steps == steps


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("1,400", "has no checkpoint '1,400'; nearest: 1,000"),
        ("1_600", "has no checkpoint '1_600'; nearest: 2,000"),
        ("befor shaping", "has no checkpoint 'befor shaping'; nearest: \"before shaping\""),
        ("zzz", "has no checkpoint 'zzz'; newest: 2,000"),
        ("", "has no checkpoint ''; newest: 2,000"),
    ],
)
def test_what_is_not_there_is_refused_with_the_nearest(
    run: RunDir, word: str, sentence: str
) -> None:
    write_mark(fake_checkpoint(run, 1_000), Mark("before shaping"))
    fake_checkpoint(run, 2_000)
    with pytest.raises(CheckpointRefusedError) as caught:
        find_checkpoint(run, word)
    assert str(caught.value) == f"{run.path} {sentence}"


def test_nothing_is_near_where_nothing_is(run: RunDir) -> None:
    with pytest.raises(CheckpointRefusedError, match="no checkpoint '5', nor any other"):
        find_checkpoint(run, "5")


def test_a_checkpoint_is_marked_unless_it_went_meanwhile(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, mark = fake_checkpoint(run, 100), Mark("mine", pinned=True)
    mark_checkpoint(run, folder, mark)
    assert find_checkpoint(run, "mine").mark == mark
    with pytest.raises(CheckpointRefusedError, match="no checkpoint 'gone'; newest: 100"):
        mark_checkpoint(run, run.checkpoints / "gone", mark)
    monkeypatch.setattr(checkpoint_list, "require_checkpoint", lambda *_: shutil.rmtree(folder))
    with pytest.raises(CheckpointRefusedError, match="was removed meanwhile"):
        mark_checkpoint(run, folder, mark)
    assert list(run.checkpoints.iterdir()) == []


def test_a_deleted_checkpoint_is_gone_and_nothing_is_left_of_it(run: RunDir) -> None:
    older, newer = fake_checkpoint(run, 100), fake_checkpoint(run, 200)
    delete_checkpoint(trained(run), older)
    assert list(run.checkpoints.iterdir()) == [newer]


def test_a_pinned_checkpoint_is_not_deleted(run: RunDir) -> None:
    folder = fake_checkpoint(run, 100)
    write_mark(folder, Mark(pinned=True))
    with pytest.raises(CheckpointRefusedError, match="is pinned; unpin it first"):
        delete_checkpoint(run, folder)
    (folder / MARK).write_text("{")
    with pytest.raises(CheckpointRefusedError, match=r"or may be: its mark\.json is damaged"):
        delete_checkpoint(run, folder)
    assert list_checkpoints(run) == [folder]


def test_while_somebody_trains_the_newest_whole_checkpoint_stays(run: RunDir) -> None:
    older, damaged = fake_checkpoint(run, 100), fake_checkpoint(run, 200)
    spoil(damaged / "actor.safetensors")
    with pytest.raises(CheckpointRefusedError, match="newest whole checkpoint of a run that"):
        delete_checkpoint(trained(run), older)
    delete_checkpoint(run, damaged)
    assert steps_of(run) == [100]
    write_status(run, replace(new_status("cpu"), phase="stopped"))
    delete_checkpoint(run, older)
    assert steps_of(run) == []


def test_only_a_checkpoint_of_that_run_is_deleted(run: RunDir, tmp_path: Path) -> None:
    fake_checkpoint(run, 100)
    other = RunDir(tmp_path / "other")
    theirs, beside = fake_checkpoint(other, 100), run.checkpoints / "versions"
    beside.mkdir()
    for folder in (theirs, beside, run.path, run.checkpoints / f"{150:015d}"):
        with pytest.raises(CheckpointRefusedError, match="has no checkpoint"):
            delete_checkpoint(run, folder)
    assert theirs.exists()
    assert beside.exists()
