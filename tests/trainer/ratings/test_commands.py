from pathlib import Path

import pytest

from export.cli import app
from tests.trainer.ratings.versions import make_versions
from trainer.cli import run_app
from trainer.ratings.rater import lock_ratings


def test_rate_rates_all_and_ends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_versions(tmp_path, 10, 20)
    assert run_app(app, ["rate", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["version 10", "version 20"]
    assert run.ratings.exists()


def test_what_cannot_be_rated_is_one_sentence_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_app(app, ["rate", str(tmp_path / "none")]) == 2
    assert "config.toml" in capsys.readouterr().err
    run = make_versions(tmp_path / "run")
    with lock_ratings(run):
        assert run_app(app, ["rate", str(run.path)]) == 2
    err = capsys.readouterr().err
    assert err == f"rlppo: another process rates {run.path} already\n"
