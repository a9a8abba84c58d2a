import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from export.cli import app
from tests.patience import PATIENCE_S
from tests.trainer.evaluation.runs import make_run
from tests.trainer.ratings.ladders import make_versions
from trainer.cli import run_app
from trainer.ratings.ladder_table import read_ladder
from trainer.run_dir import RunDir

SHORT = ("--starts", "2", "--seconds", "1")


def test_a_ladder_prints_a_table_and_leaves_it_in_the_run_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_versions(tmp_path / "run", 1000, 2000)
    assert run_app(app, ["ladder", str(run.path), *SHORT]) == 0
    out = capsys.readouterr().out
    assert out.startswith("ladder of random, 1,000, 2,000: 12 games\n12 of 12 games\n\n1v1, 1 s a")
    assert "W-D-L" in out
    found = read_ladder(run.ladder)
    assert found
    assert (found.seconds, found.sampled) == (1.0, False)
    assert {rung.name for rung in found.rounds[0].rungs} == {"random", "1,000", "2,000"}


def test_several_steps_others_and_modes_are_named_in_a_row(tmp_path: Path) -> None:
    settings = ("sim.max_team_size=2",)
    run = make_versions(tmp_path / "run", 10, 20, 30, settings=settings)
    other = make_versions(tmp_path / "other", 5, settings=settings)
    version = str(other.versions / f"{5:015d}")
    words = ["--steps", "10", "30", "--with", "random", version, "--mode", "1v1", "2v2"]
    assert run_app(app, ["ladder", str(run.path), *words, *SHORT, "--sampled"]) == 0
    found = read_ladder(run.ladder)
    assert found
    assert found.sampled
    assert [each.mode for each in found.rounds] == ["1v1", "2v2"]
    for each in found.rounds:
        assert {rung.name for rung in each.rungs} == {"10", "30", "random", version}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["{}/none"], "none/config.toml does not exist"),
        (["{}/run"], "run has no versions, which versions.every_steps keeps; --steps takes"),
        (["{}/run", "--steps", "11"], "no version or checkpoint of 11 steps; there are: 10"),
        (["{}/run", "--steps", "10", "--versions", "2"], "one of them says who plays"),
        (["{}/run", "--steps", "10", "--with", "{}/none"], "neither a checkpoint nor a run"),
        (["{}/run", "--steps", "10", "--with", "nexto"], "ratings.nexto does not say where"),
        (["{}/run", "--steps", "10", "--mode", "2v2"], "10 cannot play 2v2: it sees 92"),
    ],
)
def test_what_cannot_be_played_is_one_sentence_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    run = make_run(tmp_path / "run", 10)
    assert run_app(app, ["ladder", *(word.format(tmp_path) for word in words)]) == 2
    err = capsys.readouterr().err
    assert err.startswith("rlppo: ")
    assert sentence in err
    assert err.count("\n") == 1
    assert not run.ladder.exists()


@pytest.fixture
def heeds_sigint() -> Iterator[None]:
    """What a test starts hears Ctrl-C, though scripts make what they put behind them deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C reaches a whole group of processes on POSIX")
def test_ctrl_c_ends_all_processes_with_a_sentence_and_the_same_command_goes_on(
    tmp_path: Path, heeds_sigint: None
) -> None:
    run = make_versions(tmp_path / "run", 10, 20)
    terms = ("--starts", "64", "--seconds", "4")
    command = [sys.executable, "-m", "trainer", "ladder", str(run.path), *terms]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, text=True
    ) as process:
        assert process.stdout is not None
        first = [process.stdout.readline() for _ in range(2)]
        workers = psutil.Process(process.pid).children()
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
    # 3 pairs of 128 games, in batches of 64
    assert first == ["ladder of random, 10, 20: 384 games\n", "64 of 384 games\n"]
    assert process.returncode == 130
    assert err == "rlppo: interrupted; a ladder goes on by the same command\n"
    assert {path.name for path in RunDir(run.path).path.iterdir()} == {
        *("config.toml", "policy_versions", "ladder_games"),
    }
    assert psutil.wait_procs(workers, 20)[1] == []

    again = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = again.stdout.splitlines()
    assert lines[1] != "64 of 384 games"
    assert "384 of 384 games" in lines
    assert not run.ladder_games.exists()
