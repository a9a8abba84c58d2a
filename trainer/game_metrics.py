"""Running sums of what the agents do and earn, for the metrics of an iteration.

A few array operations a decision; names and units are worked out when somebody asks. Knows no
simulator. Tested by `tests/trainer/test_game_metrics.py`. Axes: B arenas, P cars, K rewards.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import TICKS_PER_SECOND
from rlbot_agent.state import GameState
from trainer.episodes import Cause, Causes
from trainer.events import Events

Array = npt.NDArray[np.float32]


class GameMetrics:
    """What happened since the last `take`."""

    def __init__(self, reward_names: tuple[str, ...], weights: Array, tick_skip: int) -> None:
        """Nothing yet; K rewards with `weights` (K,), and decisions of `tick_skip` ticks."""
        self._names, self._weights = reward_names, weights
        self._decision_s = tick_skip / TICKS_PER_SECOND
        self._clear()

    def _clear(self) -> None:
        self._rewards = np.zeros(len(self._names))
        self._sizes = np.zeros(len(self._names))
        self._arena_steps = self._car_steps = 0
        self._total = self._speed = self._boost = self._on_ground = 0.0
        self._touches = self._goals = 0
        self._ends = np.zeros(len(Cause), np.int64)
        """By cause: episodes."""
        self._end_steps = np.zeros(len(Cause), np.int64)
        """By cause: their decisions."""

    def add_rewards(self, values: Array, total: Array) -> None:
        """Count unweighted `values` (K, B, P) and their weighted sum `total`, of any shape."""
        self._rewards += values.sum(axis=(1, 2))
        self._sizes += np.abs(values).sum(axis=(1, 2))
        self._total += float(total.sum())

    def add_play(self, state: GameState, events: Events) -> None:
        """Count a decision that led to `state`."""
        self._arena_steps += state.num_arenas
        self._car_steps += state.num_arenas * state.num_cars
        self._touches += int(np.count_nonzero(events.touched))
        self._goals += int(np.count_nonzero(events.goal))
        squares = np.einsum("bpk,bpk->bp", state.velocity, state.velocity)
        self._speed += float(np.sqrt(squares).sum())
        self._boost += float(state.boost.sum())
        self._on_ground += float(state.on_ground.sum())

    def add_ends(self, ages: npt.NDArray[np.integer[Any]], causes: Causes) -> None:
        """Count M episodes that ended after `ages` decisions by `causes`; (M,) each."""
        np.add.at(self._ends, causes, 1)
        np.add.at(self._end_steps, causes, ages)

    def take(self) -> dict[str, float]:
        """The metrics since the last call, which then start anew; NaN without anything to measure.

        A touch is a decision in which a car touched the ball. `Game/touches_per_minute` is per car,
        `Game/goals_per_minute` per arena, both in game time. Demolished cars count in all means.
        `Reward/<name>` is the mean without the weight, `Reward/<name>_share` how much of all that
        is paid and fined comes from it (0 to 1), and `Reward/total` the mean of the weighted sums
        before the cars share them: taking from the opponents would hide it.
        The four `Game/ended_by_…` add up to `Collect/episodes`.
        """
        # share = |weight| · sum |value|, divided by the sum of that over all rewards
        moved = np.abs(self._weights) * self._sizes
        arena_minutes = self._arena_steps * self._decision_s / 60
        car_minutes = self._car_steps * self._decision_s / 60
        episodes = int(self._ends.sum())
        truncated = episodes - int(self._ends[Cause.GOAL])
        metrics = {
            f"Reward/{name}": _ratio(float(value), self._car_steps)
            for name, value in zip(self._names, self._rewards, strict=True)
        }
        metrics |= {
            f"Reward/{name}_share": _ratio(float(amount), float(moved.sum()))
            for name, amount in zip(self._names, moved, strict=True)
        }
        metrics |= {
            "Reward/total": _ratio(self._total, self._car_steps),
            "Game/touches_per_minute": _ratio(self._touches, car_minutes),
            "Game/goals_per_minute": _ratio(self._goals, arena_minutes),
            "Game/episode_length_s": self._decision_s
            * _ratio(int(self._end_steps.sum()), episodes),
            "Game/speed": _ratio(self._speed, self._car_steps),
            "Game/in_air": 1 - _ratio(self._on_ground, self._car_steps),
            "Game/boost": _ratio(self._boost, self._car_steps),
            "Game/truncated_share": _ratio(truncated, episodes),
            "Collect/episodes": episodes,
        }
        metrics |= self._ends_by_cause()
        self._clear()
        return metrics

    def _ends_by_cause(self) -> dict[str, float]:
        """How many episodes each cause ended, and their mean length in seconds."""
        metrics: dict[str, float] = {}
        for cause in (cause for cause in Cause if cause != Cause.NONE):
            ends, steps = int(self._ends[cause]), int(self._end_steps[cause])
            name = f"Game/ended_by_{cause.name.lower()}"
            metrics |= {name: ends, f"{name}_length_s": self._decision_s * _ratio(steps, ends)}
        return metrics


def _ratio(amount: float, of: float) -> float:
    return amount / of if of else math.nan
