from pathlib import Path

from benchmarks.screenshots import take
from tests.tui.conftest import record
from trainer.config import RunConfig
from trainer.config_file import write_config
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
