"""Games of tests: lines of a league, and results that come out as they are told to."""

from collections.abc import Sequence

from tests.trainer.evaluation.players import side
from trainer.evaluation.engine import Game, Result
from trainer.ratings.played import PlayedGame, Player
from trainer.ratings.scores import Score, Who


def scores(a: Who, b: Who, wins: int, draws: int = 0, losses: int = 0) -> list[Score]:
    """So many games of `a` and `b`, each won by one goal, by turns on both sides."""
    goals = [(1, 0)] * wins + [(0, 0)] * draws + [(0, 1)] * losses
    return [
        Score(a, b, *score) if number % 2 else Score(b, a, *score[::-1])
        for number, score in enumerate(goals)
    ]


def swapped(found: Sequence[Score]) -> list[Score]:
    """The same games with blue and orange the other way round."""
    return [
        Score(score.orange, score.blue, score.orange_goals, score.blue_goals) for score in found
    ]


def player(who: Who, sha256: str = "") -> Player:
    if isinstance(who, str):
        return Player(who, None, sha256)
    return Player(f"{who:,}", who, sha256 or f"weights of {who}")


def game(
    blue: Who,
    orange: Who,
    blue_goals: int = 0,
    orange_goals: int = 0,
    *,
    mode: str = "1v1",
    start: int = 0,
    sampled: bool = False,
) -> PlayedGame:
    sides = player(blue), player(orange)
    seed = (0, 1, 1, start)
    return PlayedGame(mode, *sides, blue_goals, orange_goals, start, seed, 900, sampled)


def result(game: Game, blue_goals: int, orange_goals: int) -> Result:
    ends = {"goal": blue_goals + orange_goals, "no_touch": 0, "broken": 0}
    return Result(side(blue_goals), side(orange_goals), game.decisions, ends)
