"""What is saved when somebody asks for it, and what the answers say."""

from pathlib import Path

import pytest

from tests.trainer.tiny_runs import at, checkpoint_steps, texts, train_tiny
from trainer import jsonl, saver
from trainer.checkpoint_folder import checkpoint_path
from trainer.checkpoint_marks import Mark, read_mark
from trainer.control import send, send_save
from trainer.run_dir import RunDir


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path / "run")


def answers(run: RunDir) -> dict[str, str]:
    """What was said, by the id of what it answers."""
    return {
        record["answers"]: record["text"]
        for record in jsonl.read_all(run.events)
        if "answers" in record
    }


def test_everybody_who_asks_is_answered_and_all_marks_are_on_one_checkpoint(run: RunDir) -> None:
    ids: list[str] = []

    def ask() -> None:
        send(run, "save")
        ids.append(send_save(run, "mine", pin=True))
        ids.append(send_save(run, "yours"))
        ids.append(send_save(run))

    train_tiny(run, iterations=2, say=at("iteration 1 ", ask))
    place = f"saved checkpoints/{64:015d}"
    assert texts(run, "save") == [
        place,
        f'{place} as "mine", pinned',
        f'{place} as "yours", pinned',
        f'{place} as "yours", pinned',
    ]
    assert list(answers(run)) == ids
    assert read_mark(checkpoint_path(run, 64)) == Mark("yours", pinned=True)


def test_a_checkpoint_that_is_pinned_outlives_the_newest_that_are_kept(run: RunDir) -> None:
    settings = ("checkpoint.every_steps=32", "checkpoint.keep=2")
    ask = at("started", lambda: send_save(run, "first", pin=True))
    train_tiny(run, *settings, iterations=5, say=ask)
    assert checkpoint_steps(run) == [160, 128, 32]


def test_a_name_that_cannot_be_is_refused_and_nothing_is_saved(run: RunDir) -> None:
    with pytest.raises(ValueError, match="up to 40 characters"):
        send_save(run, "x" * 41)
    assert not run.commands.exists()
    record = {"command": "save", "name": "x" * 41, "id": "7a"}
    ask = at("iteration 1 ", lambda: jsonl.append(run.commands, record))
    train_tiny(run, iterations=3, say=ask)
    assert answers(run)["7a"].endswith("; nothing was saved")
    assert checkpoint_steps(run) == [96]


def test_a_full_disk_is_the_answer_and_the_name_is_not_lost(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_mark, failures = saver.write_mark, [OSError(28, "No space left on device")]

    def full_once(folder: Path, mark: Mark) -> None:
        if failures:
            raise failures.pop()
        write_mark(folder, mark)

    monkeypatch.setattr(saver, "write_mark", full_once)
    said: list[str] = []
    ask = at("iteration 1 ", lambda: said.append(send_save(run, "mine")))
    train_tiny(run, iterations=3, say=ask)
    told = [record for record in jsonl.read_all(run.events) if record.get("answers") == said[0]]
    assert [record["kind"] for record in told] == ["warning", "save"]
    assert "No space left on device" in told[0]["text"]
    assert read_mark(checkpoint_path(run, 96)) == Mark("mine")


def test_who_was_answered_is_not_answered_again_after_another_ones_failure(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_mark, failures = saver.write_mark, [OSError(28, "No space left on device")]

    def full_once(folder: Path, mark: Mark) -> None:
        if mark.pinned and failures:
            raise failures.pop()
        write_mark(folder, mark)

    monkeypatch.setattr(saver, "write_mark", full_once)
    ids: list[str] = []

    def ask() -> None:
        ids.append(send_save(run, "mine"))
        ids.append(send_save(run, "yours", pin=True))

    train_tiny(run, iterations=3, say=at("iteration 1 ", ask))
    told = [(e["answers"], e["kind"]) for e in jsonl.read_all(run.events) if "answers" in e]
    mine, yours = ids
    assert told == [(mine, "save"), (yours, "warning"), (yours, "save")]
