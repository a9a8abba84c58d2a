"""OpenSkill's Bradley-Terry model, one player a side, game after game as they were played.

Only decided games are told to it: it would take the many draws of weak bots for a sign that they
are alike, and its points for another scale (`bradley_terry.py`).

A version is rated by what was known of its opponents when they met, and the errors that both share
count as if they were independent: the stated sigma is too small, and the order of games matters
(docs/experiments.md). Tested by `tests/trainer/ratings/test_systems.py`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from openskill.models import BradleyTerryFull, BradleyTerryFullRating

from trainer.ratings.scores import (
    FIRST_SIGMA,
    POINTS_OF_TEN,
    STEP_SIGMA,
    Score,
    Strength,
    Who,
    before,
)

# OpenSkill expects e^(a/c) / (e^(a/c) + e^(b/c)) points, c² = σa² + σb² + 2β². Where both sigmas
# are 0, that is Elo's 1 / (1 + 10^((b - a) / 400)) if 1 / c = ln 10 / 400: β = 400 / (√2 ln 10).
BETA: Final = POINTS_OF_TEN / (math.sqrt(2) * math.log(10))
ANCHOR_SIGMA: Final = 1e-6
"""Instead of 0, by which OpenSkill divides."""


def _gamma(*_: object) -> float:
    """No damping: OpenSkill's default lets sigma shrink more slowly than its own model says."""
    return 1.0


# Versions do not change, so their sigma never grows between games: τ = 0.
_MODEL: Final = BradleyTerryFull(beta=BETA, gamma=_gamma, tau=0.0)


def rate(scores: Sequence[Score], anchors: Mapping[str, float]) -> dict[Who, Strength]:
    """Rate everybody who has played, by wins and losses; draws and anchors never move."""
    found: dict[Who, BradleyTerryFullRating] = {}
    for score in scores:
        for who in (score.blue, score.orange):
            if who not in found:
                found[who] = _unplayed(who, found, anchors)
        if score.points == 0.5:
            continue
        sides = [[found[score.blue]], [found[score.orange]]]
        (blue,), (orange,) = _MODEL.rate(sides, ranks=[1 - score.points, score.points])
        after = {score.blue: blue, score.orange: orange}
        found |= {who: rated for who, rated in after.items() if isinstance(who, int)}
    return {
        who: Strength(rated.mu, rated.sigma if isinstance(who, int) else 0.0)
        for who, rated in found.items()
    }


def _unplayed(
    who: Who, found: Mapping[Who, BradleyTerryFullRating], anchors: Mapping[str, float]
) -> BradleyTerryFullRating:
    """The rating somebody begins with."""
    if isinstance(who, str):
        return _MODEL.rating(mu=anchors[who], sigma=ANCHOR_SIGMA)
    ratings = {known: rated.mu for known, rated in found.items()}
    first = not any(isinstance(known, int) and known < who for known in found)
    return _MODEL.rating(mu=before(who, ratings), sigma=FIRST_SIGMA if first else STEP_SIGMA)
