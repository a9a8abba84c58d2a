import math
from pathlib import Path

import pytest

from trainer.jsonl import Follower, append, read_all


def test_a_follower_reads_each_line_once(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    follower = Follower(path)
    assert follower.read_new() == []
    append(path, {"a": 1})
    append(path, {"a": 2})
    assert follower.read_new() == [{"a": 1}, {"a": 2}]
    assert follower.read_new() == []


def test_a_half_written_line_waits_for_its_end(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    follower = Follower(path)
    path.write_text('{"a": 1}\n{"a"')
    assert follower.read_new() == [{"a": 1}]
    with path.open("a") as file:
        file.write(": 2}\n")
    assert follower.read_new() == [{"a": 2}]


def test_a_damaged_line_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_bytes(b'{"a": 1}\n\xff\x00garbage\n[1]\n{"a": 2}\n')
    assert read_all(path) == [{"a": 1}, {"a": 2}]


def test_following_from_the_end_passes_over_the_past(tmp_path: Path) -> None:
    path = tmp_path / "commands.jsonl"
    append(path, {"old": True})
    follower = Follower(path, from_end=True)
    append(path, {"old": False})
    assert follower.read_new() == [{"old": False}]


def test_a_file_that_was_replaced_by_a_shorter_one_is_read_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    append(path, {"long": "x" * 100})
    follower = Follower(path)
    follower.read_new()
    path.unlink()
    append(path, {"a": 1})
    assert follower.read_new() == [{"a": 1}]


def test_a_number_that_json_cannot_say_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        append(tmp_path / "x.jsonl", {"a": math.nan})


def test_a_line_that_nests_too_deeply_is_damage_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "commands.jsonl"
    path.write_bytes(b"[" * 100_000 + b'\n{"command": "quit"}\n')
    assert read_all(path) == [{"command": "quit"}]


def test_half_a_line_of_a_disk_that_was_full_does_not_take_the_next_one_with_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "commands.jsonl"
    path.write_bytes(b'{"command": "pause"}\n{"comm')
    follower = Follower(path, from_end=True)
    append(path, {"command": "quit"})
    assert follower.read_new() == [{"command": "quit"}]
    assert read_all(path) == [{"command": "pause"}, {"command": "quit"}]
