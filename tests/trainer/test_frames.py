"""Pictures survive their line, damaged lines are refused, and blends lie between their ends."""

import json
import math
from dataclasses import replace

import pytest

from trainer.frames import ALL_PADS, CarFrame, Frame, Mind, blend, from_line, notice, to_line

BLUE = CarFrame(0, -1200.0, -3000.5, 17.0, 1.571, 33.0, True, False, False)
ORANGE = CarFrame(1, 600.0, 2500.0, 900.0, -3.0, 0.0, False, True, True, -0.5, 2.0, True)
MIND = Mind(1, -0.75, "throttle 1, boost", (("throttle 1, boost", 0.5), ("nothing", 0.25)))
FRAME = Frame(83.25, 2, 1, 512.0, -300.0, 93.0, (BLUE, ORANGE), 12_345_678, True, "goal ⚽")
RICH = replace(
    FRAME, pads=5, speed=0.5, paused=True, names=("newest", "5.0M steps"), mind=MIND, rally=3
)


@pytest.mark.parametrize(
    "frame",
    [
        FRAME,
        notice("waiting"),
        replace(FRAME, note=""),
        RICH,
        replace(RICH, mind=replace(MIND, value=None, likeliest=())),
    ],
)
def test_a_frame_survives_its_line(frame: Frame) -> None:
    assert from_line(to_line(frame)) == frame


def test_a_frame_is_one_short_line() -> None:
    line = to_line(FRAME)
    assert "\n" not in to_line(replace(FRAME, note="two\nlines"))
    assert len(line) < 400


def test_whole_numbers_are_read_as_positions() -> None:
    line = to_line(FRAME).replace("512.0", "512")
    assert from_line(line) == FRAME


@pytest.mark.parametrize(
    "damage",
    [
        lambda record: record.pop("steps"),
        lambda record: record.update(colour="red"),
        lambda record: record.update(ball_x="far"),
        lambda record: record.update(ball_x=math.nan),
        lambda record: record.update(ball_x=True),
        lambda record: record.update(blue=1.5),
        lambda record: record.update(deterministic=1),
        lambda record: record.update(cars=None),
        lambda record: record["cars"].append([0, 1.0]),
        lambda record: record["cars"].append("car"),
        lambda record: record["cars"][0].__setitem__(0, 2),  # a third team
        lambda record: record["cars"][0].__setitem__(11, 0),  # touched
        lambda record: record.update(cars={"x": 1}),
        lambda record: record.update(steps=10**300),
        lambda record: record.update(ball_x=1e300),
        lambda record: record.update(ball_x=10**400),
        lambda record: record.update(pads=ALL_PADS + 1),
        lambda record: record.update(pads=-1),
        lambda record: record.update(speed=0.0),
        lambda record: record.update(paused="no"),
        lambda record: record.update(names="ab"),
        lambda record: record.update(names=["blue"]),
        lambda record: record.update(names=["blue", None]),
        lambda record: record.update(names=["blue", "\x1b[2J"]),
        lambda record: record.update(note="\ud800"),
        lambda record: record.update(mind=[]),
        lambda record: record.update(mind="deep"),
        lambda record: record["mind"].pop("value"),
        lambda record: record["mind"].update(car=2),  # of two
        lambda record: record["mind"].update(car=-1),
        lambda record: record["mind"].update(value="high"),
        lambda record: record["mind"].update(action=None),
        lambda record: record["mind"].update(likeliest=None),
        lambda record: record["mind"].update(likeliest=[["nothing", 1.5]]),
        lambda record: record["mind"].update(likeliest=[["nothing"]]),
        lambda record: record["mind"].update(likeliest=[["nothing", 0.1]] * 6),
    ],
)
def test_a_line_that_is_no_frame_is_none(damage) -> None:  # noqa: ANN001
    record = json.loads(to_line(RICH))
    damage(record)
    assert from_line(json.dumps(record)) is None


@pytest.mark.parametrize("cut", [0, 1, 40, -1])
def test_a_torn_line_is_none(cut: int) -> None:
    assert from_line(to_line(FRAME)[:cut]) is None


@pytest.mark.parametrize("line", ["[]", "3", "null", b"\xff\xfe", "[" * 100_000])
def test_other_text_is_none(line: str | bytes) -> None:
    assert from_line(line) is None


def test_a_note_loses_what_a_terminal_would_obey() -> None:
    read = from_line(to_line(replace(FRAME, note="two\nlines\x1b[2J")))
    assert read is not None
    assert read.note == "two lines [2J"


def test_a_blend_lies_between_its_ends() -> None:
    later = replace(FRAME, time_s=84.25, ball_x=612.0, blue=3, note="")
    middle = blend(FRAME, later, 0.25)
    assert (middle.time_s, middle.ball_x, middle.ball_y) == (83.5, 537.0, -300.0)
    assert (middle.blue, middle.note) == (3, "")
    assert blend(FRAME, later, 1.0) == later


def test_only_what_moves_is_blended() -> None:
    later = replace(RICH, pads=1, speed=8.0, rally=4)
    middle = blend(RICH, later, 0.5)
    assert (middle.pads, middle.speed, middle.rally, middle.mind) == (1, 8.0, 4, MIND)


def test_cars_turn_the_short_way_round() -> None:
    # From -3 to +3 rad through pi is 2 pi - 6 = 0.283 rad backwards, not 6 forwards.
    flat = replace(ORANGE, pitch=0.0, roll=0.0)
    earlier, later = (replace(FRAME, cars=(replace(flat, yaw=yaw),)) for yaw in (-3.0, 3.0))
    yaw = blend(earlier, later, 0.25).cars[0].yaw
    assert yaw == pytest.approx(-3.0 - (math.tau - 6.0) / 4)
