"""Lines become wishes; nonsense changes nothing."""

import pytest

from trainer.viewer_wishes import Wishes, is_player, obey

START = Wishes()


@pytest.mark.parametrize(
    ("line", "wished"),
    [
        ("deterministic on", Wishes(deterministic=True)),
        ("  deterministic   on \r", Wishes(deterministic=True)),
        ("pause", Wishes(paused=True)),
        ("speed 2", Wishes(speed=2.0)),
        ("speed 0.25", Wishes(speed=0.25)),
        ("speed 0.01", Wishes(speed=0.1)),
        ("speed 1e9", Wishes(speed=8.0)),
        ("follow 1", Wishes(follow=1)),
        ("play blue 000000000005000", Wishes(players=("000000000005000", "newest"))),
        ("play orange 000000000005000", Wishes(players=("newest", "000000000005000"))),
        ("record on", Wishes(recording=True)),
        ("kickoff", Wishes(kickoffs=1)),
    ],
)
def test_a_line_is_a_wish(line: str, wished: Wishes) -> None:
    assert obey(START, line) == wished


@pytest.mark.parametrize(
    ("wishes", "line"),
    [
        (Wishes(deterministic=True), "deterministic off"),
        (Wishes(paused=True), "resume"),
        (Wishes(speed=2.0), "speed 1"),
        (Wishes(follow=0), "follow none"),
        (Wishes(players=("000000000005000", "newest")), "play blue newest"),
        (Wishes(recording=True), "record off"),
    ],
)
def test_a_wish_can_be_taken_back(wishes: Wishes, line: str) -> None:
    assert obey(wishes, line) == START


@pytest.mark.parametrize(
    "line",
    [
        *("", "nonsense", "pause now", "deterministic", "deterministic maybe", "record"),
        *("speed", "speed fast", "speed nan", "speed inf", "speed -1", "speed 0"),
        *("follow", "follow -1", "follow 1.5", "follow 100", "follow ²", "follow all"),
        *("play blue", "play green newest", "play blue 5000", "play blue ../../etc/passwd"),
        "play blue ٠٠٠٠٠٠٠٠٠٠٠٥٠٠٠",
        "resume",
    ],
)
def test_what_asks_for_nothing_new_is_the_same_object(line: str) -> None:
    assert obey(START, line) is START


def test_every_kickoff_that_is_asked_for_counts() -> None:
    assert obey(obey(START, "kickoff"), "kickoff").kickoffs == 2


def test_newest_and_fifteen_digits_can_play() -> None:
    assert is_player("newest")
    assert is_player("000000000005000")
    assert not is_player("00000000000500")
    assert not is_player("newest ")
