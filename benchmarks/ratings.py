"""How far ratings can be trusted: leagues whose truth is known, rated by each system.

A league is a run: versions improve with setbacks, each plays the anchors and earlier versions as
`trainer/ratings` lets them, weak ones often draw. Predictions are scored on games that were not
rated. Tested by `tests/benchmarks/test_ratings.py`.
"""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from trainer.ratings import bradley_terry, openskill_system
from trainer.ratings.elo import elo_system
from trainer.ratings.opponents import earlier_opponents
from trainer.ratings.scores import Score, Strength, System, Who, expected_points

SYSTEMS: Final[Mapping[str, System]] = {
    "bradley_terry": bradley_terry.rate,
    "openskill": openskill_system.rate,
    "elo, K = 5": elo_system(5.0),
    "elo, K = 20": elo_system(20.0),
}
HELD_OUT: Final = 2000
"""Decided games of each league by which predictions are scored."""
CLOSE: Final = 600.0
"""Points up to which two meet in them: who wins is not yet certain."""


class Plan(NamedTuple):
    """What a league is like."""

    name: str
    anchors: Mapping[str, float]
    top: float
    """Points that the versions approach."""
    versions: int = 40
    starts: int = 8
    opponents: int = 3


PLANS: Final = (
    Plan("random and chaser", {"random": 0.0, "chaser": 400.0}, 1400.0),
    Plan("a strong anchor too", {"random": 0.0, "chaser": 400.0, "nexto": 1200.0}, 1400.0),
    Plan("random alone", {"random": 0.0}, 800.0),
)


@dataclass(frozen=True)
class League:
    """A run whose truth is known."""

    truth: dict[Who, float]
    anchors: Mapping[str, float]
    rated: list[Score]
    """In the order in which they are played."""
    held_out: list[Score]


class Trust(NamedTuple):
    """What a system made of leagues; all are means over them."""

    log_loss: float
    """Of who wins a decided game, nats."""
    brier: float
    """Mean squared error of the chance to win a decided game."""
    error: float
    """Root mean squared error of a version's rating, in points."""
    moved: float
    """The same of what a rating moves when each version plays its opponents in another order."""
    sigma: float
    """Mean stated, in points; NaN where the system knows none."""
    within: float
    """Share of versions whose truth is within two sigma."""


def calibrate(plan: Plan, leagues: int) -> dict[str, Trust]:
    """What each system, and the truth itself, makes of so many leagues."""
    found: dict[str, list[Trust]] = {}
    for seed in range(leagues):
        league = make_league(plan, random.Random(seed))
        told = {who: Strength(points, None) for who, points in league.truth.items()}
        found.setdefault("the truth itself", []).append(trust(league, told, told))
        shuffled = shuffle_within_versions(league.rated, random.Random(seed))
        for name, rate in SYSTEMS.items():
            strengths = (rate(games, league.anchors) for games in (league.rated, shuffled))
            found.setdefault(name, []).append(trust(league, *strengths))
    return {name: Trust(*map(_mean, zip(*each, strict=True))) for name, each in found.items()}


def make_league(plan: Plan, rng: random.Random) -> League:
    """Let a run play."""
    truth: dict[Who, float] = dict(plan.anchors.items())
    drift = 0.0
    for number in range(plan.versions):
        drift += rng.gauss(0, 30)
        rise = 1 - math.exp(-2.5 * number / plan.versions)
        truth[number] = plan.top * rise + drift
    rated = [_play(truth, *pair, rng) for pair in _pairs(plan)]
    held_out: list[Score] = []
    while len(held_out) < HELD_OUT:
        one, other = rng.sample(list(truth), 2)
        score = _play(truth, one, other, rng)
        if abs(truth[one] - truth[other]) < CLOSE and score.points != 0.5:
            held_out.append(score)
    return League(truth, plan.anchors, rated, held_out)


