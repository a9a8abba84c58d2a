from pathlib import Path

import pytest
from textual.message import Message

from tests.tui.checkpoints import save
from tests.tui.conftest import record
from trainer.checkpoint_list import CheckpointInfo, catalogue
from trainer.checkpoint_marks import Mark
from trainer.run_dir import RunDir
from tui import checkpoint_work
from tui.messages import CheckpointNews, CheckpointsListed


def info_of(run: RunDir, folder: Path) -> CheckpointInfo:
    return next(info for info in catalogue(run) if info.path == folder)


def test_a_look_lists_the_newest_first(run: RunDir) -> None:
    older, newer = save(run, 100), save(run, 200)
    said: list[Message] = []
    checkpoint_work.look(run, said.append)
    (listed,) = said
    assert isinstance(listed, CheckpointsListed)
    assert [info.path for info in listed.found] == [newer, older]
    assert listed.problem == ""


def test_a_look_that_fails_says_why(run: RunDir, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(run: RunDir) -> list[CheckpointInfo]:
        raise PermissionError(13, "Permission denied", "checkpoints")

    monkeypatch.setattr(checkpoint_work, "catalogue", refuse)
    said: list[Message] = []
    checkpoint_work.look(run, said.append)
    (listed,) = said
    assert isinstance(listed, CheckpointsListed)
    assert "Permission denied" in listed.problem


def test_a_removed_checkpoint_is_gone_and_that_is_said(run: RunDir) -> None:
    folder = save(run, 100)
    said: list[Message] = []
    checkpoint_work.remove(run, info_of(run, folder), said.append)
    assert said == [CheckpointNews("Removed the checkpoint of 100 steps.")]
    assert not folder.exists()


@pytest.mark.parametrize("why", ["pinned", "newest"])
def test_a_refusal_is_said_in_its_own_words_and_nothing_is_gone(run: RunDir, why: str) -> None:
    folder = save(run, 100, mark=Mark(pinned=True) if why == "pinned" else None)
    if why == "newest":
        record(run)  # somebody trains, and would resume from it
    said: list[Message] = []
    checkpoint_work.remove(run, info_of(run, folder), said.append)
    (news,) = said
    assert isinstance(news, CheckpointNews)
    assert news.refused
    assert why in news.words
    assert folder.exists()


def test_an_inspection_tells_whole_from_damaged(run: RunDir) -> None:
    folder = save(run, 100)
    info = info_of(run, folder)
    said: list[Message] = []
    checkpoint_work.inspect(info, said.append)
    (folder / "actor.safetensors").write_bytes(b"y")
    checkpoint_work.inspect(info, said.append)
    assert said == [
        CheckpointNews("Every file of the checkpoint of 100 steps is as it was saved."),
        CheckpointNews(
            f"{folder} is damaged: actor.safetensors is not what was saved.", refused=True
        ),
    ]
