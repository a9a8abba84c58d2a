import json
from pathlib import Path

import pytest

from trainer.ratings.table import Rated, Ratings, rating_words, read_ratings, write_ratings

FIVE = Rated("5,000,000", "version", 5_000_000, 412.4, 30.0, 40, 30, 10)
NINE = Rated("9,000,000", "version", 9_000_000, 500.0, None, 1, 2, 3)
RANDOM = Rated("random", "anchor", 0, 0.0, 0.0, 10, 30, 40)
RATINGS = Ratings("elo", 30, 7.5, {"1v1": (FIVE, NINE, RANDOM), "2v2": (NINE, RANDOM)})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "ratings.json"
    write_ratings(found, RATINGS)
    return found


def test_what_was_written_is_read_back(path: Path) -> None:
    assert read_ratings(path) == RATINGS
    assert read_ratings(path.with_name("none")) is None


@pytest.mark.parametrize(
    "wrong",
    [
        *({"steps": None}, {"steps": "5"}, {"steps": -5}, {"steps": 5.0}, {"steps": True}),
        *({"rating": "412"}, {"rating": None}, {"sigma": "30"}, {"sigma": -1.0}, {"kind": "x"}),
        *({"name": 5}, {"name": None}, {"wins": "1"}, {"draws": None}, {"losses": -1}, {"new": 1}),
        {"rating": 10**400},
    ],
)
def test_who_is_not_what_somebody_rated_is_makes_the_file_unreadable(
    path: Path, wrong: dict[str, object]
) -> None:
    record = json.loads(path.read_text())
    record["modes"]["1v1"][1] |= wrong
    path.write_text(json.dumps(record))
    assert read_ratings(path) is None


@pytest.mark.parametrize(
    "text", ["", "[]", "3", '{"modes": 3}', "[" * 100_000, '{"modes": {"1v1": [3]}}']
)
def test_other_bytes_are_no_ratings(path: Path, text: str) -> None:
    path.write_text(text)
    assert read_ratings(path) is None


@pytest.mark.parametrize("wrong", [{"min_games": "30"}, {"updated": None}, {"system": 3}])
def test_a_head_that_is_none_makes_the_file_unreadable(
    path: Path, wrong: dict[str, object]
) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | wrong))
    assert read_ratings(path) is None


def test_until_a_step_are_anchors_and_versions_up_to_it() -> None:
    found = RATINGS.until(5_000_000)
    assert found.modes == {"1v1": (FIVE, RANDOM), "2v2": (RANDOM,)}
    assert RATINGS.until(9_000_000) == RATINGS
    assert found.newest("2v2") is None
    assert found.of_version(9_000_000, "1v1") is None


def test_a_rating_in_words_has_two_sigma_where_they_are_known() -> None:
    assert rating_words(FIVE, "1v1") == "version 5,000,000: 1v1 412 ± 60 after 80 games"
    assert rating_words(NINE, "2v2") == "version 9,000,000: 2v2 500 after 6 games"
