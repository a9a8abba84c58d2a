import pytest

from tests.trainer.ratings.leagues import game
from trainer.config import RunConfig
from trainer.ratings.ratings_of import ratings_of
from trainer.ratings.table import Rated, Ratings

GAMES = [
    game(20, 10, 1, 0),
    game(10, "random", 2, 2),
    game("chaser", 20, 0, 1),
    game(10, "random", 0, 3, mode="2v2"),
]
"""Of 60 s at 15 decisions a second."""


def terms(**ratings: object) -> RunConfig:
    return RunConfig.model_validate({"ratings": ratings})


@pytest.mark.parametrize("system", ["bradley_terry", "openskill", "elo"])
def test_everybody_is_there_by_mode_with_a_record(system: str) -> None:
    found = ratings_of(GAMES, terms(system=system, min_games=7), 5.0)
    assert (found.system, found.min_games, found.updated) == (system, 7, 5.0)
    assert list(found.modes) == ["1v1", "2v2"]
    rows = [(each.name, each.kind, each.steps, each.games) for each in found.modes["1v1"]]
    assert rows == [
        ("10", "version", 10, 2), ("20", "version", 20, 2),
        ("random", "anchor", 0, 1), ("chaser", "anchor", 0, 1),
    ]  # fmt: skip
    first = found.of_version(10, "1v1")
    assert first is not None
    assert (first.wins, first.draws, first.losses) == (0, 1, 1)
    assert (first.sigma is None) == (system == "elo")
    chaser = found.modes["1v1"][-1]
    assert chaser == Rated("chaser", "anchor", 0, 300.0, None if system == "elo" else 0.0, 0, 0, 1)
    assert found.newest("2v2") == found.modes["2v2"][0]


def test_an_anchor_with_other_points_moves_everybody_without_a_new_game() -> None:
    low, high = (
        ratings_of(GAMES, terms(anchors={"random": x, "chaser": x + 400}), 0.0)
        for x in (0.0, 1000.0)
    )
    pairs = zip(low.modes["1v1"], high.modes["1v1"], strict=True)
    assert all(there.rating > here.rating + 100 for here, there in pairs)


def test_without_games_there_are_no_ratings() -> None:
    assert ratings_of([], RunConfig(), 1.0) == Ratings("bradley_terry", 30, 1.0, {})


def test_games_of_another_length_do_not_count() -> None:
    short = [each._replace(decisions=450) for each in GAMES[:2]]
    found = ratings_of([*GAMES[1:], *short], terms(), 0.0)
    assert [(each.name, each.games) for each in found.modes["1v1"]] == [
        ("10", 1), ("20", 1), ("random", 1), ("chaser", 1)
    ]  # fmt: skip
    found = ratings_of([*GAMES, *short], terms(seconds=30), 0.0)
    assert [(each.name, each.games) for each in found.modes["1v1"]] == [
        ("10", 2), ("20", 1), ("random", 1)
    ]  # fmt: skip
