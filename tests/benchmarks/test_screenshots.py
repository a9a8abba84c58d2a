from pathlib import Path

import pytest

from benchmarks import screenshots
from benchmarks.screenshots import take, take_game
from tests.tui.conftest import record
from tests.tui.games import game
from trainer.config import RunConfig
from trainer.config_file import write_config
from trainer.replay import ReplayHeader, write_replay
from trainer.run_dir import RunDir
from tui.pages import PAGES


def test_every_page_of_a_run_becomes_a_picture_that_shows_its_numbers(tmp_path: Path) -> None:
    run = RunDir(tmp_path / "1v1")
    run.path.mkdir()
    record(run)
    write_config(run.config, RunConfig())
    taken = take(run.path, tmp_path / "pictures")
    assert [path.stem for path in taken] == [page.id for page in PAGES]
    for path in taken:
        picture = path.read_text()
        assert picture.startswith("<svg")
        assert "1v1" in picture
        assert "48" in picture  # iterations of the recorded run
    assert not run.commands.exists()


def test_a_recorded_game_becomes_a_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screenshots, "PLAYED_S", 1.0)
    file = tmp_path / "game.jsonl.gz"
    write_replay(file, ReplayHeader(10, "1v1", ("newest", "newest"), (0, 1)), game((200,)))
    picture = take_game(file, tmp_path / "pictures").read_text()
    assert picture.startswith("<svg")
    assert "Orange" in picture
