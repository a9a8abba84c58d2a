"""What holds of every system, and hand-derived numbers of Elo and OpenSkill."""

import math
import random

import pytest

from tests.trainer.ratings.leagues import scores, swapped
from trainer.ratings import bradley_terry, openskill_system
from trainer.ratings.elo import elo_system
from trainer.ratings.scores import Score, Strength, System, expected_points

SYSTEMS = [bradley_terry.rate, openskill_system.rate, elo_system(5.0)]
NAMES = ["bradley_terry", "openskill", "elo"]
each_system = pytest.mark.parametrize("rate", SYSTEMS, ids=NAMES)
with_sigma = pytest.mark.parametrize("rate", SYSTEMS[:2], ids=NAMES[:2])

ANCHORS = {"random": 0.0, "chaser": 400.0}
LEAGUE = [
    *scores(10, "random", 4, 10, 2),
    *scores(20, 10, 12, 2, 2),
    *scores(20, "chaser", 2, 2, 12),
    *scores(30, 20, 13, 2, 1),
    *scores(30, "chaser", 12, 3, 1),
]


def test_400_points_are_ten_wins_to_one() -> None:
    assert expected_points(400) == pytest.approx(10 / 11)
    assert expected_points(-800) == pytest.approx(1 / 101)
    assert expected_points(0) == 0.5


@each_system
def test_who_wins_stands_above_who_loses_and_anchors_stand_still(rate: System) -> None:
    found = rate(LEAGUE, ANCHORS)
    assert found["random"].rating == 0
    assert found["chaser"].rating == 400
    assert found[10].rating < found[20].rating < found[30].rating
    assert set(found) == {10, 20, 30, "random", "chaser"}


@each_system
def test_whoever_is_called_blue_the_ratings_are_the_same_to_the_bit(rate: System) -> None:
    assert rate(swapped(LEAGUE), ANCHORS) == rate(LEAGUE, ANCHORS)


@each_system
def test_nobody_who_has_not_played_is_rated(rate: System) -> None:
    assert rate([], ANCHORS) == {}


@each_system
def test_two_who_beat_each_other_equally_stay_where_they_began(rate: System) -> None:
    found = rate([Score(10, "random", 1, 0), Score(10, "random", 0, 1)], {"random": 0.0})
    assert found[10].rating == pytest.approx(0, abs=40)


@with_sigma
def test_a_draw_moves_nobody(rate: System) -> None:
    apart = [*scores(20, "chaser", 10), *scores(10, "random", 0, 0, 10)]
    assert rate([*apart, Score(10, 20, 2, 2)], ANCHORS) == rate(apart, ANCHORS)
    # Who has only drawn is where it is believed to be before any game.
    assert rate([Score("chaser", 10, 0, 0)], ANCHORS)[10] == Strength(0.0, pytest.approx(400.0))


def test_elo_moves_by_what_was_not_expected_of_each_goal() -> None:
    rate = elo_system(5.0)
    # Even: 5 (1 - 1/2) = 2.5 from each goal against an anchor, which stays.
    assert rate([Score(10, "random", 1, 0)], ANCHORS)[10] == Strength(2.5, None)
    # Two goals of a game go by the rating before it.
    assert rate([Score("random", 10, 0, 2)], ANCHORS)[10].rating == 5.0
    # 400 below: a goal of the weaker one is worth 5 · 10/11, one of the stronger 5 · 1/11.
    assert rate([Score(10, "chaser", 1, 0)], ANCHORS)[10].rating == pytest.approx(50 / 11)
    assert rate([Score(10, "chaser", 0, 1)], ANCHORS)[10].rating == pytest.approx(-5 / 11)
    # Between versions both move, and a new one begins where the one before it stands: at 2.5.
    found = rate([Score(10, "random", 1, 0), Score(20, 10, 1, 0)], ANCHORS)
    assert (found[20].rating, found[10].rating) == (5.0, 0.0)


def test_elo_hears_of_goals_alone_also_in_a_draw() -> None:
    rate = elo_system(5.0)
    assert rate([Score("chaser", 10, 0, 0)], ANCHORS)[10].rating == 0
    # 400 below, a goal each: 5 (10/11 - 1/11)
    assert rate([Score("chaser", 10, 1, 1)], ANCHORS)[10].rating == pytest.approx(45 / 11)


def test_openskill_moves_as_its_own_equations_say() -> None:
    # Even, σ = 400 against 0: c² = 400² + 2β²; μ' = σ²/c · 1/2, σ'² = σ² (1 - σ²/c² · 1/4).
    spread = 2 * (400 / (math.sqrt(2) * math.log(10))) ** 2
    c = math.sqrt(400**2 + spread)
    found = openskill_system.rate([Score(10, "random", 1, 0)], ANCHORS)[10]
    assert found.rating == pytest.approx(400**2 / c / 2)
    assert found.sigma == pytest.approx(400 * math.sqrt(1 - (400 / c) ** 2 / 4))
    # With both sigmas 0 its scale is Elo's: c = 400 / ln 10.
    assert math.sqrt(spread) == pytest.approx(400 / math.log(10))


@with_sigma
def test_more_games_leave_less_doubt_and_an_anchor_has_none(rate: System) -> None:
    few, many = (rate(scores(10, "random", n, n, n), ANCHORS) for n in (2, 20))
    assert few["random"].sigma == 0
    assert few[10].sigma is not None
    assert many[10].sigma is not None
    assert 0 < many[10].sigma < few[10].sigma < 400


@each_system
def test_who_always_wins_is_rated_finitely(rate: System) -> None:
    found = rate([*scores(10, "random", 500), *scores(20, 10, 500)], {"random": -10_000.0})
    numbers = [number or 0.0 for each in found.values() for number in each]
    assert all(map(math.isfinite, numbers))


def test_only_bradley_terry_does_not_care_in_which_order_games_were_played() -> None:
    mixed = list(LEAGUE)
    random.Random(0).shuffle(mixed)
    moved = []
    for rate in SYSTEMS:
        one, other = rate(LEAGUE, ANCHORS), rate(mixed, ANCHORS)
        moved.append(max(abs(one[who].rating - other[who].rating) for who in one))
    assert moved[0] == 0
    assert min(moved[1:]) > 1
