import json
import math
from itertools import pairwise
from pathlib import Path

import pytest

from tui import metrics_file
from tui.metrics_file import BITE_BYTES, MetricsFile, sample


def line(number: int, padding: int = 0, **values: object) -> str:
    head = {"iteration": number, "steps": 10 * number, "time": 1.0 * number}
    return (
        json.dumps(head | values | ({"Mine/x": 1.0} if not padding else {"p" * padding: 1.0}))
        + "\n"
    )


def numbers(file: MetricsFile) -> list[int]:
    found = []
    while rows := file.read():
        found += [row.metrics.iteration for row in rows]
    return found


def test_lines_come_once_with_their_first_byte_and_only_when_they_are_complete(
    tmp_path: Path,
) -> None:
    path, first, second = tmp_path / "m", line(1), line(2)
    file = MetricsFile(path)
    assert file.read() == []
    path.write_text(first + second[:9])
    (row,) = file.read()
    assert (row.metrics.iteration, row.metrics.steps, row.metrics.time, row.offset) == (
        1,
        10,
        1.0,
        0,
    )
    assert row.metrics.values == {"Mine/x": 1.0}
    assert file.read() == []
    path.write_text(first + second)
    (row,) = file.read()
    assert (row.metrics.iteration, row.offset) == (2, len(first))


def test_null_is_no_number_and_what_is_no_iteration_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "m"
    damaged = ["nonsense\n", "[1]\n", '{"steps": 1}\n', line(7, x="words"), line(8, x=[1.0])]
    path.write_text(line(1, x=None) + "".join(damaged) + line(2))
    rows = MetricsFile(path).read()
    assert [row.metrics.iteration for row in rows] == [1, 2]
    assert math.isnan(rows[0].metrics.values["x"])
    assert rows[1].offset == len(line(1, x=None) + "".join(damaged))


def test_a_bite_of_damaged_lines_is_not_the_end(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_text(line(1) + ("x" * 99 + "\n") * (3 * BITE_BYTES // 100) + line(2))
    assert numbers(MetricsFile(path)) == [1, 2]


def test_a_thousand_bites_of_damaged_lines_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics_file, "BITE_BYTES", 8)
    path = tmp_path / "m"
    path.write_text("damaged\n" * 2_000 + line(2))
    assert numbers(MetricsFile(path)) == [2]


def test_a_file_that_cannot_be_read_is_empty(tmp_path: Path) -> None:
    assert MetricsFile(tmp_path).read() == []


def test_an_iteration_whose_place_cannot_be_drawn_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "m"
    beyond = [line(3, steps=10**30), line(4, steps=-1), line(5, time=math.nan), line(6, time=1e300)]
    path.write_text(line(1) + "".join(beyond) + line(2))
    assert numbers(MetricsFile(path)) == [1, 2]


def test_a_part_is_read_to_its_last_byte_and_no_further(tmp_path: Path) -> None:
    path, lines = tmp_path / "m", [line(number) for number in range(1, 5)]
    path.write_text("".join(lines))
    begin = len(lines[0])
    assert numbers(MetricsFile(path, begin, begin + len(lines[1] + lines[2]))) == [2, 3]


def test_a_long_file_is_taken_in_bites(tmp_path: Path) -> None:
    path, count = tmp_path / "m", 2 * BITE_BYTES // len(line(1_000))
    path.write_text("".join(line(number) for number in range(1, count + 1)))
    file = MetricsFile(path)
    assert 0 < len(file.read()) < count
    assert numbers(file)[-1] == count


@pytest.mark.parametrize("count", [1, 7, 50])
def test_a_sample_is_even_and_has_the_first_line_and_all_of_the_last_ones(
    tmp_path: Path, count: int
) -> None:
    path = tmp_path / "m"
    lines = [line(number, padding=1_000) for number in range(1, 2_001)]
    path.write_text("".join(lines) + line(9_999)[:20])
    rows, end = sample(path, count, 64)
    found = [row.metrics.iteration for row in rows]
    assert found[0] == 1
    assert found == sorted(set(found))
    assert found[-64:] == list(range(1_937, 2_001))
    assert end == sum(map(len, lines))
    early = [number for number in found if number < 1_937]
    assert len(early) == pytest.approx(count, abs=1)
    widest = max((after - before for before, after in pairwise(early)), default=0)
    assert widest <= 1_936 / count + 2
