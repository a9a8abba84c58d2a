import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from trainer.run_dir import RunDir, new_status, read_status, write_status


def test_a_status_reads_back_with_a_fresh_heartbeat(tmp_path: Path) -> None:
    status = replace(new_status("cpu"), steps=7, heartbeat=0.0)
    write_status(RunDir(tmp_path), status)
    read = read_status(RunDir(tmp_path))
    assert read is not None
    assert read.heartbeat > 0
    assert replace(read, heartbeat=0.0) == status


def test_a_missing_or_damaged_status_is_none(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    assert read_status(run) is None
    run.status.write_text('{"pid": 1')
    assert read_status(run) is None
    run.status.write_text('{"unknown": 1}')
    assert read_status(run) is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("pid", "abc"),
        ("pid", -5),
        ("pid_created", "x"),
        ("started", None),
        ("heartbeat", float("inf")),
        ("steps", None),
        ("next_save", "soon"),
        ("last_iteration", 1.5),
        ("ends", float("nan")),
        ("device", 5),
        ("phase", ["learning"]),
    ],
)
def test_a_status_whose_numbers_are_none_is_not_believed(
    tmp_path: Path, field: str, value: object
) -> None:
    run = RunDir(tmp_path)
    write_status(run, new_status("cpu"))
    assert read_status(run) is not None
    run.status.write_text(json.dumps(json.loads(run.status.read_text()) | {field: value}))
    assert read_status(run) is None


def test_this_process_is_alive_until_it_says_that_it_stopped() -> None:
    status = new_status("cpu")
    assert status.pid == os.getpid()
    assert status.alive
    assert not replace(status, phase="stopped").alive
    assert not replace(status, phase="failed").alive


def test_a_process_that_ended_is_not_alive() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert not replace(new_status("cpu"), pid=ended.pid).alive


def test_another_process_under_the_same_id_is_not_the_trainer() -> None:
    status = new_status("cpu")
    assert not replace(status, pid_created=status.pid_created - 60).alive


@pytest.mark.parametrize(
    "change",
    [
        {"pid": "1"},
        {"pid": -5},
        {"pid": True},
        {"pid_created": "yesterday"},
        {"steps": 1.5},
        {"viewer": 1},
        {"ends": "later"},
    ],
)
def test_a_status_with_a_value_of_another_kind_is_none(
    tmp_path: Path, change: dict[str, object]
) -> None:
    run = RunDir(tmp_path)
    write_status(run, replace(new_status("cpu"), ends=12, last_iteration=3))
    found = json.loads(run.status.read_text())
    assert read_status(run) is not None
    run.status.write_text(json.dumps(found | change))
    assert read_status(run) is None
