import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S
from tests.trainer.fake_checkpoints import fake_checkpoint
from tests.trainer.tiny import tiny_config, write_tiny
from trainer import jsonl
from trainer.checkpoint_folder import checkpoint_path, list_checkpoints
from trainer.checkpoint_marks import Mark, read_mark
from trainer.cli import app, run_app
from trainer.config_file import load_config, write_config
from trainer.run_dir import RunDir, read_status


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    """A run with two checkpoints, in which nobody trains."""
    run = RunDir(tmp_path / "runs" / "mine")
    fake_checkpoint(run, 1_000)
    fake_checkpoint(run, 2_000)
    write_config(run.config, tiny_config())
    return run


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command prints that is done as asked."""
    assert run_app(app, words) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run_app(app, words) == 2
    out, err = capsys.readouterr()
    assert (out, err[:7]) == ("", "rlppo: ")
    return err[7:]


def test_a_real_run_is_paused_named_edited_branched_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, config = RunDir(tmp_path / "run"), write_tiny(tmp_path, "sim.workers=2")
    command = [sys.executable, "-m", "trainer", "train", str(config), "--run", str(run.path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as trainer:
        ends = time.monotonic() + PATIENCE_S
        while not run.metrics.exists():
            assert time.monotonic() < ends
            time.sleep(0.05)
        where = str(run.path)
        words = said(capsys, "pause", where)
        status = read_status(run)
        assert status is not None
        assert words == f"paused after iteration {status.iteration:,}\n"
        assert "nothing to change" not in said(capsys, "set", where, "ppo.epochs=3")
        assert ' as "a b", pinned' in said(capsys, "save", where, "--name", "a b", "--pin")
        (folder,) = list_checkpoints(run)
        assert read_mark(folder) == Mark("a b", pinned=True)
        # Whatever it was asked meanwhile, it stayed where it was.
        assert int(folder.name) == status.steps == jsonl.read_all(run.metrics)[-1]["steps"]
        said(capsys, "branch", where, "a b", "--to", str(tmp_path / "new"))
        assert said(capsys, "resume", where) == "goes on\n"
        said(capsys, "pause", where)
        trainer.send_signal(signal.SIGTERM)
        assert trainer.wait(PATIENCE_S) == 0
    status = read_status(run)
    assert status is not None
    assert status.phase == "stopped"
    assert list_checkpoints(run)[0] == checkpoint_path(run, status.steps)
    assert [path.name for path in list_checkpoints(RunDir(tmp_path / "new"))] == [folder.name]
    assert load_config(tmp_path / "new" / "config.toml").ppo.epochs == 3


def test_checkpoints_are_pinned_named_and_listed(
    run: RunDir, capsys: pytest.CaptureFixture[str]
) -> None:
    where, older = str(run.path), checkpoint_path(run, 1_000)
    assert said(capsys, "pin", where, "1_000", "--name", "a b") == f'pinned {older} "a b"\n'
    heading, newest, pinned = said(capsys, "checkpoints", where).splitlines()
    assert heading.split() == ["steps", "iteration", "age", "size", "pinned", "name"]
    assert newest.split()[0] == "2,000"
    assert pinned.split()[0] == "1,000"
    assert pinned.endswith("pinned  a b")
    assert said(capsys, "unpin", where, "a b") == f'unpinned {older} "a b"\n'
    assert read_mark(older) == Mark("a b")
    said(capsys, "pin", where, "a b")
    assert read_mark(older) == Mark("a b", pinned=True)


def test_a_branch_without_a_name_gets_one_beside_the_run(
    run: RunDir, capsys: pytest.CaptureFixture[str]
) -> None:
    new = run.path.with_name("mine-from-2k")
    words = said(capsys, "branch", str(run.path), "2000")
    assert words == f"branched at 2,000 steps: rlppo train --run {new} goes on from there\n"
    assert (new / "branch.json").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["pin", "RUN", "1_400"], "has no checkpoint '1_400'; nearest: 1,000"),
        (["unpin", "RUN", "mine"], "has no checkpoint 'mine'; newest: 2,000"),
        (["branch", "RUN", "1_600"], "has no checkpoint '1_600'; nearest: 2,000"),
        (["branch", "RUN", "1000", "--to", "RUN"], "exists already and is not empty"),
        (["pin", "RUN", "1000", "--name", "x" * 41], "one line of up to 40 characters"),
        (["pause", "RUN"], "nobody trains in RUN: rlppo train --run RUN resumes it first"),
        (["resume", "RUN"], "nobody trains in RUN"),
        (["save", "RUN"], "nobody trains in RUN"),
        (["checkpoints", "RUNx"], "RUNx is no run folder; nearest: RUN"),
        (["branch", "RUNx", "1000"], "RUNx is no run folder; nearest: RUN"),
        (["pin", "RUNx", "1000"], "RUNx is no run folder; nearest: RUN"),
    ],
)
def test_a_mistake_is_a_sentence_and_a_2(
    run: RunDir, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    where = str(run.path)
    err = refused(capsys, *(word.replace("RUN", where) for word in words))
    assert sentence.replace("RUN", where) in err
    assert not list(run.path.parent.glob("mine-*"))
    assert not run.commands.exists()


def test_a_run_without_checkpoints_has_an_empty_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_config(tmp_path / "config.toml", tiny_config())
    assert len(said(capsys, "checkpoints", str(tmp_path)).splitlines()) == 1
