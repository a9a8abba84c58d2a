"""What results come to: a record for every pairing, what each contestant did, who ranks first.

Points are 1 for a win, 0.5 for a draw. Knows no files. Tested by
`tests/trainer/evaluation/test_standings.py`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rlbot_agent.field import TICKS_PER_SECOND
from rlbot_agent.modes import teams_of
from trainer.evaluation.engine import Game, Result
from trainer.evaluation.intervals import Interval, normal_mean, wilson
from trainer.evaluation.protocol import Criterion
from trainer.evaluation.tally import Side

PER_MINUTE: Final = ("goals", "shots", "saves")
"""Of the side."""
PER_CAR_MINUTE: Final = ("touches", "demos", "pickups")
PER_MINUTE_OF_CAR: Final = ("boost_used", "boost_collected")
"""Already means over the cars."""


@dataclass(frozen=True)
class Played:
    """A game and how it went."""

    mode: str
    game: Game
    result: Result


@dataclass(frozen=True)
class Record:
    """What one contestant made of its games against another, or of all."""

    wins: int
    draws: int
    losses: int
    scored: int
    conceded: int
    points: Interval
    """Per game, `wilson`."""
    goal_difference: Interval
    """Per game, `normal_mean` over the starts, both games of a start being one value."""

    @property
    def games(self) -> int:
        """How many."""
        return self.wins + self.draws + self.losses

    @property
    def total_points(self) -> float:
        """1 for a win, 0.5 for a draw."""
        return self.wins + self.draws / 2


@dataclass(frozen=True)
class Habits:
    """What a contestant does, over all its games."""

    values: dict[str, float]
    """`goals`, `shots`, `saves` a minute; `touches`, `demos`, `pickups`, `boost_used` (100 is a
    tank) and `boost_collected` a minute of each car; `possession` 0 to 1; `speed` uu/s."""
    rewards: dict[str, float]
    """Mean of every reward in a decision of a car, unweighted."""
    ends: dict[str, float]
    """Rallies a minute that ended by goal, by neglect, by broken physics."""


def record_of(played: Sequence[Played], who: int, opponent: int | None = None) -> Record:
    """What `who` made of its games against `opponent`, or of all when there is none."""
    met = [each for each in played if _meets(each.game, who, opponent)]
    goals = [_goals(each, who) for each in met]
    wins = sum(ours > theirs for ours, theirs in goals)
    draws = sum(ours == theirs for ours, theirs in goals)
    by_start: dict[object, list[int]] = {}
    for each, (ours, theirs) in zip(met, goals, strict=True):
        game = each.game
        key = (each.mode, game.start, frozenset((game.blue, game.orange)))
        by_start.setdefault(key, []).append(ours - theirs)
    return Record(
        wins=wins,
        draws=draws,
        losses=len(met) - wins - draws,
        scored=sum(ours for ours, _ in goals),
        conceded=sum(theirs for _, theirs in goals),
        points=wilson(wins + draws / 2, len(met)),
        goal_difference=normal_mean([sum(found) / len(found) for found in by_start.values()]),
    )


def habits_of(played: Sequence[Played], who: int, tick_skip: int) -> Habits:
    """What `who` does; it must have played."""
    minutes_of_decision = tick_skip / TICKS_PER_SECOND / 60
    sides = [(side, each) for each in played for side in _sides_of(each, who)]
    decisions = [each.result.decisions for _, each in sides]
    minutes = sum(decisions) * minutes_of_decision
    cars = [_cars(each.mode, side is each.result.orange) for side, each in sides]
    car_minutes = minutes_of_decision * sum(c * d for c, d in zip(cars, decisions, strict=True))

    def total(value: Callable[[Side], float]) -> float:
        return sum(value(side) for side, _ in sides)

    def mean(value: Callable[[Side], float]) -> float:
        weighed = (value(side) * each.result.decisions for side, each in sides)
        return sum(weighed) / sum(decisions)

    values = {name: total(_reading(name)) / minutes for name in PER_MINUTE}
    values |= {name: total(_reading(name)) / car_minutes for name in PER_CAR_MINUTE}
    values |= {name: total(_reading(name)) / minutes for name in PER_MINUTE_OF_CAR}
    values |= {name: mean(_reading(name)) for name in ("possession", "speed")}
    rewards = {name: mean(_paying(name)) for name in sides[0][0].rewards}
    causes = sides[0][1].result.ends
    ends = {name: sum(each.result.ends[name] for _, each in sides) / minutes for name in causes}
    return Habits(values, rewards, ends)


def ranked(
    records: Mapping[int, Record], steps: Mapping[int, int], order: Iterable[Criterion]
) -> list[int]:
    """The candidates, best first; those that are alike in all of `order` as they are numbered.

    Args:
        records: Of each candidate, over all its games.
        steps: Of training behind each.
        order: What counts, first to last.
    """
    by: dict[Criterion, Callable[[int], float]] = {
        "points": lambda number: -records[number].total_points,
        "goal_difference": lambda number: records[number].conceded - records[number].scored,
        "earliest": lambda number: steps[number],
    }
    criteria = tuple(order)
    return sorted(records, key=lambda number: tuple(by[name](number) for name in criteria))


def _meets(game: Game, who: int, opponent: int | None) -> bool:
    sides = {game.blue, game.orange}
    if opponent is None or opponent == who:
        return who in sides and (opponent is None or sides == {who})
    return sides == {who, opponent}


def _goals(each: Played, who: int) -> tuple[int, int]:
    """Goals of `who`, and against it."""
    blue, orange = each.result.blue.goals, each.result.orange.goals
    return (blue, orange) if each.game.blue == who else (orange, blue)


def _sides_of(each: Played, who: int) -> list[Side]:
    """What `who` did: one side, or both when it plays itself."""
    sides = ((each.game.blue, each.result.blue), (each.game.orange, each.result.orange))
    return [side for number, side in sides if number == who]


def _cars(mode: str, team: int) -> int:
    return teams_of(mode).count(team)


def _reading(name: str) -> Callable[[Side], float]:
    return lambda side: float(getattr(side, name))


def _paying(name: str) -> Callable[[Side], float]:
    return lambda side: side.rewards[name]
