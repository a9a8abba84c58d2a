import json
import math
import os
from pathlib import Path

import pytest

from tests.tui.conftest import NOW, myself, record, restate
from trainer.branch import Parent
from trainer.run_dir import RunDir
from tui.run_list import RunEntry, list_runs, read_entry

RUNS = Path("runs")


def make(name: str, *, mine: bool = False, **status: object) -> RunDir:
    """A copy of the recorded run, whose trainer is this process when it is `mine`."""
    run = RunDir(RUNS / name)
    run.path.mkdir(exist_ok=True)
    record(run)
    restate(run, **({} if mine else {"pid": 2**22 + 1}), **status)
    return run


def states(folder: Path = RUNS) -> dict[str, str]:
    return {entry.path.name: entry.state for entry in list_runs(folder)}


def test_a_run_is_told_by_its_status_and_its_last_iteration(run: RunDir) -> None:
    record(run)
    last = json.loads(run.metrics.read_text().splitlines()[-1])
    assert read_entry(run) == RunEntry(
        path=run.path,
        state="training",
        steps=2_408_448,
        iterations=48,
        reward=last["Reward/total"],
        touches_per_minute=last["Game/touches_per_minute"],
        active_at=NOW,
    )


def test_a_run_trains_while_its_process_lives(run: RunDir) -> None:
    run.path.rmdir()
    make("alive", mine=True)
    make("starts", mine=True, phase="starting")
    make("waits", mine=True, phase="paused")
    make("gone")
    make("done", phase="stopped")
    make("failed", mine=True, phase="failed")
    assert states() == {
        "alive": "training",
        "starts": "starting",
        "waits": "paused",
        "gone": "died",
        "done": "stopped",
        "failed": "died",
    }


def test_living_runs_come_first_by_name_and_the_others_by_their_last_sign(run: RunDir) -> None:
    run.path.rmdir()
    make("old", heartbeat=NOW - 500)
    make("recent", heartbeat=NOW - 50)
    make("b", mine=True, heartbeat=NOW)
    make("a", mine=True, heartbeat=NOW - 5)
    assert [entry.path.name for entry in list_runs(RUNS)] == ["a", "b", "recent", "old"]


def test_a_branch_knows_its_parent(run: RunDir) -> None:
    record(run)
    run.branch.write_text('{"of": "../first", "steps": 1003520}')
    entry = read_entry(run)
    assert entry is not None
    assert entry.parent == Parent(Path("runs/first"), 1_003_520)


def test_a_run_with_a_config_only_has_not_begun(run: RunDir) -> None:
    run.config.write_text("")
    os.utime(run.config, (NOW - 60, NOW - 60))
    entry = read_entry(run)
    assert entry is not None
    assert (entry.state, entry.steps, entry.active_at) == ("not begun", 0, NOW - 60)
    assert math.isnan(entry.reward)


def test_folders_and_files_that_are_no_runs_are_passed_over(run: RunDir) -> None:
    record(run)
    (RUNS / "notes.txt").write_text("a file")
    (RUNS / "empty").mkdir()
    (RUNS / "pictures").mkdir()
    (RUNS / "pictures" / "metrics.jsonl").write_text("{}\n")
    (RUNS / "broken link").symlink_to(RUNS / "nowhere")
    assert list(states()) == ["1v1"]


@pytest.mark.parametrize(
    "status",
    [
        "",
        "[]",
        '{"pid": 1}',
        '{"state": "of another program"}',
        "a" * 100,
    ],
)
def test_a_status_that_is_none_leaves_a_run_that_has_not_begun(run: RunDir, status: str) -> None:
    run.config.write_text("")
    run.status.write_text(status)
    assert states() == {"1v1": "not begun"}


@pytest.mark.parametrize(
    "change",
    [
        {"pid": "x"},
        {"pid": -3},
        {"pid": 2**40},
        {"steps": None},
        {"steps": "many"},
        {"heartbeat": "now"},
        {"heartbeat": math.nan},
        {"pid_created": []},
    ],
)
def test_numbers_that_are_none_are_not_believed(run: RunDir, change: dict[str, object]) -> None:
    record(run)
    restate(run, **change)
    run.config.write_text("")
    assert states() == {"1v1": "not begun"}


def test_the_last_whole_iteration_counts_when_the_end_is_damaged(run: RunDir) -> None:
    record(run)
    with run.metrics.open("a") as file:
        file.write('{"iteration": 49, "steps"\nnull\n{"Reward/total": 9.0}\n{"iteration": 50,')
    entry = read_entry(run)
    assert entry is not None
    assert entry.iterations == 48
    assert math.isfinite(entry.reward)


def test_metrics_know_more_steps_than_a_status_that_starts_again(run: RunDir) -> None:
    record(run)
    restate(run, phase="starting", steps=0, iteration=0)
    entry = read_entry(run)
    assert entry is not None
    assert (entry.steps, entry.iterations) == (2_408_448, 48)


def test_only_the_end_of_long_metrics_is_read(run: RunDir, monkeypatch: pytest.MonkeyPatch) -> None:
    record(run)
    lines = run.metrics.read_bytes()
    with run.metrics.open("ab") as file:
        file.write(lines * 20)
    parsed: list[int] = []
    real = json.loads
    monkeypatch.setattr(json, "loads", lambda text: parsed.append(len(text)) or real(text))
    assert read_entry(run) is not None
    assert len(parsed) == 2  # the status, and one line


def test_a_folder_that_is_not_there_is_an_error_with_its_name(run: RunDir) -> None:
    with pytest.raises(OSError, match="nowhere"):
        list_runs(RUNS / "nowhere")


def test_another_process_with_the_same_id_is_not_its_trainer(run: RunDir) -> None:
    record(run)
    restate(run, **(myself() | {"pid_created": 0.0}))
    assert states() == {"1v1": "died"}


def test_an_iteration_of_infinite_steps_is_passed_over(run: RunDir) -> None:
    record(run)
    with run.metrics.open("ab") as file:
        file.write(b'{"iteration": 49, "steps": 1e999, "time": 1.0}\n')
    entry = read_entry(run)
    assert entry is not None
    assert entry.iterations == 48
