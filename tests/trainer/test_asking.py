import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S
from tests.trainer.tiny import tiny_config, write_tiny
from tests.trainer.tiny_runs import train_tiny
from trainer import asking, control, jsonl
from trainer.cli import app, run_app
from trainer.config_file import load_config, write_config
from trainer.control import EventKind, send, tell
from trainer.run_dir import RunDir, new_status, read_status, write_status
from trainer.session import lock_run


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    """A run with a config, in which nobody trains."""
    run = RunDir(tmp_path / "run")
    run.path.mkdir()
    write_config(run.config, tiny_config())
    return run


def pretend_to_train(
    run: RunDir, monkeypatch: pytest.MonkeyPatch, answer: tuple[EventKind, str] | None
) -> None:
    """This process seems to be the trainer; it says `answer` to whatever is asked."""

    def answered(run: RunDir, values: Mapping[str, object]) -> str:
        edit = control.send_edit(run, values)
        tell(run, "save", "saved something meanwhile", 0)
        if answer:
            tell(run, *answer, 0, edit)
        return edit

    write_status(run, new_status("cpu"))
    monkeypatch.setattr(asking, "send_edit", answered)
    monkeypatch.setattr(asking, "ANSWER_S", 0.3)


def asked(run: RunDir) -> list[object]:
    return [record["values"] for record in jsonl.read_all(run.commands)]


