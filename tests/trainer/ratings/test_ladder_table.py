import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.trainer.ratings.ladders import LADDER
from trainer.evaluation.intervals import Interval
from trainer.ratings.ladder_table import read_ladder, write_ladder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "ladder.json"
    write_ladder(found, LADDER)
    return found


def test_what_was_written_is_read_back(path: Path) -> None:
    assert read_ladder(path) == LADDER


def test_an_interval_without_bounds_is_null_in_the_file_and_infinite_again_when_read(
    path: Path,
) -> None:
    found = json.loads(path.read_text())["rounds"][0]["meetings"][2]["goal_difference"]
    assert found == [None, 1, None]
    ladder = read_ladder(path)
    assert ladder
    assert ladder.rounds[0].meetings[2].goal_difference == (-math.inf, 1.0, math.inf)


def test_points_are_those_of_the_row_whichever_of_a_pair_it_is() -> None:
    (found,) = LADDER.rounds
    assert found.points(0, 2) == Interval(0.4, 0.875, 1.0)
    # What the other gets: 1 - 1.0, 1 - 0.875, 1 - 0.4.
    assert found.points(2, 0) == (0.0, 0.125, 0.6)
    assert found.points(1, 1) is None


def test_beyond_doubt_is_whoever_has_more_than_half_at_the_low_end() -> None:
    (found,) = LADDER.rounds
    assert [found.beaten(row) for row in range(3)] == [(1,), (), ()]


def first_rung(record: dict[str, Any]) -> dict[str, Any]:
    rung: dict[str, Any] = record["rounds"][0]["rungs"][0]
    return rung


def first_meeting(record: dict[str, Any]) -> dict[str, Any]:
    meeting: dict[str, Any] = record["rounds"][0]["meetings"][0]
    return meeting


@pytest.mark.parametrize(
    "spoil",
    [
        lambda record: record.pop("rounds"),
        lambda record: record.update(rounds={}),
        lambda record: record.update(rounds=[[]]),
        lambda record: record.update(made="now"),
        lambda record: record.update(made=1e400),
        lambda record: record.update(made=10**400),
        lambda record: record.update(sampled=0),
        lambda record: first_rung(record).pop("wins"),
        lambda record: first_rung(record).update(name=7),
        lambda record: first_rung(record).update(wins=1.5),
        lambda record: first_rung(record).update(wins=-1),
        lambda record: first_rung(record).update(wins=True),
        lambda record: first_rung(record).update(points=[0.1, 0.2]),
        lambda record: first_rung(record).update(points=[None, 0.2, None]),
        lambda record: first_rung(record).update(points=[0.1, 0.2, 1.2]),
        lambda record: first_rung(record).update(points=[0.3, 0.2, 0.4]),
        lambda record: first_meeting(record).update(goal_difference=[None, None, None]),
        lambda record: first_meeting(record).update(goal_difference=[None, 0, 1]),
        lambda record: first_meeting(record).update(goal_difference="xyz"),
        lambda record: first_meeting(record).update(b=3),
        lambda record: first_meeting(record).update(b=0),
        lambda record: first_meeting(record).update(b=2),  # another is of the same two
    ],
)
def test_a_ladder_of_the_wrong_shape_is_no_ladder(
    path: Path, spoil: Callable[[dict[str, Any]], object]
) -> None:
    record = json.loads(path.read_text())
    spoil(record)
    path.write_text(json.dumps(record))
    assert read_ladder(path) is None


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"7", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_record_is_no_ladder(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert read_ladder(path) is None


def test_a_file_that_was_cut_off_anywhere_is_no_ladder(path: Path) -> None:
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        assert read_ladder(path) is None


def test_no_file_is_no_ladder(tmp_path: Path) -> None:
    assert read_ladder(tmp_path / "ladder.json") is None
