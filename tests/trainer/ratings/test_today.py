from pathlib import Path

from tests.trainer.ratings.leagues import game
from tests.trainer.ratings.test_rater import pairs, rate
from tests.trainer.ratings.versions import SHORT, make_versions
from trainer import jsonl
from trainer.ratings.played import PlayedGame, append_played, read_played
from trainer.ratings.today import PHYSICS, of_today

CHASED = (*SHORT[:-1], 'ratings.anchors={"random"=0.0, "chaser"=300.0}')


def in_which_it_plays(way: int, found: PlayedGame) -> PlayedGame:
    return found._replace(orange=found.orange._replace(behaviour=way))


def test_games_with_a_scripted_anchor_that_played_another_way_do_not_count_and_are_told_of() -> (
    None
):
    old, new = game(10, "chaser"), in_which_it_plays(2, game(10, "chaser"))
    others = [game(10, "random"), game(20, 10)]
    found = of_today([old, *others, new], {"chaser": 2}, "2.2.1")
    assert found.games == [*others, new]
    (words,) = found.words
    assert words.startswith("1 games with chaser do not count")
    assert of_today([old, *others], {"chaser": 1}, "2.2.1") == ([old, *others], [])


def test_a_mixture_of_physics_is_told_of_and_counts() -> None:
    games = [game(10, 20), game(10, 20)._replace(physics="2.1"), game(10, 20)._replace(physics="3")]
    kept, words = of_today(games, {}, "3")
    assert kept == games
    assert words == ["some games were played in RocketSim 2.1, the next are in 3: ratings mix them"]
    assert of_today(games[::2], {}, "3").words == []


def test_lines_of_before_there_was_another_chaser_are_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "games"
    append_played(path, [game(10, "chaser")])
    (line,) = jsonl.read_all(path)
    for side in ("blue", "orange"):
        del line[side]["behaviour"]
    del line["physics"]
    path.unlink()
    jsonl.append(path, line)
    assert read_played(path) == [game(10, "chaser")]


def test_a_version_plays_a_changed_chaser_anew(tmp_path: Path) -> None:
    run = make_versions(tmp_path, 10, settings=CHASED)
    rate(run)
    games = read_played(run.rating_games)
    assert {each.physics for each in games} == {PHYSICS}
    chased = [each for each in games if "chaser" in (each.blue.name, each.orange.name)]
    assert len(chased) == 4
    # As if that had been the chaser of before.
    run.rating_games.unlink()
    append_played(
        run.rating_games,
        [
            each._replace(
                **{
                    name: side._replace(behaviour=0)
                    for name, side in (("blue", each.blue), ("orange", each.orange))
                    if side.name == "chaser"
                }
            )
            for each in games
        ],
    )
    said = rate(run)
    assert said[0].startswith("4 games with chaser do not count")
    assert pairs(read_played(run.rating_games))["10", "chaser"] == 2 * 2
    assert rate(run) == said[:1]
