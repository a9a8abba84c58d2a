from pathlib import Path

import pytest

from tests.trainer.fake_checkpoints import fake_checkpoint, spoil
from trainer import checkpoint_folder
from trainer.checkpoint_folder import damage, list_checkpoints, prune
from trainer.checkpoint_marks import MARK, Mark, read_mark, write_mark
from trainer.run_dir import RunDir

PINNED = Mark(pinned=True)


def steps_of(run: RunDir) -> list[int]:
    return [int(path.name) for path in list_checkpoints(run)]


def test_a_mark_reads_back_and_the_checkpoint_is_as_whole_as_before(tmp_path: Path) -> None:
    folder = fake_checkpoint(RunDir(tmp_path), 100)
    assert read_mark(folder) == Mark("", pinned=False)
    write_mark(folder, Mark("  before shaping ", pinned=True))
    assert read_mark(folder) == Mark("before shaping", pinned=True)
    assert damage(folder) is None
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("name", ["x" * 41, "two\nlines", "\x1b[31mred", "\ud800"])
def test_a_name_that_is_no_short_plain_text_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="one line of up to 40 characters"):
        write_mark(tmp_path, Mark(name))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "a", "pinn',
        "[]",
        '{"name": "a"}',
        '{"name": 3, "pinned": false}',
        '{"name": "", "pinned": "no"}',
        '{"name": "two\\nlines", "pinned": false}',
    ],
)
def test_damage_is_taken_for_a_pin_and_says_so(tmp_path: Path, text: str) -> None:
    (tmp_path / MARK).write_text(text)
    assert read_mark(tmp_path) == Mark("", pinned=True, damaged=True)
    # Writing it anew mends it.
    write_mark(tmp_path, Mark())
    assert read_mark(tmp_path) == Mark()


def test_nobody_marks_a_checkpoint_that_was_removed(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_mark(tmp_path / "gone", PINNED)


def test_pruning_leaves_what_is_pinned_or_may_be_and_counts_only_the_others(
    tmp_path: Path,
) -> None:
    run = RunDir(tmp_path)
    folders = [fake_checkpoint(run, steps) for steps in range(100, 800, 100)]
    write_mark(folders[0], PINNED)
    (folders[2] / MARK).write_text("{")
    write_mark(folders[4], Mark("only a name"))
    write_mark(folders[6], PINNED)
    prune(run, folders[6], keep=2)
    assert steps_of(run) == [700, 600, 500, 300, 100]
    write_mark(folders[0], Mark())
    prune(run, folders[6], keep=2)
    assert steps_of(run) == [700, 600, 500, 300]


def test_what_is_pinned_while_it_is_being_removed_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RunDir(tmp_path)
    older, newest = fake_checkpoint(run, 100), fake_checkpoint(run, 200)
    remove = checkpoint_folder.remove

    def too_late(folder: Path) -> bool:
        write_mark(folder, PINNED)
        return remove(folder)

    monkeypatch.setattr(checkpoint_folder, "remove", too_late)
    prune(run, newest, keep=1)
    assert steps_of(run) == [200, 100]
    assert damage(older) is None


def test_a_damaged_checkpoint_that_is_pinned_stays_too(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    older, newest = fake_checkpoint(run, 100), fake_checkpoint(run, 200)
    spoil(older / "actor.safetensors")
    write_mark(older, PINNED)
    prune(run, newest, keep=1)
    assert steps_of(run) == [200, 100]


def test_a_mark_that_nests_too_deeply_is_taken_for_a_pin(tmp_path: Path) -> None:
    (tmp_path / MARK).write_bytes(b"[" * 100_000)
    assert read_mark(tmp_path) == Mark(pinned=True, damaged=True)


def test_what_was_hidden_to_be_removed_and_is_pinned_is_never_cleared_away(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    newest, hidden = fake_checkpoint(run, 200), fake_checkpoint(run, 100)
    write_mark(hidden, PINNED)
    # As a process leaves it that is killed between its two renamings.
    hidden = hidden.rename(hidden.with_name(f".{hidden.name}.0.tmp"))
    prune(run, newest, 1)
    assert damage(hidden) is None


def test_a_checkpoint_that_somebody_else_removed_meanwhile_is_gone_as_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RunDir(tmp_path)
    for steps in (100, 200, 300):
        fake_checkpoint(run, steps)
    newest, middle, _ = list_checkpoints(run)
    read = checkpoint_folder.read_mark

    def read_while_another_deletes(folder: Path) -> Mark:
        mark = read(folder)
        if folder == middle and folder.exists():
            assert checkpoint_folder.remove(folder)
        return mark

    monkeypatch.setattr(checkpoint_folder, "read_mark", read_while_another_deletes)
    prune(run, newest, 1)
    assert steps_of(run) == [300]
