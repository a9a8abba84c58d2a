"""Replays survive their file; whatever a stranger or a crash made of one is said in a sentence."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from trainer.frames import CarFrame, Frame, Mind, to_line
from trainer.replay import (
    LONGEST_LINE,
    ReplayError,
    ReplayHeader,
    ReplayWriter,
    read_replay,
    write_replay,
)

HEADER = ReplayHeader(15, "mine", ("newest, 1.2M steps", "5.0M steps"), (0, 1))
CARS = (
    CarFrame(0, -1200.0, -3000.5, 17.0, 1.571, 33.0, True, False, False),
    CarFrame(1, 600.0, 2500.0, 900.0, -3.0, 0.0, False, True, True, -0.5, 2.0, True),
)
FRAME = Frame(0.0, 2, 1, 512.0, -300.0, 93.0, CARS, 1_234_567, True, "", rally=1)
FRAMES = [replace(FRAME, time_s=number / 15, ball_x=number * 7.1) for number in range(200)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "replays" / "game.jsonl.gz"


def lines(*frames: Frame) -> list[str]:
    return [json.dumps(asdict(HEADER)), *map(to_line, frames)]


def put(path: Path, *written: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in written).encode()))


def taken(frames: Iterator[Frame]) -> tuple[list[Frame], str]:
    """What could be played, and why it ended."""
    found = []
    try:
        for frame in frames:
            found.append(frame)  # noqa: PERF402 - what came before the error counts
    except ReplayError as error:
        return found, str(error)
    return found, ""


def test_a_replay_survives_its_file(path: Path) -> None:
    mind = Mind(1, -0.5, "nothing", (("nothing", 0.75),))
    frames = [*FRAMES, replace(FRAME, mind=mind, note="Blue scores", rally=2)]
    write_replay(path, HEADER, frames)
    header, read = read_replay(path)
    assert header == HEADER
    assert taken(read) == (frames, "")
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_how_it_was_watched_is_not_recorded(path: Path) -> None:
    write_replay(path, HEADER, [replace(FRAME, speed=0.5, paused=True)])
    assert list(read_replay(path)[1]) == [FRAME]


def test_the_first_line_says_what_it_is(path: Path) -> None:
    write_replay(path, HEADER, FRAMES)
    first = gzip.decompress(path.read_bytes()).splitlines()[0]
    assert json.loads(first) == {
        "format": 1,
        "fps": 15,
        "run": "mine",
        "names": ["newest, 1.2M steps", "5.0M steps"],
        "teams": [0, 1],
    }


def test_a_crash_leaves_what_was_played_under_a_temporary_name(path: Path) -> None:
    writer = ReplayWriter(path, HEADER)
    for frame in FRAMES:
        writer.write(frame)
    writer.write(replace(FRAME, rally=2))
    # Nothing was closed: this is what a killed process leaves.
    assert not path.exists()
    found, why = taken(read_replay(writer.temporary)[1])
    assert found == FRAMES
    assert "is damaged after 200 pictures: it plays up to there" in why
    writer.abandon()


def test_a_recording_without_a_picture_leaves_nothing(path: Path) -> None:
    ReplayWriter(path, HEADER).close()
    assert list(path.parent.iterdir()) == []


def test_an_error_while_it_is_played_leaves_the_temporary_file(path: Path) -> None:
    def frames() -> Iterator[Frame]:
        yield from FRAMES
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_replay(path, HEADER, frames())
    assert [found.name for found in path.parent.iterdir()] == [f"{path.name}.tmp"]
    assert len(taken(read_replay(path.with_name(f"{path.name}.tmp"))[1])[0]) == 200


@pytest.mark.parametrize("cut", [0.5, 0.9, 0.99])
def test_a_truncated_replay_plays_up_to_the_damage(path: Path, cut: float) -> None:
    write_replay(path, HEADER, FRAMES)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * cut)])
    found, why = taken(read_replay(path)[1])
    assert 0 < len(found) < 200
    assert found == FRAMES[: len(found)]
    assert why == f"{path} is damaged after {len(found)} pictures: it plays up to there"


@pytest.mark.parametrize("length", [0, 1, 5, 12])
def test_a_replay_that_lost_its_beginning_is_refused(path: Path, length: int) -> None:
    write_replay(path, HEADER, FRAMES)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(ReplayError, match="is no replay"):
        read_replay(path)


def test_a_flipped_bit_plays_up_to_the_damage(path: Path) -> None:
    write_replay(path, HEADER, FRAMES)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x55
    path.write_bytes(data)
    found, why = taken(read_replay(path)[1])
    assert len(found) < 200
    assert why


HOSTILE = [
    to_line(FRAME).replace("512.0", "1e999"),
    to_line(FRAME).replace("512.0", "9" * 300),
    to_line(FRAME).replace("512.0", "9" * 5000),
    to_line(FRAME).replace("512.0", '"512"'),
    to_line(replace(FRAME, cars=CARS[:1])),
    to_line(replace(FRAME, cars=(CARS[1], CARS[0]))),
    "[" * 60_000,
    '{"cars":' * 5_000,
    "x" * (LONGEST_LINE + 1),
    "null",
    "",
    to_line(FRAME)[:-1],
]


@pytest.mark.parametrize("line", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_line_ends_the_replay_after_what_was_good(path: Path, line: str) -> None:
    put(path, *lines(*FRAMES[:3]), line, *lines(*FRAMES)[1:])
    found, why = taken(read_replay(path)[1])
    assert found == FRAMES[:3]
    assert why == f"{path} is damaged after 3 pictures: it plays up to there"


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        ("{}", "its first line is no header"),
        ("[]", "its first line is no header"),
        ("5", "its first line is no header"),
        ("[" * 60_000, "its first line is no header"),
        ('{"format": 2}', "is of a later format than this version plays (1)"),
        ('{"format": 2, "fps": "many", "more": []}', "is of a later format"),
        ('{"format": 1}', "its header is damaged"),
        ('{"format": "1"}', "its header is damaged"),
        ('{"format": true}', "its header is damaged"),
        ('{"format": 0}', "its header is damaged"),
    ],
)
def test_what_is_no_header_is_refused_in_a_sentence(path: Path, header: str, sentence: str) -> None:
    put(path, header, to_line(FRAME))
    with pytest.raises(ReplayError) as refused:
        read_replay(path)
    assert sentence in str(refused.value)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize(
    "changed",
    [
        {"fps": 0},
        {"fps": 15.5},
        {"fps": 10**30},
        {"names": "ab"},
        {"names": ["a"]},
        {"names": ["a", "\x1b[2J"]},
        {"teams": []},
        {"teams": [0, 2]},
        {"teams": [0] * 65},
        {"teams": {"0": 1}},
        {"run": None},
        {"extra": 1},
    ],
)
def test_a_damaged_header_is_refused(path: Path, changed: dict[str, object]) -> None:
    put(path, json.dumps(asdict(HEADER) | changed), to_line(FRAME))
    with pytest.raises(ReplayError, match="its header is damaged"):
        read_replay(path)


def test_other_files_are_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no gzip at all")
    with pytest.raises(ReplayError, match="is no replay: it is not compressed by gzip"):
        read_replay(tmp_path / "text")
    with pytest.raises(ReplayError, match="cannot be opened: No such file"):
        read_replay(tmp_path / "nowhere")
    with pytest.raises(ReplayError, match="cannot be opened: Is a directory"):
        read_replay(tmp_path)
