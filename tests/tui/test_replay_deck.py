"""How a tape plays, with time that the test makes."""

from dataclasses import replace

import pytest

from tests.tui.games import game
from trainer.frames import Frame, Mind
from tui.replay_deck import HOLD_S, Deck, Place
from tui.replay_tape import Tape, blocks


def deck(*rallies: int, complete: bool = True) -> Deck:
    tape = Tape()
    for block in blocks(game(rallies)):
        tape.add(block)
    tape.complete = complete
    return Deck(tape)


def number(playing: Deck) -> int:
    """Of the picture that shows."""
    return seen(playing).steps


def seen(playing: Deck) -> Frame:
    frame = playing.frame()
    assert frame is not None
    return frame


def test_it_plays_in_real_time() -> None:
    playing = deck(101)  # ten seconds
    numbers = []
    for _ in range(4):
        numbers.append(number(playing))
        playing.advance(0.55)
    assert numbers == [0, 5, 11, 16]


def test_it_plays_slower_and_faster() -> None:
    playing = deck(101)
    playing.say("speed 0.5")
    playing.advance(1.1)
    assert number(playing) == 5
    playing.say("speed 2")
    playing.advance(1.0)
    assert number(playing) == 25
    assert seen(playing).speed == 2


def test_it_stands_still_while_paused() -> None:
    playing = deck(101)
    playing.say("pause")
    playing.advance(5)
    assert (number(playing), seen(playing).paused) == (0, True)
    playing.say("resume")
    playing.advance(1.05)
    assert (number(playing), seen(playing).paused) == (10, False)


def test_the_end_of_a_rally_stays_for_a_moment() -> None:
    playing = deck(11, 11)
    playing.advance(1.2)
    assert (number(playing), seen(playing).note) == (10, "Blue scores")
    playing.advance(HOLD_S - 0.3)
    assert number(playing) == 10
    playing.advance(0.2)
    assert number(playing) == 11
    playing.advance(0.55)
    assert number(playing) == 16


def test_k_and_j_go_from_kickoff_to_kickoff() -> None:
    playing = deck(51, 51, 51)
    playing.say("kickoff")
    assert number(playing) == 51
    playing.say("kickoff")
    playing.say("kickoff")
    assert number(playing) == 102
    playing.advance(2)
    playing.say("previous")
    assert number(playing) == 102
    playing.say("previous")
    assert number(playing) == 51
    playing.say("previous")
    playing.say("previous")
    assert number(playing) == 0


def test_seeking_stays_within_the_game() -> None:
    playing = deck(101)
    playing.say("seek 5")
    assert number(playing) == 50
    playing.say("seek -2")
    assert number(playing) == 30
    playing.say("seek -5")
    assert number(playing) == 0
    playing.say("seek 60")
    assert number(playing) == 100


def test_at_its_end_it_stops_and_begins_again_on_request() -> None:
    playing = deck(21)
    playing.advance(3)
    assert (number(playing), seen(playing).paused, playing.at_end) == (20, True, True)
    playing.say("resume")
    assert (number(playing), seen(playing).paused) == (0, False)


def test_what_is_still_read_is_waited_for() -> None:
    playing = deck(21, complete=False)
    playing.advance(3)
    assert (number(playing), seen(playing).paused, playing.at_end) == (20, False, False)


def test_a_followed_car_shows_its_mind_only_where_that_was_recorded() -> None:
    playing = deck(21)
    recorded = seen(playing).mind
    assert recorded is not None
    playing.say("follow 0")
    assert seen(playing).mind == Mind(0, None, "", ())
    playing.say("follow 1")
    assert seen(playing).mind == recorded
    playing.say("follow none")
    assert seen(playing).mind is None


def test_it_knows_its_place() -> None:
    playing = deck(51, 51, complete=False)
    assert playing.place == Place(0.0, pytest.approx(10.0), 1, 2, False)
    playing.say("kickoff")
    assert playing.place == Place(pytest.approx(5.0, abs=0.01), pytest.approx(10.0), 2, 2, False)


def test_an_empty_tape_shows_nothing_and_bears_every_key() -> None:
    playing = Deck(Tape())
    for line in ("pause", "resume", "kickoff", "previous", "seek 5", "speed 2", "follow 0", "?"):
        playing.say(line)
        playing.advance(1)
    assert playing.frame() is None
    assert playing.place == Place(0.0, 0.0, 0, 0, False)


def test_nothing_else_of_a_picture_changes() -> None:
    first = next(iter(game((21,))))
    playing = deck(21)
    playing.say("pause")
    assert playing.frame() == replace(first, paused=True)
