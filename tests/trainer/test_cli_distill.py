from pathlib import Path

import pytest

from export.cli import app as whole_app
from tests.patience import PATIENCE_S
from tests.trainer.tiny import write_tiny
from tests.trainer.tiny_runs import checkpoint_steps, texts, train_tiny
from trainer import jsonl
from trainer.cli import app, run_app
from trainer.run_dir import RunDir
from tui.launcher import Launch, start


@pytest.fixture
def teacher(tmp_path: Path) -> str:
    run = RunDir(tmp_path / "teacher")
    train_tiny(run, "networks.actor=[16]", "sim.max_team_size=3", iterations=1)
    return str(run.path)


def test_a_student_is_taught_resumed_and_then_trained_on(tmp_path: Path, teacher: str) -> None:
    config, run = write_tiny(tmp_path), RunDir(tmp_path / "run")
    words = ["distill", teacher, "--config", str(config), "--run", str(run.path)]
    assert run_app(whole_app, [*words, "--iterations", "2", "--set", "transfer.epochs=1"]) == 0
    assert run_app(app, ["distill", teacher, "--run", str(run.path), "--iterations", "1"]) == 0
    assert run_app(app, ["train", "--run", str(run.path), "--iterations", "1"]) == 0
    taught = ["Transfer/kl" in record for record in jsonl.read_all(run.metrics)]
    assert taught == [True, True, True, False]
    assert checkpoint_steps(run) == [128, 96, 64]
    assert ["learns from" in text for text in texts(run, "start")] == [True, True, False]


def test_the_run_folder_is_named_after_the_student_s_config(
    tmp_path: Path, teacher: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tiny(tmp_path)
    monkeypatch.chdir(tmp_path)
    words = ["distill", teacher, "--config", "tiny.toml", "--iterations", "1", "--minutes", "1"]
    assert run_app(app, words) == 0
    assert (tmp_path / "runs" / "tiny" / "teacher.json").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nowhere"], "nowhere"),
        (["TEACHER", "--set", "transfer.los=kl"], "unknown key transfer.los; nearest: "),
        (["TEACHER", "--set", "transfer.loss=mse"], "transfer.loss"),
        (["TEACHER", "--set", "sim.modes.4v4=1"], "4v4"),
        (["TEACHER", "--iterations", "0"], "--iterations"),
        ([], "teacher"),
    ],
)
def test_a_mistake_is_a_sentence_and_a_2_and_nothing_is_written(
    tmp_path: Path,
    teacher: str,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    sentence: str,
) -> None:
    config, run = write_tiny(tmp_path), tmp_path / "run"
    named = [teacher if word == "TEACHER" else word for word in words]
    assert run_app(app, ["distill", *named, "--config", str(config), "--run", str(run)]) == 2
    err = capsys.readouterr().err
    assert err.startswith("rlppo: ")
    assert sentence in err.lower()
    assert "Traceback" not in err
    assert not run.exists()


def test_a_student_of_other_sizes_than_its_run_is_refused(
    tmp_path: Path, teacher: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = RunDir(tmp_path / "run")
    train_tiny(run, iterations=1)
    words = ["distill", teacher, "--run", str(run.path), "--set", "networks.actor=[4]"]
    assert run_app(app, words) == 2
    assert "actor_layers is (8, 8) there and (4,) here" in capsys.readouterr().err
    assert not run.teacher.exists()


def test_a_run_is_not_its_own_teacher(
    tmp_path: Path,
    teacher: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    before = RunDir(tmp_path / "teacher").events.read_bytes()
    assert run_app(app, ["distill", teacher, "--run", "teacher"]) == 2
    assert "would be its own teacher: give another folder as --run" in capsys.readouterr().err
    assert RunDir(tmp_path / "teacher").events.read_bytes() == before


def test_a_dashboard_goes_on_with_what_the_run_did_last(tmp_path: Path, teacher: str) -> None:
    config, run = write_tiny(tmp_path), RunDir(tmp_path / "run")
    words = ["distill", teacher, "--config", str(config), "--run", str(run.path)]
    assert run_app(app, [*words, "--iterations", "1"]) == 0
    for taught in (True, False):
        child = start(Launch(run, iterations=1))
        assert child.wait(PATIENCE_S) == 0
        assert ("Transfer/kl" in jsonl.read_all(run.metrics)[-1]) == taught
        assert run_app(app, ["train", "--run", str(run.path), "--iterations", "1"]) == 0
