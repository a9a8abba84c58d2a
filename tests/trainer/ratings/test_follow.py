"""The real rater process beside something that claims to train."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.patience import PATIENCE_S
from tests.trainer.ratings.versions import SHORT, add_version, make_versions
from tests.trainer.tiny import tiny_config
from tests.trainer.tiny_runs import texts, train_tiny
from trainer.ratings.follow import NICENESS, follow
from trainer.ratings.played import read_played
from trainer.ratings.rater import lock_ratings
from trainer.ratings.table import read_ratings
from trainer.run_dir import RunDir

CLAIM = (
    "import sys, time; from pathlib import Path; "
    "from trainer.run_dir import RunDir, new_status, write_status; "
    "write_status(RunDir(Path(sys.argv[1])), new_status('cpu')); time.sleep(600)"
)
LONG = ("ratings.seconds=2000", 'ratings.anchors={"random"=0.0}')
"""Games nobody waits for."""


def until(true: Callable[[], bool], seconds: float = PATIENCE_S) -> None:
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert true()


@pytest.fixture
def trainer(tmp_path: Path) -> Iterator[psutil.Popen]:
    """A process that claims to train in the folder of the test."""
    process = psutil.Popen([sys.executable, "-c", CLAIM, str(tmp_path)])
    until((tmp_path / "status.json").exists)
    yield process
    if process.is_running():
        process.kill()
    process.wait()


def rater_of(run: RunDir) -> psutil.Popen:
    command = [sys.executable, "-m", "trainer", "rate", str(run.path), "--follow"]
    with run.rater_log.open("wb") as log:
        return psutil.Popen(command, stdout=log, stderr=subprocess.STDOUT)


def test_new_versions_are_rated_as_they_come_until_the_trainer_ends(
    tmp_path: Path, trainer: psutil.Popen
) -> None:
    run = make_versions(tmp_path, 10)
    rater = rater_of(run)
    until(lambda: "version 10: 1v1" in run.rater_log.read_text())
    if sys.platform != "win32":
        assert rater.nice() >= NICENESS
    add_version(run, tiny_config(*SHORT), 20)
    until(lambda: "version 20: 1v1" in run.rater_log.read_text())
    trainer.kill()
    trainer.wait()
    assert rater.wait(PATIENCE_S) == 0
    ratings = read_ratings(run.ratings)
    assert ratings is not None
    assert [each.name for each in ratings.modes["1v1"]] == ["10", "20", "random"]


def test_a_rater_in_the_middle_of_a_game_ends_with_a_trainer_that_is_killed(
    tmp_path: Path, trainer: psutil.Popen
) -> None:
    run = make_versions(tmp_path, 10, settings=LONG)
    rater = rater_of(run)
    begun = time.monotonic()
    until(lambda: rater.cpu_times().user > 4 or time.monotonic() > begun + 30)  # it plays
    assert rater.is_running()
    trainer.kill()
    trainer.wait()
    assert rater.wait(PATIENCE_S) == 0
    assert read_played(run.rating_games) == []


def test_a_rater_waits_for_another_one_and_ends_with_the_trainer_meanwhile_too(
    tmp_path: Path, trainer: psutil.Popen
) -> None:
    run = make_versions(tmp_path, 10)
    with lock_ratings(run):
        rater = rater_of(run)
        until(lambda: "already: waiting for it" in run.rater_log.read_text())
    until(lambda: "version 10: 1v1" in run.rater_log.read_text())
    rater.kill()
    rater.wait()
    with lock_ratings(run):
        rater = rater_of(run)
        until(lambda: "already: waiting for it" in run.rater_log.read_text())
        trainer.kill()
        trainer.wait()
        assert rater.wait(PATIENCE_S) == 0


def test_without_a_trainer_all_is_rated_once(tmp_path: Path) -> None:
    run = make_versions(tmp_path, 10)
    called: list[int] = []
    follow(run, lambda: called.append(1))
    assert called == [1]


def command(child: psutil.Process) -> list[str]:
    try:
        return child.cmdline()
    except psutil.NoSuchProcess:  # it has ended, whichever test it was of
        return []


def test_a_run_that_trains_has_its_versions_rated_beside_it(tmp_path: Path) -> None:
    run = RunDir(tmp_path)

    def rest(line: str) -> None:
        """Let an iteration take as long as the rater needs."""
        if line.startswith("iteration 1 "):
            until(run.ratings.exists)

    settings = (*SHORT, "ratings.enabled=true", "versions.every_steps=32")
    train_tiny(run, *settings, iterations=3, say=rest)
    assert texts(run, "rating")[0].startswith("version 32: 1v1 ")
    assert texts(run, "warning") == []
    assert not any("rate" in command(child) for child in psutil.Process().children())