def test_a_trainer_that_trains_takes_it_and_its_answer_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, config = RunDir(tmp_path / "run"), write_tiny(tmp_path)
    command = [sys.executable, "-m", "trainer", "train", str(config), "--run", str(run.path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as trainer:
        ends = time.monotonic() + PATIENCE_S
        while not run.metrics.exists():
            assert time.monotonic() < ends
            time.sleep(0.05)
        code = run_app(app, ["set", str(run.path), "ppo.learning_rate=1e-4", "rewards.concede=-3"])
        send(run, "quit")
        assert trainer.wait(PATIENCE_S) == code == 0
    first, second, answer = capsys.readouterr().out.splitlines()
    assert (first, second) == (
        "rewards.concede -10.0 -> -3.0",
        "ppo.learning_rate 0.001 -> 0.0001",
    )
    assert answer.startswith(f"set {first}, {second}, from iteration ")
    assert load_config(run.config).ppo.learning_rate == 1e-4
    rates = [record["Update/learning_rate_actor"] for record in jsonl.read_all(run.metrics)]
    assert (rates[0], rates[-1]) == (1e-3, 1e-4)


def test_with_nobody_training_the_config_is_changed_for_the_resume(
    run: RunDir, capsys: pytest.CaptureFixture[str]
) -> None:
    # Nothing was built yet, so what is not live may change as well.
    assert run_app(app, ["set", str(run.path), "ppo.epochs=5", "sim.arenas=3"]) == 0
    config = load_config(run.config)
    assert (config.ppo.epochs, config.sim.arenas) == (5, 3)
    assert capsys.readouterr().out.splitlines() == [
        "sim.arenas 2 -> 3",
        "ppo.epochs 2 -> 5",
        f"nobody trains in {run.path}: the next resume takes it",
    ]
    assert not run.commands.exists()


def test_what_the_newest_checkpoint_would_not_fit_is_refused_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = RunDir(tmp_path / "run")
    train_tiny(run, iterations=1)
    for word, wrong in (
        ("networks.actor=[4]", "networks"),
        ("sim.modes.2v2=1", "sim.modes"),
        ("ppo.optimizer=muon", "ppo.optimizer"),
    ):
        assert run_app(app, ["set", str(run.path), word]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(f"rlppo: set: {wrong} cannot be other than in ")
        assert f"{run.path}/checkpoints/000000000000032" in err
        assert ("--reset-optimizer" if "optimizer" in word else "--warm-start") in err
    # A config that fits no more, as when somebody wrote into it, can be mended, and told more.
    write_config(run.config, tiny_config("networks.actor=[4]"))
    assert run_app(app, ["set", str(run.path), "ppo.epochs=3"]) == 0
    assert run_app(app, ["set", str(run.path), "networks.actor=[5]"]) == 2
    assert run_app(app, ["set", str(run.path), "networks.actor=[8, 8]"]) == 0
    # Nothing is held to a checkpoint that is none.
    for file in run.checkpoints.glob("*/actor.safetensors"):
        file.unlink()
    assert run_app(app, ["set", str(run.path), "networks.actor=[4]"]) == 0


def test_a_run_that_trains_is_not_told_to_stop_for_what_can_never_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = RunDir(tmp_path / "run")
    train_tiny(run, iterations=1)
    pretend_to_train(run, monkeypatch, None)
    assert run_app(app, ["set", str(run.path), "networks.actor=[4]"]) == 2
    assert "stop the run" not in capsys.readouterr().err


def test_a_name_in_quotes_is_the_same_name(run: RunDir) -> None:
    for word in ("rewards.custom.mine:still=1", 'rewards.custom."mine:still"=2'):
        assert run_app(app, ["set", str(run.path), word]) == 0
    assert load_config(run.config).rewards.custom == {"mine:still": 2.0}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["ppo.epoch=3"], "set: unknown key ppo.epoch; nearest: ppo.epochs"),
        (["ppo.epochs=0"], "set: ppo.epochs = 0 should be greater than 0"),
        (["ppo.epochs"], "set ppo.epochs: write it as section.key=value"),
        ([], "set: no values"),
    ],
)
@pytest.mark.parametrize("trained", [True, False])
def test_what_cannot_be_is_refused_before_anybody_is_asked(
    run: RunDir,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    trained: bool,
    words: list[str],
    sentence: str,
) -> None:
    if trained:
        pretend_to_train(run, monkeypatch, None)
    before = run.config.read_text()
    assert run_app(app, ["set", str(run.path), *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err[:7]) == ("", "rlppo: ")
    assert sentence in err
    assert run.config.read_text() == before
    assert not run.commands.exists()


def test_what_is_not_live_is_not_even_sent(
    run: RunDir, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend_to_train(run, monkeypatch, None)
    assert run_app(app, ["set", str(run.path), "sim.arenas=3", "ppo.epochs=3"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "sim.arenas cannot change while the run trains: stop the run, set it then" in err
    assert not run.commands.exists()


def test_nothing_is_sent_when_nothing_would_change(
    run: RunDir, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend_to_train(run, monkeypatch, None)
    assert run_app(app, ["set", str(run.path), "ppo.epochs=2"]) == 0
    assert capsys.readouterr().out == "nothing to change: these values are in force\n"
    assert not run.commands.exists()


def test_the_trainers_refusal_is_a_2(
    run: RunDir, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend_to_train(run, monkeypatch, ("warning", "set: not now; nothing was changed"))
    assert run_app(app, ["set", str(run.path), "ppo.epochs=3"]) == 2
    assert capsys.readouterr().err == "rlppo: set: not now; nothing was changed\n"
    assert asked(run) == [{"ppo.epochs": 3}]


def test_a_long_iteration_is_not_waited_for(
    run: RunDir, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend_to_train(run, monkeypatch, None)
    assert run_app(app, ["set", str(run.path), "ppo.epochs=3"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("sent: the trainer takes it before")
    assert asked(run) == [{"ppo.epochs": 3}]


def test_a_trainer_that_ends_without_a_word_is_told_of(
    run: RunDir, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend_to_train(run, monkeypatch, None)
    status = read_status(run)
    assert status is not None

    def end(seconds: float) -> None:
        write_status(run, replace(status, phase="failed"))

    monkeypatch.setattr("trainer.asking.time.sleep", end)
    assert run_app(app, ["set", str(run.path), "ppo.epochs=3"]) == 2
    assert "ended before it answered: ask again" in capsys.readouterr().err


def test_a_trainer_that_has_said_nothing_yet_still_holds_its_config(
    run: RunDir, capsys: pytest.CaptureFixture[str]
) -> None:
    before = run.config.read_text()
    with lock_run(run):
        assert run_app(app, ["set", str(run.path), "ppo.epochs=3"]) == 2
    assert f"trains in {run.path} already" in capsys.readouterr().err
    assert run.config.read_text() == before


def test_no_run_is_made_by_setting_something_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_app(app, ["set", str(tmp_path / "nowhere"), "ppo.epochs=3"]) == 2
    assert "config.toml does not exist" in capsys.readouterr().err
    assert not (tmp_path / "nowhere").exists()
