import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tui.conftest import myself, record, restate
from trainer.run_dir import Phase, RunDir, Status, read_status
from tui.metrics_file import BITE_BYTES
from tui.run_reader import LAST_LINES, RunReader, Situation, judge, log_tail

STATUS = Status(1, 0.0, 0.0, "collecting", 0.0, "cpu", 1, 1, 1, False)


@pytest.mark.parametrize(
    ("phase", "alive", "situation"),
    [
        ("starting", True, "starting"),
        ("collecting", True, "running"),
        ("learning", True, "running"),
        ("saving", True, "running"),
        ("paused", True, "running"),
        ("stopped", True, "stopped"),
        ("stopped", False, "stopped"),
        ("failed", True, "died"),
        ("failed", False, "died"),
        ("starting", False, "died"),
        ("learning", False, "died"),
    ],
)
def test_a_phase_means_something_else_when_the_process_is_gone(
    phase: Phase, alive: bool, situation: Situation
) -> None:
    assert judge(replace(STATUS, phase=phase), alive=alive) == situation


def test_a_trainer_without_a_status_starts_or_is_gone() -> None:
    assert judge(None, alive=True) == "starting"
    assert judge(None, alive=False) == "died"


def test_a_recorded_run_is_read_once_and_shown_when_all_of_it_is_known(run: RunDir) -> None:
    record(run)
    reader = RunReader(run)
    first, second, third = reader.poll(), reader.poll(), reader.poll()
    assert len(first.events) == 5
    assert first.situation == "running"
    assert (first.board, first.caught_up) == (None, False)
    assert second.board is not None
    assert second.board.latest.iteration == 48
    assert len(second.board.series("Reward/total")) == 48
    assert second.caught_up
    assert (third.board, third.events) == (None, ())


def test_a_long_run_is_taken_in_bites(run: RunDir) -> None:
    line = json.dumps({"iteration": 1, "steps": 1, "time": 0.0, "Reward/total": 1.0}) + "\n"
    run.metrics.write_text(line * (3 * BITE_BYTES // len(line)))
    reader = RunReader(run)
    polls = 0
    while not reader.poll().caught_up:
        polls += 1
    assert polls in (3, 4)


def test_the_status_of_an_earlier_trainer_does_not_count(run: RunDir) -> None:
    record(run)
    stale = read_status(run)
    assert stale is not None
    reader = RunReader(run, stale=stale)
    assert reader.poll().status is None
    restate(run, pid_created=stale.pid_created + 60)
    assert reader.poll().status is not None


def test_a_process_that_is_gone_without_a_word_died_and_its_output_is_quoted(run: RunDir) -> None:
    record(run)
    restate(run, **myself() | {"pid_created": 1.0})
    reading = RunReader(run).poll()
    assert reading.situation == "died"
    assert (
        reading.last_words[-1] == "RuntimeError: the loss is not finite (nan) in epoch 1, batch 3"
    )


def test_the_last_lines_of_a_log_come_without_terminal_codes(tmp_path: Path) -> None:
    log = tmp_path / "trainer.log"
    log.write_bytes(b"x\n" * 50 + b"\x1b[31mred\x1b[0m \xff\a\n\n")
    lines = log_tail(log, since=0.0)
    assert len(lines) == LAST_LINES
    assert lines[-1] == "red \N{REPLACEMENT CHARACTER}"


def test_a_log_that_is_missing_or_older_than_the_trainer_says_nothing(tmp_path: Path) -> None:
    log = tmp_path / "trainer.log"
    assert log_tail(log, since=0.0) == ()
    log.write_text("an earlier trainer\n")
    os.utime(log, (100.0, 100.0))
    assert log_tail(log, since=101.0) == ()
