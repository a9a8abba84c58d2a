"""Bradley-Terry against a slow oracle, and by hand."""

import math
import random

import numpy as np
import pytest

from tests.trainer.ratings.leagues import scores
from trainer.ratings.bradley_terry import _meetings, misfit, rate
from trainer.ratings.scores import FIRST_SIGMA, STEP_SIGMA, Score, Who, expected_points

ANCHORS = {"random": 0.0, "chaser": 400.0}
MET: list[tuple[Who, Who]] = [
    *((10, "random"), (10, "chaser"), (20, 10), (20, "chaser"), (30, 20), (30, "chaser")),
]


def test_against_an_anchor_alone_it_is_where_slope_and_prior_balance() -> None:
    # 10 wins in 11 games would be 400 points; what is believed before draws that toward 0.
    found = rate(scores(10, "random", 10, 5, 1), ANCHORS)[10]
    q = math.log(10) / 400
    assert 300 < found.rating < 400
    balance = q * (10 - 11 * expected_points(found.rating)) - found.rating / FIRST_SIGMA**2
    assert balance == pytest.approx(0, abs=1e-9)
    # 1/σ² = q² n E (1 - E) + 1/400²
    chance = expected_points(found.rating)
    precision = q**2 * 11 * chance * (1 - chance) + FIRST_SIGMA**-2
    assert found.sigma == pytest.approx(precision**-0.5)


def test_draws_change_nothing_however_many() -> None:
    league = [*scores(10, "random", 10, 0, 1), *scores(20, 10, 5, 0, 3)]
    drawn = [*league, *scores(10, "random", 0, 1000, 0), *scores(20, "chaser", 0, 7, 0)]
    for who in (10, 20):
        assert rate(drawn, ANCHORS)[who] == rate(league, ANCHORS)[who]


def test_two_unequal_anchors_do_not_contradict_each_other_by_draws() -> None:
    # What a run's first version made of its games. With draws as half wins it would be 128 points
    # above the one and 105 below the other, which are 930 apart.
    anchors = {"random": 0.0, "chaser": 930.0}
    low, high = scores(10, "random", 6, 10, 0), scores(10, "chaser", 0, 11, 5)
    alone, against, both = (rate(games, anchors)[10] for games in (low, high, [*low, *high]))
    for one in (alone, against):
        assert one.sigma is not None
        assert abs(one.rating - both.rating) < 2 * one.sigma
    assert 300 < both.rating < 630


def test_misfit_by_hand() -> None:
    # As strong as two anchors, it won 3 of 4 decided games of the one and 1 of 4 of the other:
    # 2 (3 ln(3/2) + 1 ln(1/2)) = 1.0465 for each, of two pairs and one number that was fitted.
    met = _meetings([*scores(10, "a", 3, 5, 1), *scores(10, "b", 1, 0, 3)], [10, "a", "b"])
    even = np.zeros(3)
    assert misfit(even, met, 1.0) == pytest.approx(2 * 2 * (3 * math.log(1.5) - math.log(2)))
    # Results as expected, and no games, contradict nothing.
    assert misfit(even, _meetings(scores(10, "a", 2, 0, 2), [10, "a"]), 0.5) == 0
    assert misfit(even, _meetings([], [10]), 0.0) == 0
    # Who always won is 2 · 4 ln 2 off what equals do, and nothing is divided by 0.
    always = _meetings(scores(10, "a", 4), [10, "a"])
    assert misfit(even, always, 0.0) == pytest.approx(8 * math.log(2))


def test_games_that_contradict_each_other_make_every_sigma_larger_and_move_no_rating() -> None:
    # Nearly the equal of both of two anchors that are 930 points apart.
    low, high = scores(10, "random", 14, 12, 6), scores(10, "chaser", 10, 11, 11)
    apart, near = (
        rate([*low, *high], {"random": 0.0, "chaser": points})[10] for points in (930.0, 150.0)
    )
    assert apart.sigma is not None
    assert near.sigma is not None
    assert near.sigma < 60
    # By the games alone it is 147 points and 913, six hundred more than chance could explain.
    assert 2 * apart.sigma > 250


def test_ratings_and_doubts_are_those_of_the_posterior_on_a_grid() -> None:
    league = [
        *scores(10, "random", 7, 4, 3),
        *scores(20, 10, 6, 3, 5),
        *scores(20, "chaser", 3, 3, 8),
    ]
    found = rate(league, ANCHORS)
    grid = np.arange(-600.0, 900.0, 4.0)
    first, second = np.meshgrid(grid, grid, indexing="ij")
    log = -((first / FIRST_SIGMA) ** 2) / 2 - ((second - first) / STEP_SIGMA) ** 2 / 2
    places: dict[object, object] = {10: first, 20: second, **ANCHORS}
    for score in league:
        chance = 1 / (1 + 10 ** ((places[score.orange] - places[score.blue]) / 400))  # type: ignore[operator]
        if score.points != 0.5:
            log = log + np.log(chance if score.points else 1 - chance)
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    for who, place in ((10, first), (20, second)):
        mean = (weight * place).sum()
        spread = math.sqrt((weight * (place - mean) ** 2).sum())
        # The top of the posterior is not its mean; both agree within a tenth of the doubt.
        assert found[who].rating == pytest.approx(mean, abs=0.1 * spread)
        assert found[who].sigma == pytest.approx(spread, rel=0.05)


def test_doubt_about_the_one_before_is_doubt_about_the_next() -> None:
    # 20 met nobody but 10: it is never surer than 10 is.
    league = [*scores(10, "random", 3, 3, 3), *scores(20, 10, 500, 0, 500)]
    found = rate(league, ANCHORS)
    assert found[10].sigma is not None
    assert found[20].sigma is not None
    assert found[20].sigma > found[10].sigma


def test_two_sigma_hold_the_truth_as_often_as_they_say() -> None:
    truth: dict[Who, float] = {10: 100.0, 20: 250.0, 30: 500.0, **ANCHORS}
    inside = total = 0
    for seed in range(60):
        rng = random.Random(seed)
        league = []
        for a, b in MET:
            for number in range(32):
                if rng.random() < 0.4:
                    league.append(Score(a, b, 1, 1))
                    continue
                won = rng.random() < expected_points(truth[a] - truth[b])
                score = Score(a, b, int(won), int(not won))
                league.append(score if number % 2 else Score(b, a, int(not won), int(won)))
        for who, found in rate(league, ANCHORS).items():
            if isinstance(who, int):
                assert found.sigma is not None
                inside += abs(found.rating - truth[who]) < 2 * found.sigma
                total += 1
    # 95 % of 180; by chance alone it is within 90 and 99 %
    assert 0.90 < inside / total < 0.99