def shuffle_within_versions(games: Sequence[Score], rng: random.Random) -> list[Score]:
    """Each version's games, those with newer ones left out, in another order."""
    keys = {id(score): (_newest(score), rng.random()) for score in games}
    return sorted(games, key=lambda score: keys[id(score)])


def trust(league: League, found: Mapping[Who, Strength], shuffled: Mapping[Who, Strength]) -> Trust:
    """How good `found` is; `shuffled` is of the same games in another order."""
    predicted = [
        (predict(found[score.blue], found[score.orange]), score.points) for score in league.held_out
    ]
    versions = [who for who in league.truth if isinstance(who, int)]
    errors = [found[who].rating - league.truth[who] for who in versions]
    sigmas = [sigma for who in versions if (sigma := found[who].sigma) is not None]
    moves = [found[who].rating - shuffled[who].rating for who in versions]
    inside = [abs(e) < 2 * sigma for e, sigma in zip(errors, sigmas, strict=False)]
    return Trust(
        log_loss=-_mean([s * math.log(p) + (1 - s) * math.log(1 - p) for p, s in predicted]),
        brier=_mean([(p - s) ** 2 for p, s in predicted]),
        error=math.sqrt(_mean([error**2 for error in errors])),
        moved=math.sqrt(_mean([move**2 for move in moves])),
        sigma=_mean(sigmas),
        within=_mean(inside),
    )


def predict(one: Strength, other: Strength) -> float:
    """Chance of `one` to win a decided game, doubt included."""
    # A difference that is normal with variance v is worth as much as one that is certain and
    # smaller by c / √(c² + v), c = 400 / ln 10 being the logistic's scale, as OpenSkill has it.
    scale = 400 / math.log(10)
    doubt = (one.sigma or 0.0) ** 2 + (other.sigma or 0.0) ** 2
    certain = (one.rating - other.rating) * scale / math.sqrt(scale**2 + doubt)
    return expected_points(certain)


def lines_of(plan: Plan, found: Mapping[str, Trust]) -> Iterator[str]:
    """A table for docs/experiments.md."""
    yield f"| {plan.name} | log loss | Brier | error | moved by order | sigma | within ±2 sigma |"
    yield "|---|---|---|---|---|---|---|"
    for name, each in found.items():
        doubt = " | | |" if math.isnan(each.sigma) else f" | {each.sigma:.0f} | {each.within:.0%} |"
        yield (
            f"| {name} | {each.log_loss:.4f} | {each.brier:.4f} | {each.error:.0f} | "
            f"{each.moved:.0f}{doubt}"
        )


def _pairs(plan: Plan) -> Iterator[tuple[Who, Who]]:
    """Blue and orange of all games, version after version."""
    for number in range(plan.versions):
        earlier = earlier_opponents(list(range(number)), set(), plan.opponents)
        others: list[Who] = [*earlier, *plan.anchors]
        for other in others:
            for _ in range(plan.starts):
                yield number, other
                yield other, number


def _newest(score: Score) -> int:
    return max(who for who in (score.blue, score.orange) if isinstance(who, int))


def _play(truth: Mapping[Who, float], blue: Who, orange: Who, rng: random.Random) -> Score:
    """A game: decided by Elo's curve, or drawn, the more likely the weaker and nearer both are."""
    win = expected_points(truth[blue] - truth[orange])
    skill = min(max((truth[blue] + truth[orange]) / 2000, 0.0), 1.0)
    # Three in four even games of beginners are draws (ν = 6), one in five of masters (ν = 1/2).
    drawish = 6 ** (1 - skill) * 0.5**skill * math.sqrt(win * (1 - win))
    goals = 1
    while rng.random() < skill / 2:
        goals += 1
    if rng.random() < drawish / (1 + drawish):
        return Score(blue, orange, 0, 0)
    return Score(blue, orange, goals, 0) if rng.random() < win else Score(blue, orange, 0, goals)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan
