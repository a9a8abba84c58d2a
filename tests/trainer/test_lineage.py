from pathlib import Path

from trainer import jsonl, metrics
from trainer.lineage import copy_lines_to, lines_to
from trainer.metrics import IterationMetrics


def write(path: Path, *lines: tuple[int, int, str]) -> Path:
    """Lines of iteration, steps, and who measured it."""
    for iteration, steps, who in lines:
        metrics.append(path, IterationMetrics(iteration, steps, 0.0, {f"Reward/{who}": 1.0}))
    return path


def told(path: Path, steps: int) -> list[tuple[int, str]]:
    """Iteration and who measured it, of what led to `steps`."""
    copy = path.with_name("copy.jsonl")
    copy_lines_to(path, copy, steps)
    return [
        (record["iteration"], next(key for key in record if key.startswith("Reward/"))[7:])
        for record in jsonl.read_all(copy)
    ]


def test_a_line_ends_at_the_checkpoint(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", (1, 32, "a"), (2, 64, "a"), (3, 96, "a"))
    assert told(path, 64) == [(1, "a"), (2, "a")]
    assert told(path, 96) == [(1, "a"), (2, "a"), (3, "a")]
    assert told(path, 0) == []


def test_iterations_that_a_crash_lost_count_no_more(tmp_path: Path) -> None:
    path = write(
        tmp_path / "m.jsonl",
        *((1, 32, "a"), (2, 64, "a"), (3, 96, "a")),  # saved after 2, died after 3
        *((3, 96, "b"), (4, 128, "b"), (5, 160, "b")),  # saved after 3, died after 5
        *((4, 112, "c"), (5, 128, "c")),  # with 16 steps an iteration
    )
    assert told(path, 64) == [(1, "a"), (2, "a")]
    assert told(path, 96) == [(1, "a"), (2, "a"), (3, "b")]
    assert told(path, 112) == [(1, "a"), (2, "a"), (3, "b"), (4, "c")]
    assert told(path, 128) == [(1, "a"), (2, "a"), (3, "b"), (4, "c"), (5, "c")]


def test_a_checkpoint_of_a_line_that_was_left_keeps_that_line(tmp_path: Path) -> None:
    path = write(
        tmp_path / "m.jsonl",
        (1, 32, "a"),
        (2, 64, "a"),
        (3, 96, "a"),
        (2, 48, "b"),
        (3, 64 + 16, "b"),
    )
    assert told(path, 96) == [(1, "a"), (2, "a"), (3, "a")]
    assert told(path, 80) == [(1, "a"), (2, "b"), (3, "b")]


def test_where_the_last_line_was_never_written_those_before_it_count(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", (1, 32, "a"), (2, 64, "a"))
    assert told(path, 96) == [(1, "a"), (2, "a")]


def test_lines_are_copied_as_they_are_and_what_is_no_iteration_is_not(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", (1, 32, "a"))
    whole = path.read_bytes()
    path.write_bytes(whole + b"\xff\n{}\n" + whole.replace(b"1, ", b"2, ", 1) + b'{"iteration": 3')
    copy = tmp_path / "copy.jsonl"
    copy_lines_to(path, copy, 32)
    assert copy.read_bytes() == whole + whole.replace(b"1, ", b"2, ", 1)


def test_a_run_without_numbers_has_no_line(tmp_path: Path) -> None:
    assert lines_to(tmp_path / "nowhere.jsonl", 32) == []
