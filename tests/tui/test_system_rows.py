import math
from dataclasses import replace

import pytest
from rich.style import Style

from tui.system_probe import NO_GPU, Gpu, Reading, Trainer
from tui.system_rows import NAME_WIDTH, SPARK_WIDTH, Row, picture, rows

GIB = 1 << 30
TRAINER = Trainer(processes=3, threads=9, cores=1.87, memory=0.7 * GIB)
READING = Reading(0.951, 2, 3.5 * GIB, 8 * GIB, 41 * GIB, 100 * GIB, TRAINER, (), NO_GPU)
GPU = Gpu("NVIDIA H200", 0.42, 3 * GIB, 139 * GIB, 48.0)


def words(*readings: Reading) -> dict[str, str]:
    return {row.name: row.words for row in rows(readings)}


def test_nothing_is_said_before_the_first_look() -> None:
    assert rows([]) == []


def test_every_number_has_its_unit() -> None:
    assert words(READING) == {
        "processor": "95% of 2 cores",
        "memory": "3.5 of 8.0 GiB",
        "disk of the run": "41.0 of 100.0 GiB free",
        "trainer": "1.9 cores, 3 processes, 9 threads",
        "its memory": "0.7 GiB, what is shared counted in each",
        "GPU": NO_GPU,
    }


def test_what_is_not_known_is_a_dash() -> None:
    first = replace(
        READING, cpu=math.nan, disk_free=math.nan, trainer=replace(TRAINER, cores=math.nan)
    )
    found = words(first)
    assert found["processor"] == "– of 2 cores"
    assert found["disk of the run"] == "– of 100.0 GiB free"
    assert found["trainer"].startswith("– cores")
    mute = Gpu("old", math.nan, 1 * GIB, 2 * GIB, math.nan)
    assert words(replace(READING, gpus=(mute,)))["  temperature"] == "–"
    assert words(replace(READING, gpus=(mute,)))["GPU"] == "– busy, old"


def test_a_machine_without_a_trainer_says_so() -> None:
    found = words(replace(READING, trainer=None))
    assert found["trainer"] == "no process that could be looked at"
    assert "its memory" not in found


def test_a_trainer_alone_is_one_process() -> None:
    alone = replace(READING, trainer=replace(TRAINER, processes=1))
    assert "1 process," in words(alone)["trainer"]


def test_a_gpu_has_three_rows_and_several_have_numbers() -> None:
    assert words(replace(READING, gpus=(GPU,))) | {
        "GPU": "42% busy, NVIDIA H200",
        "  memory": "3.0 of 139.0 GiB",
        "  temperature": "48 °C",
    } == words(replace(READING, gpus=(GPU,)))
    names = [row.name for row in rows([replace(READING, gpus=(GPU, GPU))])]
    assert names[-6:] == [
        "GPU 0",
        "  memory",
        "  temperature",
        "GPU 1",
        "  memory",
        "  temperature",
    ]


def test_history_leaves_out_what_was_not_measured() -> None:
    first = replace(READING, cpu=math.nan, trainer=None)
    found = {row.name: row.history for row in rows([first, READING, replace(READING, cpu=0.5)])}
    assert found["processor"] == pytest.approx((0.95, 0.5))
    assert found["trainer"] == pytest.approx((1.9, 1.9))


def test_what_moves_by_less_than_it_shows_has_no_curve() -> None:
    second = replace(READING, memory_used=READING.memory_used + GIB / 50, cpu=0.949)
    found = {row.name: set(row.history) for row in rows([READING, second])}
    assert len(found["memory"]) == len(found["processor"]) == 1


def test_sparklines_stand_at_the_right_where_there_is_room() -> None:
    line = [Row("processor", "95% of 2 cores", (0.0, 1.0))]
    wide = NAME_WIDTH + 2 * SPARK_WIDTH
    text = picture(line, wide, Style(), Style()).plain
    assert text.startswith("processor".ljust(NAME_WIDTH) + "95% of 2 cores".ljust(SPARK_WIDTH))
    assert (len(text), text[-1]) == (wide, "█")
    narrow = picture(line, wide - 1, Style(), Style()).plain
    assert "█" not in narrow
    assert len(narrow) == wide - 1
