from pathlib import Path

from tests.trainer.ratings.leagues import game, player
from trainer import jsonl
from trainer.ratings.played import (
    append_played,
    append_way_back,
    countable,
    played_to,
    read_played,
)

ANCHORS = {"random": 0.0}


def test_a_game_that_is_read_is_the_game_that_was_written(tmp_path: Path) -> None:
    games = [game(10, "random", 2, 1), game("random", 10, start=7)]
    append_played(tmp_path / "games", games)
    assert read_played(tmp_path / "games") == games
    assert read_played(tmp_path / "none") == []


def test_a_game_counts_once_however_often_it_stands_there(tmp_path: Path) -> None:
    append_played(tmp_path / "games", [game(10, "random", 1), game(10, "random", 5)])
    append_played(tmp_path / "games", [game("random", 10), game(10, "random", start=1)])
    assert [each.blue_goals for each in read_played(tmp_path / "games")] == [1, 0, 0]


def test_what_is_no_game_counts_for_nothing(tmp_path: Path) -> None:
    path = tmp_path / "games"
    good = game(10, "random", 1)
    append_played(path, [good])
    (line,) = jsonl.read_all(path)
    spoilt = ({"blue_goals": "1"}, {"blue_goals": -1}, {"seed": 5}, {"blue": {"name": 3}}, {"x": 1})
    for wrong in spoilt:
        jsonl.append(path, line | wrong | {"start": 9})
    jsonl.append(path, {})
    jsonl.append(path, line | {"start": [1]})
    with path.open("ab") as file:
        file.write(b'{"mode": "1v1", "blue"')  # killed while it wrote
    append_played(path, [good._replace(start=3)])
    assert read_played(path) == [good, good._replace(start=3)]


def test_games_of_weights_that_were_replaced_count_no_more() -> None:
    old = game(10, "random")._replace(blue=player(10, "old"))
    new = game(10, "random")._replace(blue=player(10, "new"))
    other = game(20, "random")
    assert countable([old, other, new], ANCHORS, sampled=False, decisions=900) == [other, new]


def test_games_with_who_is_no_anchor_any_more_count_no_more() -> None:
    kept, left = game(10, "random"), game(10, "chaser")
    assert countable([left, kept], ANCHORS, sampled=False, decisions=900) == [kept]


def test_games_in_which_actions_were_taken_the_other_way_do_not_count() -> None:
    drawn, likeliest = game(10, "random", sampled=True), game(10, "random")
    assert countable([drawn, likeliest], ANCHORS, sampled=True, decisions=900) == [drawn]


def test_games_up_to_a_step_hold_no_version_beyond_it() -> None:
    games = [game(10, "random"), game(20, 10), game(20, 30)]
    assert played_to(games, 20) == games[:2]
    assert played_to(games, 9) == []


def test_a_game_of_another_length_is_another_game(tmp_path: Path) -> None:
    games = [game(10, "random", 1), game(10, "random", 5)._replace(decisions=450)]
    append_played(tmp_path / "games", games)
    assert read_played(tmp_path / "games") == games


def test_after_a_way_back_the_versions_behind_it_are_others(tmp_path: Path) -> None:
    path = tmp_path / "games"
    kept, left, again = game(10, "random"), game(20, "random", 9), game(20, "random", 1)
    append_played(path, [kept, left, game(30, 20), game(20, 10)])
    append_way_back(path, 10)
    assert read_played(path) == [kept]
    append_played(path, [again, kept])
    assert read_played(path) == [kept, again]
