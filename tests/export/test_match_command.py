import json
from pathlib import Path

import pytest

from export.match_command import match_command
from export.terms import Terms
from tests.export.bundles import make_bundle, started_by_this_python
from trainer.replay import read_replay


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return started_by_this_python(make_bundle(tmp_path_factory.mktemp("bundle")))


def test_a_match_is_reported_and_recorded_where_it_is_asked_to(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report, record = tmp_path / "report", tmp_path / "match.jsonl.gz"
    assert match_command((bundle, bundle), Terms(0.5), report=report, record=record) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("verdict       good")
    found = json.loads((report / "report.json").read_text(encoding="utf-8"))
    assert (found["decisions"], found["packets"], found["late_actions"]) == (16, 120, 0)
    assert found["result"]["minutes"] == pytest.approx(0.5 / 60)
    assert {row["side"] for row in found["observation"]} == {"blue", "orange"}
    assert (report / "report.md").read_text(encoding="utf-8").startswith("# my run 64 0 : 0 my run")
    _, frames = read_replay(record)
    assert len(list(frames)) == 16


def test_a_match_that_fails_by_what_a_bot_saw_is_reported_all_the_same(
    bundle: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("export.parity.EXACT_TOLERANCE", -1.0)  # nothing is equal
    report = tmp_path / "report"
    assert match_command((bundle, bundle), Terms(2), report=report) == 1
    assert "verdict       failed: " in capsys.readouterr().out
    found = json.loads((report / "report.json").read_text(encoding="utf-8"))
    assert found["observation"][0]["different"] == found["observation"][0]["compared"] > 0


def test_a_folder_without_a_bot_is_a_verdict(
    tmp_path: Path, bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert match_command((bundle, tmp_path), Terms(1)) == 1
    assert capsys.readouterr().out.endswith("has no bot.toml: it is no bot\n")
