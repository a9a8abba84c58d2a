from dataclasses import replace
from functools import partial

from tests.tui.rated import CHASER, RANDOM, SOME, version
from trainer.config import RunConfig
from trainer.live import edited
from trainer.ratings.table import Rated, Ratings
from trainer.run_dir import Status, new_status
from tui.rating_rows import COLUMNS, rating_cell, rating_rows, standing, why_nobody, without_a_row
from tui.table_rows import Cell


def ratings(**modes: tuple[Rated, ...]) -> Ratings:
    named = {name.removeprefix("m"): players for name, players in modes.items()}
    return Ratings("openskill", 30, 0.0, named)


def words(*players: Rated) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in rating_rows(ratings(m1v1=players), "1v1")]


def status(steps: int) -> Status:
    return replace(new_status("cpu"), steps=steps)


def test_versions_come_newest_first_then_anchors_strongest_first() -> None:
    assert [row[0].strip("▸ ") for row in words(*SOME, RANDOM, CHASER)] == [
        "20,000,000", "15,000,000", "10,000,000", "5,000,000", "chaser", "random",
    ]  # fmt: skip


def test_a_row_says_rating_two_sigma_games_and_record() -> None:
    # 96 games: half won, a quarter drawn; two deviations of 30 are 60.
    assert words(version(15_000_000, 412.4)) == [
        ["▸ 15,000,000", "412", "60", "96", "48-24-24", ""]
    ]
    assert words(RANDOM) == [["  random", "0", "fixed", "100", "20-10-70", "anchor"]]
    assert words(version(5, -1234.6, None))[0][1:3] == ["-1,235", "–"]


def test_a_version_of_too_few_games_is_grey_and_not_yet_sure() -> None:
    few, enough = version(5, 1.0, games=29), version(6, 1.0, games=30)
    unsure = rating_rows(ratings(m1v1=(few, enough)), "1v1")[1]
    assert unsure.cells[1] == Cell("1", "quiet")
    assert unsure.cells[5] == Cell("not yet sure", "quiet")
    assert [row[5] for row in words(few, enough)] == ["", "not yet sure"]
    assert len(unsure.cells) == len(COLUMNS)


def test_an_anchor_is_sure_however_little_it_played() -> None:
    assert words(Rated("nexto", "anchor", 0, 900.0, 0.0, 1, 0, 0))[0][5] == "anchor"


def test_the_newest_hundred_versions_have_rows_and_the_others_are_told_of() -> None:
    many = tuple(version(n, float(n)) for n in range(1, 104))
    rows = words(*many, RANDOM)
    assert (rows[0][0], rows[99][0], rows[100][0]) == ("▸ 103", "  4", "  random")
    assert len(rows) == 101
    found = ratings(m1v1=(*many, RANDOM))
    assert without_a_row(found, "1v1") == "3 earlier versions are in the curve alone."
    assert without_a_row(ratings(m1v1=(*many[:100], RANDOM)), "1v1") == ""


def test_a_mode_that_nobody_played_has_no_rows() -> None:
    assert rating_rows(ratings(m1v1=SOME), "2v2") == []


def test_a_standing_has_its_uncertainty_where_it_is_known() -> None:
    assert standing(version(5, 412.0, 30.0)) == "412 ± 60"
    assert standing(version(5, 412.0, None)) == "412"


def test_a_checkpoint_has_the_rating_of_its_version_or_about_that_of_the_last_before() -> None:
    found = ratings(m1v1=(*SOME, RANDOM))
    assert rating_cell(found, 15_000_000) == Cell("412")
    assert rating_cell(found, 15_000_001) == Cell("~412")
    assert rating_cell(found, 4_999_999) == Cell("–", "quiet")
    assert rating_cell(found, 90_000_000) == Cell("~455", "quiet")  # 12 games
    assert rating_cell(None, 5) == rating_cell(ratings(), 5) == Cell("–", "quiet")


def test_a_checkpoint_of_several_modes_names_them() -> None:
    found = ratings(m1v1=SOME, m2v2=(version(12_000_000, 7.0),))
    assert rating_cell(found, 15_000_000).text == "1v1 412, 2v2 ~7"
    assert rating_cell(found, 5_000_000).text == "1v1 120"


def test_why_nobody_is_rated_is_said_by_what_stands_in_the_way() -> None:
    config = RunConfig()
    why = partial(why_nobody, run="runs/a", resting=False)
    first = "Nobody is rated yet. The first version comes at 5,000,000 steps."
    assert why(config, status(4_999_999)) == first
    assert "when the games of a version are over" in why(config, status(5_000_000))
    off = edited(config, {"ratings.enabled": False})
    assert "`rlppo rate runs/a`" in why(off, None)
    none = edited(config, {"versions.every_steps": 0})
    assert "versions.every_steps is 0" in why(none, None)


def test_of_a_run_that_rests_it_is_not_said_that_ratings_come() -> None:
    why = partial(why_nobody, RunConfig(), run="runs/a", resting=True)
    rates = "Nobody is rated, and nobody trains; `rlppo rate runs/a` rates the versions there are."
    assert why(None) == why(status(1)) == why(status(5_000_000)) == rates


def test_of_a_branch_that_nobody_has_trained_no_first_version_is_promised() -> None:
    found = why_nobody(RunConfig(), None, "runs/a", resting=False)
    assert found == "Nobody is rated yet. Versions come every 5,000,000 steps."
