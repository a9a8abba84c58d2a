"""Running sums of what the agents do and earn, for the metrics of an iteration.

A few array operations a decision; names and units are worked out when somebody asks. Knows no
simulator. Tested by `tests/trainer/test_game_metrics.py`. Axes: B arenas, P cars, K rewards.
"""

import math
from copy import copy
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import TICKS_PER_SECOND
from rlbot_agent.state import GameState
from trainer.episodes import Cause, Causes
from trainer.events import Events

Array = npt.NDArray[np.float32]


@dataclass
class _Sums:
    """What was counted; all of it adds up over arenas of any size."""

    rewards: npt.NDArray[np.float64]
    """(K,) of the unweighted values."""
    sizes: npt.NDArray[np.float64]
    """(K,) of their absolute values."""
    ends: npt.NDArray[np.int64]
    """By cause: episodes."""
    end_steps: npt.NDArray[np.int64]
    """By cause: their decisions."""
    arena_steps: int = 0
    car_steps: int = 0
    touches: int = 0
    goals: int = 0
    total: float = 0.0
    speed: float = 0.0
    boost: float = 0.0
    on_ground: float = 0.0


def _nothing(num_rewards: int) -> _Sums:
    rewards, causes = np.zeros((2, num_rewards)), np.zeros((2, len(Cause)), np.int64)
    return _Sums(rewards[0], rewards[1], causes[0], causes[1])


class GameMetrics:
    """What happened since the last `cut`."""

    def __init__(self, reward_names: tuple[str, ...], weights: Array, tick_skip: int) -> None:
        """Nothing yet; K rewards with `weights` (K,), and decisions of `tick_skip` ticks."""
        self._names, self._weights = reward_names, weights
        self._decision_s = tick_skip / TICKS_PER_SECOND
        self._sums = _nothing(len(reward_names))

    def add_rewards(self, values: Array, total: Array) -> None:
        """Count unweighted `values` (K, B, P) and their weighted sum `total`, of any shape."""
        self._sums.rewards += values.sum(axis=(1, 2))
        self._sums.sizes += np.abs(values).sum(axis=(1, 2))
        self._sums.total += float(total.sum())

    def add_play(self, state: GameState, events: Events) -> None:
        """Count a decision that led to `state`."""
        self._sums.arena_steps += state.num_arenas
        self._sums.car_steps += state.num_arenas * state.num_cars
        self._sums.touches += int(np.count_nonzero(events.touched))
        self._sums.goals += int(np.count_nonzero(events.goal))
        squares = np.einsum("bpk,bpk->bp", state.velocity, state.velocity)
        self._sums.speed += float(np.sqrt(squares).sum())
        self._sums.boost += float(state.boost.sum())
        self._sums.on_ground += float(state.on_ground.sum())

    def add_ends(self, ages: npt.NDArray[np.integer[Any]], causes: Causes) -> None:
        """Count M episodes that ended after `ages` decisions by `causes`; (M,) each."""
        np.add.at(self._sums.ends, causes, 1)
        np.add.at(self._sums.end_steps, causes, ages)

    def absorb(self, other: "GameMetrics") -> None:
        """Count what `other` counted of the same rewards in decisions as long; it starts anew."""
        for field in fields(_Sums):
            ours, theirs = (getattr(metrics._sums, field.name) for metrics in (self, other))
            setattr(self._sums, field.name, ours + theirs)
        other._sums = _nothing(len(self._names))

    def cut(self) -> "GameMetrics":
        """What was counted until now, on its own; here counting starts anew."""
        counted = copy(self)
        self._sums = _nothing(len(self._names))
        return counted

    def measure(self) -> dict[str, float]:
        """The metrics of what was counted; NaN without anything to measure.

        A touch is a decision in which a car touched the ball. `Game/touches_per_minute` is per car,
        `Game/goals_per_minute` per arena, both in game time. Demolished cars count in all means.
        `Reward/<name>` is the mean without the weight, `Reward/<name>_share` how much of all that
        is paid and fined comes from it (0 to 1), and `Reward/total` the mean of the weighted sums
        before the cars share them: taking from the opponents would hide it.
        The four `Game/ended_by_…` add up to `Collect/episodes`.
        """
        # share = |weight| · sum |value|, divided by the sum of that over all rewards
        moved = np.abs(self._weights) * self._sums.sizes
        arena_minutes = self._sums.arena_steps * self._decision_s / 60
        car_minutes = self._sums.car_steps * self._decision_s / 60
        episodes = int(self._sums.ends.sum())
        truncated = episodes - int(self._sums.ends[Cause.GOAL])
        metrics = {
            f"Reward/{name}": _ratio(float(value), self._sums.car_steps)
            for name, value in zip(self._names, self._sums.rewards, strict=True)
        }
        metrics |= {
            f"Reward/{name}_share": _ratio(float(amount), float(moved.sum()))
            for name, amount in zip(self._names, moved, strict=True)
        }
        metrics |= {
            "Reward/total": _ratio(self._sums.total, self._sums.car_steps),
            "Game/touches_per_minute": _ratio(self._sums.touches, car_minutes),
            "Game/goals_per_minute": _ratio(self._sums.goals, arena_minutes),
            "Game/episode_length_s": self._decision_s
            * _ratio(int(self._sums.end_steps.sum()), episodes),
            "Game/speed": _ratio(self._sums.speed, self._sums.car_steps),
            "Game/in_air": 1 - _ratio(self._sums.on_ground, self._sums.car_steps),
            "Game/boost": _ratio(self._sums.boost, self._sums.car_steps),
            "Game/truncated_share": _ratio(truncated, episodes),
            "Collect/episodes": episodes,
        }
        return metrics | self._ends_by_cause()

    def _ends_by_cause(self) -> dict[str, float]:
        """How many episodes each cause ended, and their mean length in seconds."""
        metrics: dict[str, float] = {}
        for cause in (cause for cause in Cause if cause != Cause.NONE):
            ends, steps = int(self._sums.ends[cause]), int(self._sums.end_steps[cause])
            name = f"Game/ended_by_{cause.name.lower()}"
            metrics |= {name: ends, f"{name}_length_s": self._decision_s * _ratio(steps, ends)}
        return metrics


def _ratio(amount: float, of: float) -> float:
    return amount / of if of else math.nan
