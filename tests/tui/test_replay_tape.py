"""A game in memory."""

import tracemalloc

import pytest

from tests.tui.games import game
from tui.replay_tape import BLOCK, Tape, blocks


def tape_of(*rallies: int) -> Tape:
    tape = Tape()
    for block in blocks(game(rallies)):
        tape.add(block)
    return tape


def test_every_picture_comes_back() -> None:
    frames = list(game((BLOCK + 5, 3 * BLOCK)))
    tape = tape_of(BLOCK + 5, 3 * BLOCK)
    assert len(tape) == len(frames) == 4 * BLOCK + 5
    for index in (0, BLOCK - 1, BLOCK, 4 * BLOCK + 4, 2 * BLOCK):
        assert tape.picture(index) == frames[index]


def test_kickoffs_are_where_a_rally_begins() -> None:
    tape = tape_of(50, 100, 200)
    assert tape.kickoffs == [0, 50, 150]
    assert [tape.rally_of(index) for index in (0, 49, 50, 149, 150, 349)] == [0, 0, 1, 1, 2, 2]
    assert [tape.kickoff_after(index) for index in (0, 49, 50, 150)] == [50, 50, 150, None]


def test_a_picture_is_found_by_its_time() -> None:
    # Ten a second; the kickoff after 11 pictures is as old as the 11th, so it comes a moment later.
    tape = tape_of(11, 11)
    assert tape.duration_s == pytest.approx(2.0)
    assert [tape.index_at(time_s) for time_s in (-1, 0, 0.09, 0.11, 1.0005, 9)] == [
        *(0, 0, 0, 1, 10, 21)
    ]
    for index in range(len(tape)):
        assert tape.index_at(tape.time_s(index)) == index


def test_nothing_has_no_length() -> None:
    assert len(Tape()) == 0
    assert Tape().duration_s == 0.0


def test_a_long_game_takes_little_memory() -> None:
    # Two cars: a picture is 1 kB as objects, and compressed less than 100 bytes.
    tracemalloc.start()
    tape = tape_of(*[500] * 20)
    tape.picture(5000)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    open_blocks = 2 * BLOCK * 2000
    assert held < 10_000 * 100 + open_blocks
