"""Bradley-Terry over all games at once: the likeliest ratings, and how sure they are together.

Only decided games count: 400 points are ten wins to one loss, whatever is drawn beside them. Taken
as half a win, the many draws of weak bots would make all of them look alike; and how often equals
draw changes with what they can do, so that a draw says little of who is better.

No game comes before another: what is learned of a version later moves those that met it earlier,
and an error that versions share is in the sigma of each of them. Games that contradict each other
make all sigmas larger. Tested by
`tests/trainer/ratings/test_systems.py` and `test_bradley_terry.py`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from trainer.ratings.scores import (
    FIRST,
    FIRST_SIGMA,
    POINTS_OF_TEN,
    STEP_SIGMA,
    Score,
    Strength,
    Who,
    players_of,
)

Vector = npt.NDArray[np.float64]

SCALE: Final = math.log(10) / POINTS_OF_TEN
"""Natural logarithm of the odds in one point."""
LONGEST_STEP: Final = 200.0
"""Points that a rating moves in one of Newton's steps; where nobody ever lost, it overshoots."""
NEAR: Final = 1e-6
"""Points: a step shorter than that is the last."""
MOST_STEPS: Final = 200


class Meetings(NamedTuple):
    """Pairs who met, M of them, summed over their games and both sides."""

    a: npt.NDArray[np.int64]
    """(M,) number of a player."""
    b: npt.NDArray[np.int64]
    """(M,) of the other."""
    games: Vector
    """(M,) that one of them won."""
    wins: Vector
    """(M,) of `a`."""


def rate(scores: Sequence[Score], anchors: Mapping[str, float]) -> dict[Who, Strength]:
    """Rate everybody who has played, by wins and losses; a draw moves nobody."""
    versions, fixed = players_of(scores)
    players: list[Who] = [*versions, *fixed]
    met = _meetings(scores, players)
    ratings = np.array([FIRST] * len(versions) + [anchors[name] for name in fixed], np.float64)
    num = len(versions)
    prior, precision = _prior(num), np.zeros((num, num))
    for _ in range(MOST_STEPS):
        slope, precision = _derivatives(ratings, met, prior, num)
        step = np.linalg.solve(precision, slope)
        ratings[:num] += np.clip(step, -LONGEST_STEP, LONGEST_STEP)
        if np.abs(step).max(initial=0.0) < NEAR:
            break
    # The posterior is taken as normal around its top: its covariance is the inverse of precision.
    covariance = np.linalg.inv(precision)
    free = float(np.trace(covariance @ (precision - prior)))
    variances = covariance.diagonal() * max(1.0, misfit(ratings, met, free))
    sigmas = np.sqrt(variances).tolist() + [0.0] * len(fixed)
    return dict(zip(players, map(Strength, ratings.tolist(), sigmas), strict=True))


def misfit(ratings: Vector, met: Meetings, free: float) -> float:
    """How much more than by chance games differ from what `ratings` let expect; 1 is chance.

    Where bots beat each other in a circle, or two anchors contradict each other, no rating is
    right. Variances times this say so, as the Particle Data Group's scale factor does.

    Args:
        ratings: (V + anchors,) points.
        met: Who met whom.
        free: How many numbers were fitted; what was believed before takes from that.
    """
    # D = 2 Σ w ln(w / n E) + l ln(l / n (1 - E)): about 1 a pair, less the numbers fitted
    expected = 1 / (1 + np.exp(-SCALE * (ratings[met.a] - ratings[met.b])))
    results = np.stack([met.wins, met.games - met.wins], -1)
    shares = np.stack([expected, 1 - expected], -1) * met.games[:, None]
    ratio = np.where(results > 0, results, 1) / np.where(results > 0, shares, 1)
    deviance = 2 * float((results * np.log(ratio)).sum())
    return deviance / max(1.0, len(met.games) - free)


def _prior(num: int) -> Vector:
    """(V, V) precision of what is believed of V versions before any game.

    The first is near FIRST, each other one near the one before it.
    """
    chain = np.eye(num) - np.eye(num, k=-1)  # rows: r_0, r_1 - r_0, r_2 - r_1, …
    sigmas = np.full(num, STEP_SIGMA)
    sigmas[:1] = FIRST_SIGMA
    weighed: Vector = chain.T @ np.diag(sigmas**-2) @ chain
    return weighed


def _derivatives(ratings: Vector, met: Meetings, prior: Vector, num: int) -> tuple[Vector, Vector]:
    """(V,) slope of the log posterior, and (V, V) minus its second derivative."""
    expected = 1 / (1 + np.exp(-SCALE * (ratings[met.a] - ratings[met.b])))
    # Σ w ln E + (n - w) ln(1 - E) has the slope q (w - n E) in the rating of a.
    slope = np.zeros(len(ratings))
    surplus = SCALE * (met.wins - met.games * expected)
    np.add.at(slope, met.a, surplus)
    np.add.at(slope, met.b, -surplus)
    # Its second derivative is -q² n E (1 - E).
    weight = SCALE**2 * met.games * expected * (1 - expected)
    precision = np.zeros((len(ratings), len(ratings)))
    for one, other, sign in ((met.a, met.a, 1), (met.b, met.b, 1), (met.a, met.b, -1)):
        np.add.at(precision, (one, other), sign * weight)
    np.add.at(precision, (met.b, met.a), -weight)
    away = ratings[:num] - FIRST
    return slope[:num] - prior @ away, precision[:num, :num] + prior


def _meetings(scores: Sequence[Score], players: Sequence[Who]) -> Meetings:
    """Who met whom. Each pair is seen by its first player, whichever side it was on."""
    numbers = {who: number for number, who in enumerate(players)}
    games: dict[tuple[int, int], int] = {}
    wins: dict[tuple[int, int], int] = {}
    for score in scores:
        if score.blue_goals == score.orange_goals:
            continue
        blue, orange = numbers[score.blue], numbers[score.orange]
        pair = (min(blue, orange), max(blue, orange))
        won = (score.blue_goals > score.orange_goals) == (blue < orange)
        games[pair] = games.get(pair, 0) + 1
        wins[pair] = wins.get(pair, 0) + won
    # Sums in floating point depend on their order: let it be that of the pairs.
    pairs = sorted(games)
    return Meetings(
        _numbers(a for a, _ in pairs),
        _numbers(b for _, b in pairs),
        np.array([games[pair] for pair in pairs], np.float64),
        np.array([wins[pair] for pair in pairs], np.float64),
    )


def _numbers(found: Iterable[int]) -> npt.NDArray[np.int64]:
    return np.array(list(found), np.int64)
