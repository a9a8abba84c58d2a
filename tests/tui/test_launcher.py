import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.patience import PATIENCE_S
from tests.tui.conftest import FAKE_TRAINER
from trainer.control import send
from trainer.metrics import IterationMetrics, append
from trainer.run_dir import RunDir, read_status
from trainer.teacher_note import TeacherNote, write_note
from tui import launcher
from tui.launcher import Launch, interrupt, resume_command, start


def wait(true: Callable[[], object], seconds: float = PATIENCE_S) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture(autouse=True)
def _fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "TRAINER", (sys.executable, str(FAKE_TRAINER)))


def test_every_wish_becomes_a_word_of_the_command_line() -> None:
    launch = Launch(
        RunDir(Path("runs/a b")), Path("my.toml"), 10, 2.5, ("seed=1", "ppo.epochs=2"), "cpu"
    )
    assert launch.arguments == [
        "train", "my.toml", "--run", "runs/a b", "--iterations", "10", "--minutes", "2.5",
        "--device", "cpu", "--set", "seed=1", "--set", "ppo.epochs=2",
    ]  # fmt: skip


def test_what_nobody_wished_is_left_out() -> None:
    assert Launch(RunDir(Path("r"))).arguments == ["train", "--run", "r"]


def test_a_distillation_is_gone_on_with_by_the_same_teacher(tmp_path: Path) -> None:
    launch = Launch(RunDir(Path("r")), Path("my.toml"), teacher="/bots/a b.pt")
    words = ["distill", "/bots/a b.pt", "--config", "my.toml", "--run", "r"]
    assert launch.arguments == words
    run = RunDir(tmp_path / "run")
    run.path.mkdir()
    write_note(run, TeacherNote("a teacher", "0123", "/bots/PPO_POLICY.pt"))
    for lesson, said in (
        ("Transfer/loss", "distill /bots/PPO_POLICY.pt --run"),
        ("Loss/value", "train --run"),
    ):
        append(run.metrics, IterationMetrics(1, 32, 0.0, {lesson: 0.5}))
        child = start(Launch(run))
        wait(lambda: "fake trainer" in run.log.read_text())
        assert f"fake trainer: {said}" in run.log.read_text()
        child.kill()
        child.wait(PATIENCE_S)


def test_a_trainer_writes_its_output_into_the_run_and_stops_when_asked(tmp_path: Path) -> None:
    run = RunDir(tmp_path / "new" / "run")
    child = start(Launch(run, iterations=7))
    wait(lambda: (status := read_status(run)) and status.iteration >= 1)
    send(run, "quit")
    assert child.wait(PATIENCE_S) == 0
    assert "train --run" in run.log.read_text()
    assert "--iterations 7" in run.log.read_text()


def test_a_trainer_that_reads_no_commands_is_stopped_by_a_signal(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_TRAINER", "deaf")
    child = start(Launch(run))
    wait(lambda: (status := read_status(run)) and status.iteration >= 1)
    interrupt(read_status(run), None)
    assert child.wait(PATIENCE_S) == 0
    status = read_status(run)
    assert status is not None
    assert status.phase == "stopped"
    interrupt(status, child)  # nobody is left to hear it, and that is no error


def test_the_command_to_resume_can_be_pasted_into_a_shell() -> None:
    for folder, command in (("runs/1v1", "rlppo-tui runs/1v1"), ("my 1v1", "rlppo-tui 'my 1v1'")):
        run = RunDir(Path(folder))
        run.path.mkdir(exist_ok=True)
        run.config.touch()
        assert resume_command(run) == command


def test_a_run_that_was_refused_before_it_was_one_is_begun_by_the_same_command_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run = RunDir(tmp_path / "refused")
    run.path.mkdir()
    run.log.write_text("rlppo: refused\n")
    monkeypatch.setattr(sys, "argv", ["rlppo-tui", "my run.toml", "--set", "seed=1"])
    assert resume_command(run) == "rlppo-tui 'my run.toml' --set seed=1"
    run.config.touch()
    assert resume_command(run) == f"rlppo-tui {run.path}"


def test_the_command_to_resume_is_a_path_where_the_shell_knows_no_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: RunDir
) -> None:
    run.config.touch()
    called = Path(".venv", "bin", "rlppo-tui")
    monkeypatch.setattr(sys, "argv", [str(called)])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert resume_command(run) == f"{called} {run.path}"


def test_a_trainer_that_ends_unwatched_does_not_count_as_alive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_TRAINER", "refuses")
    pid = start(Launch(RunDir(tmp_path / "run"))).pid

    def is_gone() -> bool:
        launcher.reap()
        return not psutil.pid_exists(pid)

    wait(is_gone)
