import math
from dataclasses import replace

from tests.tui.rated import played
from trainer.evaluation.intervals import Interval
from trainer.ratings.ladder_table import Ladder
from tui.ladder_rows import cell_words, ladder_columns, ladder_rows, ladder_title
from tui.table_rows import Cell


def test_each_pair_stands_twice_as_either_sees_it() -> None:
    assert [column.label for column in ladder_columns(played())] == [
        "player", "all", "15.0M", "chaser", "random",
    ]  # fmt: skip
    assert [[cell.text for cell in row.cells] for row in ladder_rows(played())] == [
        ["15,000,000", "0.80", "·", "0.62", "0.97"],
        # 1 - 0.625 and 1 - 0.97
        ["chaser", "0.50", "0.38", "·", "0.81"],
        ["random", "0.20", "0.03", "0.19", "·"],
    ]


def test_somebody_elses_bot_is_not_called_by_its_steps_as_a_version_is() -> None:
    best, *others = played().rungs
    stranger = replace(played(), rungs=(replace(best, name="runs/student"), *others))
    assert ladder_columns(stranger)[2].label == "student"


def test_only_what_is_surely_more_or_less_than_half_has_a_colour() -> None:
    best, chaser, _ = ladder_rows(played())
    assert [cell.tone for cell in best.cells] == ["plain", "good", "quiet", "plain", "good"]
    assert [cell.tone for cell in chaser.cells] == ["plain", "plain", "plain", "quiet", "good"]


def test_two_who_never_met_are_a_dash() -> None:
    apart = replace(played(), meetings=())
    assert ladder_rows(apart)[0].cells[3] == Cell("–", "quiet")
    assert cell_words(apart, 0, 3) == cell_words(apart, 0, 1)


def test_a_cell_in_words_says_how_sure_it_is_from_the_rows_side() -> None:
    assert cell_words(played(), 0, 3) == (
        "15,000,000 v chaser: 0.62 (0.40 to 0.80) points a game, 9-2-5, "
        "goals +0.50 (-0.25 to +1.25) a game."
    )
    assert cell_words(played(), 1, 2) == (
        "chaser v 15,000,000: 0.38 (0.20 to 0.60) points a game, 5-2-9, "
        "goals -0.50 (-1.25 to +0.25) a game."
    )
    assert cell_words(played(), 2, 0) == (
        "random in all: 0.20 (0.10 to 0.30) points a game, 10-4-2, goals 31:12."
    )
    assert cell_words(played(), 3, 0) == ""


def test_a_difference_of_one_start_has_no_bounds() -> None:
    (first, *others) = played().meetings
    once = replace(first, goal_difference=Interval(-math.inf, 0.5, math.inf))
    words = cell_words(replace(played(), meetings=(once, *others)), 0, 3)
    assert words.endswith("goals +0.50 (how sure is not known) a game.")


def test_the_title_says_when_and_how_it_was_played() -> None:
    ladder = Ladder(1000.0, 60.0, True, (played(),))
    assert ladder_title(ladder, 1000.0 + 7200) == "Ladder, 2h old: games of 60 s, drawn actions"
