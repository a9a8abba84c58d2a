"""How likely each old version is drawn as an opponent: weights by age or by rating.

Arrays and ratings in, weights out. Knows no file and no random state. Tested by
`tests/trainer/test_version_draw.py`.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from trainer.ratings.table import Ratings

Weights = npt.NDArray[np.float64]

RECENT: Final = 0.9
"""How often a version is drawn by "recent" as to the next newer one."""
POINTS: Final = 400.0
"""Of Elo's scale, on which so many more are ten times the wins."""


def uniform_weights(versions: Sequence[int]) -> Weights:
    """All alike."""
    return np.ones(len(versions))


def recent_weights(versions: Sequence[int]) -> Weights:
    """Newer ones more often: of `versions` by steps, fewest first, the last weighs 1."""
    # w_k = 0.9^k for the k-th newest
    weights: Weights = RECENT ** np.arange(len(versions))[::-1]
    return weights


def rating_weights(versions: Sequence[int], ratings: Ratings, modes: Sequence[str]) -> Weights:
    """Those more often whose games with today's policy are open.

    Today's policy counts as strong as the newest of `versions` that is rated. A version weighs by
    how uncertain its game with that is, from 1 for an equal to 0 for one that always wins or always
    loses; the mean over `modes` where both are rated. One without a rating yet counts as equal.
    """
    found = np.ones(len(versions))
    for place, steps in enumerate(versions):
        gaps = [_gap(steps, versions, ratings, mode) for mode in modes]
        open_games = [_openness(gap) for gap in gaps if gap is not None]
        if open_games:
            found[place] = np.mean(open_games)
    return found


def _gap(steps: int, versions: Sequence[int], ratings: Ratings, mode: str) -> float | None:
    """Points of that version above the newest rated one; None where it has no rating."""
    mine = ratings.of_version(steps, mode)
    if mine is None:
        return None
    rated = (ratings.of_version(other, mode) for other in reversed(versions))
    newest = next(found for found in rated if found is not None)
    return mine.rating - newest.rating


def _openness(gap: float) -> float:
    # p = 1 / (1 + 10^(−|gap|/400)), w = 4·p·(1 − p): the variance of won or lost, 1 at p = 1/2
    p = 1 / (1 + 10 ** (-abs(gap) / POINTS))
    return 4 * p * (1 - p)
