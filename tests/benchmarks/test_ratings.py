import math
import random

import pytest

from benchmarks.ratings import PLANS, calibrate, lines_of, make_league, predict
from trainer.ratings.scores import Score, Strength


def test_a_league_is_played_as_the_rater_would() -> None:
    plan = PLANS[0]._replace(versions=5, starts=2)
    league = make_league(plan, random.Random(0))
    # 0, 1, 2, 3 and 3 earlier ones, and two anchors each, from both sides
    assert len(league.rated) == (0 + 1 + 2 + 3 + 3 + 5 * 2) * 2 * 2
    assert league.truth["chaser"] == 400
    assert all(isinstance(score, Score) for score in league.held_out)


def test_doubt_makes_predictions_timid() -> None:
    sure, doubtful = Strength(400, 0.0), Strength(400, 400 / math.log(10))
    fixed = Strength(0, None)
    assert predict(sure, fixed) == pytest.approx(10 / 11)
    # Doubt as large as the scale makes 400 points 400/√2.
    assert predict(doubtful, fixed) == pytest.approx(1 / (1 + 10 ** (-1 / math.sqrt(2))))


def test_bradley_terry_is_nearest_to_the_truth_and_holds_what_it_says() -> None:
    found = calibrate(PLANS[0]._replace(versions=20), leagues=4)
    truth, best = found.pop("the truth itself"), found.pop("bradley_terry")
    others = found.values()
    assert truth.log_loss < best.log_loss
    assert all(best.log_loss < each.log_loss and best.error < each.error for each in others)
    assert best.moved == 0
    assert best.within > 0.93
    assert len(list(lines_of(PLANS[0], found))) == 2 + 3
