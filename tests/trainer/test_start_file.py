"""Files of start states in 1v1, unless said otherwise."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trainer.resets import Starts
from trainer.start_file import StartFileError, load_starts


def car(team: int, **fields: object) -> dict[str, Any]:
    """A car on its wheels, somewhere in its own half."""
    place = {"position": [100, 3000 if team else -3000, 17], "rotation": [0, 1.5, 0]}
    return {"team": team, "boost": 33} | place | fields


def state(*cars: dict[str, Any], **ball: object) -> dict[str, Any]:
    """A resting ball and `cars`; one of each team when there are none."""
    return {
        "ball": {"position": [0, 0, 93.15]} | ball,
        "cars": list(cars or (car(0), car(1))),
    }


def write(folder: Path, *lines: object) -> Path:
    """Words stay as they are, all else becomes JSON."""
    path = folder / "mine.jsonl"
    path.write_text(
        "".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines), "utf-8"
    )
    return path


def load(folder: Path, *lines: object, mode: str = "1v1") -> tuple[Starts, list[str]]:
    stored, warnings = load_starts(write(folder, *lines), (mode,))
    return stored[mode], warnings


def refusal(folder: Path, *lines: object) -> str:
    """The refusal without the path that it begins with."""
    path = write(folder, *lines)
    with pytest.raises(StartFileError) as refused:
        load_starts(path, ("1v1",))
    return str(refused.value).removeprefix(str(path))


def test_every_number_arrives_in_its_place(tmp_path: Path) -> None:
    blue = car(
        0,
        position=[-1, -2, 300],
        velocity=[10, 20, 30],
        angular_velocity=[1, 2, 3],
        rotation=[0.1, 0.2, 0.3],
        boost=12,
    )
    ball = {"position": [1, 2, 300], "velocity": [4, 5, 6], "angular_velocity": [-1, -2, -3]}
    starts, warnings = load(tmp_path, state(), state(blue, car(1, boost=100), **ball))
    assert starts.ball_position[1].tolist() == [1, 2, 300]
    assert starts.ball_velocity[1].tolist() == [4, 5, 6]
    assert starts.ball_angular_velocity[1].tolist() == [-1, -2, -3]
    assert starts.car_position[1].tolist() == [[-1, -2, 300], [100, 3000, 17]]
    assert starts.car_velocity[1].tolist() == [[10, 20, 30], [0, 0, 0]]
    assert starts.car_angular_velocity[1].tolist() == [[1, 2, 3], [0, 0, 0]]
    np.testing.assert_allclose(starts.car_rotation[1], [[0.1, 0.2, 0.3], [0, 1.5, 0]])
    assert starts.car_boost[1].tolist() == [12, 100]
    assert warnings == []


def test_what_moves_is_at_rest_when_the_file_does_not_say(tmp_path: Path) -> None:
    starts, _ = load(tmp_path, state())
    assert not starts.ball_velocity.any()
    assert not starts.ball_angular_velocity.any()
    assert not starts.car_velocity.any()
    assert not starts.car_angular_velocity.any()


def test_cars_in_any_order_take_the_places_of_their_team(tmp_path: Path) -> None:
    cars = [car(team, boost=boost) for team, boost in ((1, 1), (0, 2), (1, 3), (0, 4))]
    starts, _ = load(tmp_path, state(*cars), mode="2v2")
    assert starts.car_boost.tolist() == [[2, 4, 1, 3]]


def test_compressed_lines_are_read_whatever_the_file_is_called(tmp_path: Path) -> None:
    plain = write(tmp_path, state())
    for name in ("mine.jsonl.gz", "mine.states"):
        (tmp_path / name).write_bytes(gzip.compress(plain.read_bytes()))
        stored, _ = load_starts(tmp_path / name, ("1v1",))
        assert stored["1v1"].car_boost.tolist() == [[33, 33]]


def test_blank_lines_and_what_windows_writes_are_no_states(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    line = json.dumps(state()).encode()
    path.write_bytes(b"\xef\xbb\xbf" + line + b"\r\n\r\n" + line + b"\r\n")
    assert len(load_starts(path, ("1v1",)).starts["1v1"].ball_position) == 2


def test_states_of_other_team_sizes_are_passed_over_and_counted(tmp_path: Path) -> None:
    two_on_two = state(car(0), car(0), car(1), car(1))
    same_number = state(car(0), car(0))
    starts, warnings = load(tmp_path, two_on_two, state(car(0), car(1, boost=7)), same_number)
    assert starts.car_boost.tolist() == [[33, 7]]
    path = tmp_path / "mine.jsonl"
    assert warnings == [f"{path}: passed over 2 of 3 start states that are not 1v1"]
    assert refusal(tmp_path, two_on_two) == ": none of its 1 start states is a 1v1"


def test_each_mode_of_several_gets_its_own_states_and_one_without_any_is_told(
    tmp_path: Path,
) -> None:
    lines = [state(), state(car(1), car(0, boost=5), car(1)), state(car(0), car(0), car(1))]
    path = write(tmp_path, *lines)
    stored, warnings = load_starts(path, ("2v2", "1v2", "1v1"))
    assert {mode: starts.car_boost.tolist() for mode, starts in stored.items()} == {
        "1v2": [[5, 33, 33]],
        "1v1": [[33, 33]],
    }
    passed_over, without = warnings
    assert passed_over.endswith(": passed over 1 of 3 start states that are not 2v2 or 1v2 or 1v1")
    words = "none of its 3 start states is a 2v2, which starts by the other weights"
    assert without == f"{path}: {words}"
    with pytest.raises(StartFileError, match=r"none of its 3 start states is a 2v2 or 3v3$"):
        load_starts(path, ("2v2", "3v3"))


@pytest.mark.parametrize(
    ("z", "pitch", "found"), [(17.6, -0.01, 17), (16.4, 0, 17), (18.1, 0, 18.1), (17.6, 0.3, 17.6)]
)
def test_a_level_car_near_its_resting_height_stands(
    tmp_path: Path, z: float, pitch: float, found: float
) -> None:
    recorded = car(0, position=[0, 0, z], rotation=[pitch, 2, 0])
    starts, _ = load(tmp_path, state(recorded, car(1), position=[0, 900, 100]))
    assert starts.car_position[0, 0, 2] == np.float32(found)


def test_a_missing_an_empty_and_an_unreadable_file_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(StartFileError, match=r"nowhere\.jsonl does not exist"):
        load_starts(tmp_path / "nowhere.jsonl", ("1v1",))
    assert refusal(tmp_path, "", "  ").startswith(" is empty")
    with pytest.raises(StartFileError, match="cannot be read"):
        load_starts(tmp_path, ("1v1",))
    whole = gzip.compress(json.dumps(state()).encode())
    for data in (whole[:-9], whole[:12] + b"\x00\x01" + whole[14:], b"\x1f\x8b", b"\xff\xfe{}"):
        (tmp_path / "mine.jsonl").write_bytes(data)
        with pytest.raises(StartFileError, match=r"mine\.jsonl cannot be read"):
            load_starts(tmp_path / "mine.jsonl", ("1v1",))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("{", " line 2 is not JSON"),
        ("[" * 100_000, " line 2 is not JSON"),
        ("1" * 5_000, " line 2 is inf, not an object"),
        ("[]", " line 2 is [], not an object"),
        ({"ball": {"position": [0, 0, 100]}}, " line 2 has no cars"),
        (state() | {"pads": []}, " line 2 has an unknown field pads"),
        (state() | {"cars": {}}, " line 2: cars is {}, not a list"),
        (state() | {"ball": 3}, " line 2: ball is 3.0, not an object"),
        (state(velocty=[0, 0, 0]), " line 2: ball has an unknown field velocty"),
        (state() | {"ball": {}}, " line 2: ball has no position"),
        (state(position=[0, 0]), " line 2: ball.position is [0.0, 0.0], not three finite"),
        (state(velocity=[0, 0, "fast"]), " line 2: ball.velocity is"),
        (state(velocity=[0, 0, True]), " line 2: ball.velocity is"),
        (state(velocity=[0, 0, float("nan")]), " line 2: ball.velocity is"),
        (state(velocity=[0, 10**400, 0]), " line 2: ball.velocity is"),
        (state(velocity=[5000, 5000, 0]), " line 2: ball.velocity is [5000.0, 5000.0, 0.0]: fas"),
        (state(angular_velocity=[0, 6.5, 0]), " line 2: ball.angular_velocity is"),
        (state(car(0), car(1, velocity=[0, 2400, 0])), " line 2: cars[1].velocity is"),
        (state(car(0, angular_velocity=[4, 4, 0]), car(1)), " line 2: cars[0].angular_velocity"),
        (state(car(0, rotation=[0, 90, 0]), car(1)), " line 2: cars[0].rotation is [0.0, 90.0"),
        (state(car(0), car(1, boost=101)), " line 2: cars[1].boost is 101.0, not a number from"),
        (state(car(0), car(1, boost=None)), " line 2: cars[1].boost is None, not a number from"),
        (state(car(0), car(2)), " line 2: cars[1].team is 2.0, not 0 (blue) or 1 (orange)"),
        (state(car(0), 5), " line 2: cars[1] is 5.0, not an object"),
    ],
)
def test_what_cannot_be_is_refused_with_line_and_field(
    tmp_path: Path, line: object, sentence: str
) -> None:
    assert refusal(tmp_path, state(), line).startswith(sentence)


@pytest.mark.parametrize(
    "position",
    [
        (4090, 0, 500),  # its shell is 80 uu in the side wall
        (0, 0, 17),
        (0, 0, 2000),
        (3950, 4000, 500),  # together 7950; a ball that touches the corner wall has 8064 - 129
        (2000, 5100, 500),
        (0, 5216, 300),  # a goal
        (0, -5200, 700),  # above the crossbar
    ],
)
def test_a_ball_that_is_not_in_the_arena_is_refused(
    tmp_path: Path, position: tuple[float, float, float]
) -> None:
    sentence = refusal(tmp_path, state(), state(position=position))
    assert sentence.startswith(" line 2: ball.position is")
    assert sentence.endswith("outside the arena")


@pytest.mark.parametrize("position", [(4000, 0, 500), (0, 5200, 100), (3800, 4130, 500)])
def test_a_ball_at_a_wall_or_in_a_goals_mouth_is_a_start(
    tmp_path: Path, position: tuple[float, float, float]
) -> None:
    starts, _ = load(tmp_path, state(position=position))
    assert starts.ball_position.tolist() == [list(position)]


@pytest.mark.parametrize(
    ("position", "inside"),
    [
        ((0, -5900, 17), True),  # in the net
        ((0, -6100, 17), False),
        ((1000, -5300, 17), False),  # beside the goal
        ((4079, 0, 300), True),  # driving on the side wall
        ((0, 0, 0), False),  # half in the floor
        ((0, 0, 2045), False),
    ],
)
def test_cars_may_be_in_the_nets_but_not_in_the_walls(
    tmp_path: Path, position: tuple[float, float, float], inside: bool
) -> None:
    line = state(car(0, position=position), car(1))
    if inside:
        load(tmp_path, line)
    else:
        assert refusal(tmp_path, line).startswith(" line 1: cars[0].position is")
