"""Elo by goals: every goal is a game that its scorer won, and a game without goals moves nobody.

It knows no uncertainty, moves at most K points a goal, and depends on the order of the games.
Tested by `tests/trainer/ratings/test_systems.py`.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from trainer.ratings.scores import Score, Strength, System, Who, before, expected_points


def elo_system(per_goal: float) -> System:
    """Elo whose K is `per_goal` points."""
    return partial(rate, per_goal=per_goal)


def rate(
    scores: Sequence[Score], anchors: Mapping[str, float], *, per_goal: float
) -> dict[Who, Strength]:
    """Rate everybody who has played; a version begins with the rating of the one before it."""
    ratings: dict[Who, float] = {}
    for score in scores:
        for who in (score.blue, score.orange):
            if who not in ratings:
                ratings[who] = before(who, ratings) if isinstance(who, int) else anchors[who]
        blue, orange = score.blue, score.orange
        ahead = ratings[blue] - ratings[orange]
        # K (1 - E) for each goal, E being what its scorer was expected to make of it. Which came
        # first is not known, so all goals of a game go by the ratings before it.
        moved = per_goal * (
            score.blue_goals * expected_points(-ahead) - score.orange_goals * expected_points(ahead)
        )
        for who, change in ((blue, moved), (orange, -moved)):
            if isinstance(who, int):  # anchors never move
                ratings[who] += change
    return {who: Strength(rating, None) for who, rating in ratings.items()}
