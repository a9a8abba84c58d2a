"""Ratings cannot lie: players whose order is known come out in it, whatever they are called."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.trainer.evaluation.players import CHASER, RANDOM
from tests.trainer.ratings.leagues import result
from tests.trainer.ratings.versions import make_versions
from trainer.config_file import load_config
from trainer.evaluation.contestants import Contestant
from trainer.evaluation.engine import Game, Result, Table
from trainer.ratings import bouts, rater
from trainer.ratings.rater import Rater
from trainer.ratings.table import read_ratings
from trainer.run_dir import RunDir

Play = Callable[[Sequence[Game], Table, Sequence[Contestant]], list[Result]]
SYSTEMS = ("bradley_terry", "openskill", "elo")


class Nothing:
    """Takes the first action that is possible, which drives backwards, wherever the ball is."""

    def choose(
        self,
        obs: npt.NDArray[np.float32],
        masks: npt.NDArray[np.bool_],
        uniforms: npt.NDArray[np.float64],
    ) -> npt.NDArray[np.int64]:
        return masks.argmax(-1)


IDLE = Contestant("idle", "", None, Nothing())


def rated(run: RunDir, *settings: str) -> dict[str, float]:
    """Ratings by name after all games; of 1v1."""
    Rater(run, load_config(run.config, settings), lambda line: None).catch_up()
    found = read_ratings(run.ratings)
    assert found is not None
    return {each.name: each.rating for each in found.modes["1v1"]}


def who_is(monkeypatch: pytest.MonkeyPatch, players: dict[str, Contestant]) -> None:
    """Let `players` play under the names of versions."""

    def load(word: str, name: str, *, sampled: bool) -> Contestant:
        return players.get(name, RANDOM)

    monkeypatch.setattr(rater, "load_contestant", load)


@pytest.mark.parametrize("turned", [False, True])
def test_a_chaser_stands_above_chance_whichever_came_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turned: bool
) -> None:
    """Real games of 30 s. Who drives backwards scores no less than chance on itself."""
    names = ("20", "10") if turned else ("10", "20")
    who_is(monkeypatch, dict(zip(names, (IDLE, CHASER), strict=True)))
    terms = ("ratings.seconds=30", "ratings.starts=6", 'ratings.anchors={"random"=0.0}')
    run = make_versions(tmp_path, 10, 20, settings=terms)
    for system in SYSTEMS:
        found = rated(run, f"ratings.system={system}")
        idle, chaser = (found[name] for name in names)
        assert chaser > found["random"] == 0
        assert chaser > idle


def games_by_chance(strength: dict[str, float], swap: bool) -> Play:
    """A fake `play`: who is 400 points better wins ten games of eleven, on both sides alike."""

    def play(games: Sequence[Game], _: Table, contestants: Sequence[Contestant]) -> list[Result]:
        results = []
        for game in games:
            blue, orange = (contestants[side].name for side in (game.blue, game.orange))
            first, second = sorted((blue, orange))
            chance = 1 / (1 + 10 ** ((strength[second] - strength[first]) / 400))
            # The draw is that of the pair and start, so it is the same from both sides.
            side = (blue == first) != swap
            seed = [*game.seed, *map(ord, first + second), side]
            won = np.random.default_rng(seed).random() < chance
            goals = (int(won), int(not won))
            results.append(result(game, *(goals if blue == first else goals[::-1])))
        return results

    return play


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("improving", [True, False])
def test_players_of_known_chances_come_out_in_order_from_either_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str, improving: bool
) -> None:
    steps = range(10, 60, 10)
    points = np.linspace(0, 1400, 5) if improving else np.linspace(1400, 0, 5)
    strength = {str(s): float(p) for s, p in zip(steps, points, strict=True)}
    strength |= {"random": 0.0, "chaser": 400.0}
    names = {name: Contestant(name, "", None, IDLE.chooser) for name in strength}
    anchors = 'ratings.anchors={"random"=0.0, "chaser"=400.0}'
    terms = ("ratings.starts=40", "ratings.rating_per_goal=20", anchors)
    found = []
    for swap in (False, True):
        monkeypatch.setattr(bouts, "play", games_by_chance(strength, swap))
        who_is(monkeypatch, names)
        run = make_versions(tmp_path / str(swap), *steps, settings=terms)
        found.append(rated(run, f"ratings.system={system}"))
    for ratings in found:
        versions = sorted((name for name in ratings if name.isdecimal()), key=ratings.__getitem__)
        assert versions == sorted(versions, key=strength.__getitem__)
    if system == "bradley_terry":  # every game the other way round: the same, to the bit
        assert found[0] == found[1]
    if system == "bradley_terry" and improving:  # else the first ones are far beyond all anchors
        assert all(abs(found[0][name] - strength[name]) < 120 for name in strength)
