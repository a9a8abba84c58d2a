from pathlib import Path

import pytest

from trainer.metrics import IterationMetrics
from trainer.run_dir import RunDir
from trainer.teacher_note import TeacherNote, read_note, teaching, write_note

NOTE = TeacherNote("PPO_POLICY.pt, 64-64 relu", "0123abcd", "/bots/PPO_POLICY.pt")


def test_who_taught_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_note(RunDir(tmp_path), NOTE)
    assert read_note(RunDir(tmp_path)) == NOTE


@pytest.mark.parametrize("text", [None, "", "[]", "null", '{"words": "x"}', "[" * 100_000, "\xff"])
def test_where_nobody_can_tell_nobody_taught(tmp_path: Path, text: str | None) -> None:
    run = RunDir(tmp_path)
    if text is not None:
        run.teacher.write_bytes(text.encode("latin-1"))
    assert read_note(run) is None


def test_a_run_is_taught_until_its_last_iteration_learned_from_rewards(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    taught = IterationMetrics(1, 32, 0.0, {"Transfer/loss": 0.5})
    assert teaching(run, taught) is None
    write_note(run, NOTE)
    assert teaching(run, taught) == NOTE
    assert teaching(run, IterationMetrics(2, 64, 1.0, {"Loss/value": 0.5})) is None
    assert teaching(run, None) is None
