import errno
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.trainer.tiny import write_tiny
from trainer import jsonl
from trainer.checkpoint_folder import list_checkpoints
from trainer.cli import app, run_app
from trainer.revision import source_revision
from trainer.run_dir import RunDir, read_status


def test_training_two_iterations_leaves_a_whole_run_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_tiny(tmp_path)
    run = RunDir(tmp_path / "run")
    command = ["train", str(config), "--run", str(run.path), "--iterations", "2", "--seed", "7"]
    assert run_app(app, command) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line for line in out if line.startswith("iteration ")] == [
        line
        for line in out
        if re.match(r"iteration [12] \| (32|64) steps \| steps/s [\d,]+ \|", line)
    ]
    assert not any("\x1b" in line for line in out)
    assert "seed = 7" in run.config.read_text()
    assert [record["iteration"] for record in jsonl.read_all(run.metrics)] == [1, 2]
    assert [folder.name for folder in list_checkpoints(run)] == ["000000000000064"]
    kinds = [record["kind"] for record in jsonl.read_all(run.events)]
    assert kinds == ["start", "save", "stop"]
    status = read_status(run)
    assert status is not None
    assert (status.phase, status.iteration, status.last_iteration) == ("stopped", 2, 2)
    assert status.device.startswith("cpu")


def test_the_run_folder_is_named_after_the_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tiny(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run_app(app, ["train", "tiny.toml", "--iterations", "1"]) == 0
    assert (tmp_path / "runs" / "tiny" / "config.toml").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--set", "ppo.epoch=2"], "unknown key ppo.epoch; nearest: ppo.epochs"),
        (["--set", "sim.action_delay=8"], "action_delay 8 must be below tick_skip 8"),
        (["--set", "ppo.batch_size=64"], "ppo.batch_size 64 is more than the 32 rows"),
        (["--iterations", "0"], "--iterations"),
        (["--minutes", "soon"], "--minutes"),
        (["--sett", "ppo.epochs=2"], "--sett"),
        (["--iterations", "1", "--set", "sim.meshes=/nowhere"], "/nowhere"),
        (
            ["--iterations", "1", "--set", "resets.file=nowhere.jsonl"],
            "nowhere.jsonl does not exist",
        ),
        (["--iterations", "1", "--set", "resets.from_file=1"], "resets.file names none"),
        (["--iterations", "1", "--set", 'rewards.custom={"mine:spin"=1.0}'], "mine"),
    ],
)
def test_a_mistake_is_a_sentence_and_a_2_never_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    config = write_tiny(tmp_path)
    run = tmp_path / "run"
    assert run_app(app, ["train", str(config), "--run", str(run), *words]) == 2
    err = capsys.readouterr().err
    assert err.startswith("rlppo: ")
    assert sentence in err
    assert "Traceback" not in err
    # The lock of a folder is never removed: two could hold it then.
    assert {path.name for path in run.glob("*")} <= {"trainer.lock"}


@pytest.mark.parametrize("refusal", [errno.EROFS, errno.ENOSPC])
def test_a_disk_that_refuses_is_a_sentence_that_says_what_was_kept(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    refusal: int,
) -> None:
    def refuses(*_: object) -> None:
        raise OSError(refusal, "the disk refuses")

    monkeypatch.setattr("trainer.saver.save", refuses)
    config = write_tiny(tmp_path)
    command = ["train", str(config), "--run", str(tmp_path / "run"), "--iterations", "1"]
    assert run_app(app, command) == 2
    err = capsys.readouterr().err
    assert err == f"rlppo: [Errno {refusal}] the disk refuses; nothing was saved yet\n"


@pytest.mark.parametrize("run", ["tiny.toml", "tiny.toml/run", "x" * 300])
def test_a_run_folder_that_can_be_none_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], run: str
) -> None:
    config = write_tiny(tmp_path)
    assert run_app(app, ["train", str(config), "--run", str(tmp_path / run)]) == 2
    assert run_app(app, ["train", "--run", str(tmp_path / run), "--set", "device=cpu"]) == 2
    assert run in capsys.readouterr().err


def test_a_run_folder_that_may_not_be_read_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuses(path: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", refuses)
    assert run_app(app, ["train", "--run", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("rlppo: [Errno 13] Permission denied: ")


def test_a_fault_of_the_program_keeps_its_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faults(*_: object) -> None:
        raise FileNotFoundError(errno.ENOENT, "no such file")

    monkeypatch.setattr("trainer.saver.save", faults)
    config = write_tiny(tmp_path)
    with pytest.raises(FileNotFoundError, match="no such file"):
        run_app(app, ["train", str(config), "--run", str(tmp_path / "run"), "--iterations", "1"])


@pytest.mark.parametrize("command", ["train", "bench", "check"])
def test_help_shows_no_empty_tuple(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, [command, "--help"]) == 0
    assert "[default: ()]" not in capsys.readouterr().out


def test_a_missing_config_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["check", "nowhere.toml"]) == 2
    assert capsys.readouterr().err == "rlppo: nowhere.toml does not exist\n"


def test_check_says_what_a_config_comes_to_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = write_tiny(tmp_path / "folder")
    monkeypatch.chdir(tmp_path)
    assert run_app(app, ["check", str(config), "--set", "ppo.epochs=3"]) == 0
    out = capsys.readouterr().out
    # 32 steps an iteration are 8 decisions of 2 arenas with 2 cars; at 15 a second 0.53 s of game.
    assert "15 decisions a second" in out
    assert "4 in 2 arenas: 2 of 1v1" in out
    assert "8 decisions x 4 agents = 32" in out
    assert "0.5 s of each arena" in out
    # 92*8+8 + 8*8+8 + 8*90+90 = 744 + 72 + 810; 92*12+12 + 12*1+1 = 1116 + 13.
    assert re.search(r"actor +1,626 parameters", out)
    assert re.search(r"critic +1,129 parameters", out)
    assert re.search(r"collects +[\d,]+ steps/s", out)
    assert re.search(r"workers +1, the trainer itself", out)
    assert "f32" not in out
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "tiny.toml"]


def test_check_measures_a_coarser_precision_against_f32(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_tiny(tmp_path, "ppo.critic_precision=bf16", "networks.shared=[8]")
    assert run_app(app, ["check", str(config)]) == 0
    out = capsys.readouterr().out
    assert re.search(r"shared +744 parameters", out)
    found = re.search(r"(\S+) +critic in bf16 learns (\S+) times as fast as in f32", out)
    assert found is not None
    assert found[1] == ("precision" if float(found[2]) > 1 else "warning")


def test_help_loads_neither_torch_nor_the_simulator() -> None:
    code = (
        "import sys; from trainer.cli import app, run_app; run_app(app, ['train', '--help']);"
        "print([name for name in ('torch', 'RocketSim', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "--iterations" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_threads_sleep_while_they_wait_unless_somebody_wants_otherwise() -> None:
    code = (
        "import os, sys; from trainer.cli import app, run_app; run_app(app, ['train', '--help']);"
        "print(os.environ['OMP_WAIT_POLICY'], 'torch' in sys.modules)"
    )
    for wanted, found in ((None, "PASSIVE"), ("ACTIVE", "ACTIVE")):
        environment = {name: text for name, text in os.environ.items() if name != "OMP_WAIT_POLICY"}
        environment |= {"OMP_WAIT_POLICY": wanted} if wanted else {}
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        assert done.stdout.splitlines()[-1] == f"{found} False"


def test_the_revision_is_the_version_and_the_commit() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*(\+g[0-9a-f]{12}(\.dirty)?)?", source_revision())
