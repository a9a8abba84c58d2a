import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.trainer.evaluation.runs import make_run, short_terms
from trainer import jsonl
from trainer.evaluation import parallel
from trainer.evaluation.selection import select
from trainer.run_dir import RunDir

TERMS = short_terms(candidates={"newest": 3})
"""3 pairings among three candidates and 3 with random, of 8 games each: 48."""


class InterruptedByTestError(Exception):
    pass


def folder_of(run: RunDir) -> Path:
    (folder,) = run.selections.iterdir()
    return folder


def silent(line: str) -> None:
    pass


def tell(lines: list[str]) -> Callable[[str], None]:
    return lines.append


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainer.evaluation.schedule.AT_ONCE", 10)


def test_a_selection_leaves_terms_starts_games_and_both_reports(tmp_path: Path) -> None:
    run = make_run(tmp_path, 10, 20, 30, 40)
    lines: list[str] = []
    report = select(run, TERMS, tmp_path, tell(lines))
    folder = folder_of(run)
    names = {path.name for path in folder.iterdir()}
    assert names == {"protocol.toml", "starts.jsonl", "games.jsonl", "report.json", "report.md"}
    assert folder.name == report.binding.sha256[:16]
    games = jsonl.read_all(folder / "games.jsonl")
    assert [record["game"] for record in games] == list(range(48))
    assert {record["decisions"] for record in games} == {30}
    assert len((folder / "starts.jsonl").read_text().splitlines()) == 4
    assert lines[0] == f"selection {folder}: 48 games"

    found = json.loads((folder / "report.json").read_text())
    assert set(found["records"]) == {"20", "30", "40"}
    assert found["winner"] == report.winner == found["ranking"][0]
    assert found["binding_sha256"] == report.binding.sha256
    assert found["protocol"]["games"]["seconds"] == 2.0
    assert all(
        record["wins"] + record["draws"] + record["losses"] == 24
        for record in found["records"].values()
    )
    assert all(
        set(found["pairings"][name]) == {"20", "30", "40", "random"} - {name}
        for name in ("20", "30", "40")
    )
    page = (folder / "report.md").read_text()
    assert f"{report.winner} is the best" in page
    assert report.binding.protocol_sha256 in page


@pytest.mark.usefixtures("small_batches")
def test_an_interrupted_selection_goes_on_and_gives_the_identical_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [make_run(tmp_path / name, 10, 20, 30) for name in ("whole", "broken")]
    whole, broken = runs
    select(whole, TERMS, tmp_path, silent)

    def interrupt(line: str) -> None:
        if line.startswith("batch 2 of 5"):
            raise InterruptedByTestError

    with pytest.raises(InterruptedByTestError):
        select(broken, TERMS, tmp_path, interrupt)
    log = folder_of(broken) / "games.jsonl"
    log.write_text(log.read_text()[:-300])  # and its last line was cut off
    assert len(jsonl.read_all(log)) == 19
    assert not (folder_of(broken) / "report.json").exists()

    played: list[int] = []
    play = parallel.play
    monkeypatch.setattr(
        parallel, "play", lambda games, *rest: played.append(len(games)) or play(games, *rest)
    )
    select(broken, TERMS, tmp_path, silent)
    assert played == [10, 10, 10, 8]  # the first batch was known
    for name in ("report.json", "report.md", "starts.jsonl"):
        assert (folder_of(broken) / name).read_bytes() == (folder_of(whole) / name).read_bytes()

    played.clear()
    select(broken, TERMS, tmp_path, silent)
    assert played == []


def test_a_new_checkpoint_or_other_terms_are_another_selection(tmp_path: Path) -> None:
    terms = short_terms(candidates={"newest": 1}, games={"seconds": 0.5})
    select(make_run(tmp_path, 10), terms, tmp_path, silent)
    select(make_run(tmp_path, 20), terms, tmp_path, silent)
    run = RunDir(tmp_path)
    assert len(list(run.selections.iterdir())) == 2
    select(run, short_terms(candidates={"newest": 1}, games={"seconds": 1}), tmp_path, silent)
    assert len(list(run.selections.iterdir())) == 3


def test_an_incumbent_plays_every_candidate_and_stands_at_the_gate(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", 10, 20)
    make_run(tmp_path / "best", 5)
    terms = short_terms(
        opponents={"each_other": False}, gate={"incumbent": "best"}, games={"seconds": 0.5}
    )
    report = select(run, terms, tmp_path, silent)
    assert set(report.pairings["10"]) == set(report.pairings["20"]) == {"random", "best"}
    # In half a second nobody scores.
    assert [finding.passed for finding in report.gate] == [False, True]
    assert not report.passed
    assert report.winner == "10"  # alike in points and goals: the earliest
