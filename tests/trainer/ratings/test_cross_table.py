from dataclasses import replace
from itertools import combinations

from tests.trainer.ratings.ladders import LADDER, LAST, MIDDLE, WINNER
from trainer.evaluation.intervals import Interval
from trainer.ratings.cross_table import cross_table, letter
from trainer.ratings.ladder_table import Meeting, Round


def test_a_table_has_points_above_their_intervals_and_every_total() -> None:
    assert cross_table(LADDER.rounds[0], LADDER) == [
        "1v1, 60 s a game, likeliest actions",
        "",
        "             A       B       C  W-D-L  goals  points",
        "A 2,000      -     100      88  7-1-0   20:3      94",
        "                51-100  40-100                62-100",
        "B 1,000      0       -      62  3-1-4    9:9      44",
        "          0-49           20-90                 25-75",
        "C random    12      38       -  0-2-6   1:18      12",
        "          0-60   10-80                          0-50",
        "",
        "Points of the row against the column: 100 wins every game, 50 is even, a draw is half a "
        "win.",
        "Below them the 95 % interval.",
        "",
        "Beyond doubt (the whole interval is above 50):",
        "A beats B",
    ]


def test_eight_players_with_long_names_and_numbers_fit_in_120_columns() -> None:
    everything = Interval(0.895, 1.0, 1.0)
    name = "runs/mine/bundles/000012345678"
    rung = replace(WINNER, name=name, wins=1224, scored=12345, conceded=12345)
    meetings = tuple(
        Meeting(a, b, 9, 0, 0, everything, everything) for a, b in combinations(range(8), 2)
    )
    lines = cross_table(Round("1v1", (rung,) * 8, meetings), LADDER)
    assert max(map(len, lines)) <= 120
    assert lines[3].startswith("A …undles/000012345678")
    assert "A beats B, C, D, E, F, G, H" in lines


def test_names_that_end_alike_are_told_apart_below_the_table() -> None:
    even = Interval(0.4, 0.5, 0.6)
    mine, theirs = (f"runs/{run}/policy_versions/000000006021120" for run in ("mine", "theirs"))
    rungs = (replace(MIDDLE, name=mine), replace(LAST, name=theirs))
    lines = cross_table(Round("1v1", rungs, (Meeting(0, 1, 2, 2, 2, even, even),)), LADDER)
    assert lines[-4:-2] == [f"A is {mine}", f"B is {theirs}"]


def test_a_ladder_without_a_sure_winner_says_so() -> None:
    even = Interval(0.4, 0.5, 0.6)
    found = Round("1v1", (MIDDLE, LAST), (Meeting(0, 1, 2, 2, 2, even, even),))
    lines = cross_table(found, replace(LADDER, sampled=True))
    assert lines[0] == "1v1, 60 s a game, drawn actions"
    assert lines[-1] == "Nobody beats anybody beyond doubt."


def test_letters_go_on_after_z() -> None:
    assert [letter(number) for number in (0, 25, 26, 27, 51, 52)] == [
        *("A", "Z", "AA", "AB", "AZ", "BA"),
    ]
