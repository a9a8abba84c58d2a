import json
from pathlib import Path

import pytest

from export.cli import app
from tests.trainer.evaluation.runs import make_run
from trainer import jsonl
from trainer.cli import run_app
from trainer.evaluation.protocol import SelectionProtocol, load_protocol

SHORT = """
[games]
seconds = 0.5
[starts]
kickoffs = 1
random = 1
[gate]
random_margin = 0.0
"""


def select(folder: Path) -> int:
    terms = folder / "terms.toml"
    terms.write_text(SHORT)
    return run_app(app, ["select", str(folder / "run"), "--protocol", str(terms)])


def test_a_selection_that_does_not_pass_tells_why_and_exits_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(tmp_path / "run", 10, 20)
    assert select(tmp_path) == 1
    out = capsys.readouterr().out
    assert "10 is the best, and does not pass the gate:" in out
    # 4 draws: 0.5 ± 0.350 by Wilson
    assert "- no: 0.500 points a game against random, at least 0.150; 0.500 was needed" in out


def test_a_selection_whose_winner_beats_chance_exits_with_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(tmp_path / "run", 10)
    select(tmp_path)
    (log,) = run.selections.glob("*/games.jsonl")
    records = jsonl.read_all(log)
    for record in records:  # as if it had won every game; in even ones it is blue
        record["orange" if record["game"] % 2 else "blue"]["goals"] = 9
    log.write_text("".join(json.dumps(record) + "\n" for record in records))
    capsys.readouterr()
    assert select(tmp_path) == 0
    out = capsys.readouterr().out
    # 4 wins: 1 / (1 + z² / 4)
    assert "- yes: 1.000 points a game against random, at least 0.510; 0.500 is needed" in out


def test_the_written_protocol_is_the_default_one(tmp_path: Path) -> None:
    path = tmp_path / "terms.toml"
    assert run_app(app, ["select", str(tmp_path), "--write-protocol", str(path)]) == 0
    assert load_protocol(path) == SelectionProtocol()
    assert not (tmp_path / "selections").exists()


def test_evaluate_plays_against_chance_by_default(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(tmp_path / "run", 10)
    words = ["evaluate", str(run.path), "--games", "4", "--seconds", "1"]
    assert run_app(app, words) == 0
    assert "| random |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["select", "{}/none"], "holds no whole checkpoint"),
        (["select", "{}/run", "--protocol", "{}/none.toml"], "none.toml does not exist"),
        (["evaluate", "{}/none"], "neither a checkpoint nor a run with a whole one"),
        (["evaluate", "{}/run", "--mode", "2v2"], "cannot play 2v2: it sees 92 numbers of 1v1"),
    ],
)
def test_what_cannot_be_played_is_one_sentence_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    make_run(tmp_path / "run", 10)
    assert run_app(app, [word.format(tmp_path) for word in words]) == 2
    err = capsys.readouterr().err
    assert err.startswith("rlppo: ")
    assert sentence in err
    assert err.count("\n") == 1
