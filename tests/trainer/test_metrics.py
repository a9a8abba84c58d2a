import json
import math
from pathlib import Path

from trainer import jsonl
from trainer.metrics import IterationMetrics, append, from_record


def test_an_iteration_reads_back_as_it_was_written(tmp_path: Path) -> None:
    written = IterationMetrics(3, 150_000, 1.5, {"Loss/approx_kl": 0.01, "Game/goals": 2.0})
    append(tmp_path / "metrics.jsonl", written)
    assert [from_record(r) for r in jsonl.read_all(tmp_path / "metrics.jsonl")] == [written]


def test_a_number_that_is_not_finite_is_null_on_disk_and_nan_in_hand(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    append(path, IterationMetrics(1, 1, 1.0, {"Loss/value": math.inf}))
    assert json.loads(path.read_text())["Loss/value"] is None
    read = from_record(jsonl.read_all(path)[0])
    assert read is not None
    assert math.isnan(read.values["Loss/value"])


def test_a_line_that_is_no_iteration_is_none() -> None:
    assert from_record({"iteration": 1}) is None
    assert from_record({"iteration": 1, "steps": 2, "time": 3, "Loss/x": "many"}) is None
    assert from_record({"iteration": math.inf, "steps": 2, "time": 3}) is None
    assert from_record({"iteration": 1, "steps": 2, "time": 3, "Loss/x": 10**400}) is None
