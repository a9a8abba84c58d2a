"""What each side of B games did, counted decision by decision.

Words, for one side in one decision:

- touch: a car of the side touched the ball.
- shot: the side touched the ball, which is on its way into the opponents' goal after it
  (`shots.py`) and was not before. Dribbling it on is no second shot.
- save: the side touched the ball, which was on its way into its own goal before it and is not
  after it, nor in the goal.
- possession: the side was the last to touch the ball since the last kickoff, and alone in that
  decision.
- boost collected: what a car gained in a decision in which it took a pad; what it burnt in it
  counts against it. Boost used: what a car lost in any decision. Neither counts what a respawn
  gives.

Knows no policy and no simulator. Tested by `tests/trainer/evaluation/test_tally.py`. Axes: B
games, P cars of a game, 2 sides (blue, orange).
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import BLUE, ORANGE
from rlbot_agent.state import GameState
from trainer.evaluation.shots import is_on_target
from trainer.events import Events
from trainer.rewards import REWARDS

Sums = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

SIDES: Final = (BLUE, ORANGE)
ATTACKS: Final = (1, -1)
"""Sign of y of the goal that each side shoots at."""
COUNTS: Final = ("goals", "shots", "saves", "touches", "demos", "pickups")
AMOUNTS: Final = ("possession", "speed", "boost_used", "boost_collected")


@dataclass(frozen=True)
class Side:
    """What one side did in one game."""

    goals: int
    """Scored."""
    shots: int
    saves: int
    touches: int
    """Decisions of cars."""
    demos: int
    """Opponents demolished."""
    pickups: int
    """Boost pads taken."""
    possession: float
    """Share of the game, 0 to 1."""
    speed: float
    """uu/s, mean over cars and decisions; demolished cars count."""
    boost_used: float
    """0 to 100 is a tank; mean over cars, of the whole game."""
    boost_collected: float
    """Likewise."""
    rewards: dict[str, float]
    """Of every reward by name: mean over cars and decisions, unweighted."""


class Tally:
    """Sums over B games with the same cars."""

    def __init__(self, num_games: int, teams: tuple[int, ...]) -> None:
        """Nothing yet."""
        team = np.array(teams)
        self._cars: Sums = (team[:, None] == np.array(SIDES)).astype(np.float64)
        """(P, 2) 1 where a car is of a side."""
        shape = (num_games, len(SIDES))
        self._sums = {name: np.zeros(shape) for name in (*COUNTS, *AMOUNTS)}
        self._rewards = np.zeros((len(REWARDS), *shape))
        self._owner: Flags = np.zeros(shape, np.bool_)
        """Who has the ball."""

    def add(self, before: GameState, state: GameState, events: Events, playing: Flags) -> None:
        """Count a decision from `before` to `state` of the games that are still `playing` (B,)."""
        touching = events.touched @ self._cars > 0
        self._own(touching)
        boost = np.float64(state.boost) - before.boost
        # A demolished car comes back with boost that nobody collected.
        boost[(before.demo_timer > 0) | (state.demo_timer > 0)] = 0
        found = {
            "goals": np.stack([events.goal == sign for sign in ATTACKS], axis=1),
            **_shots_and_saves(before, state, events, touching),
            "touches": events.touched @ self._cars,
            "demos": events.demos @ self._cars,
            "pickups": events.pickups @ self._cars,
            "possession": self._owner,
            "speed": self._mean(np.linalg.norm(state.velocity.astype(np.float64), axis=-1)),
            "boost_used": self._mean(np.maximum(-boost, 0)),
            "boost_collected": self._mean(np.maximum(boost, 0) * (events.pickups > 0)),
        }
        for name, values in found.items():
            self._sums[name] += values * playing[:, None]
        for sums, reward in zip(self._rewards, REWARDS.values(), strict=True):
            sums += self._mean(reward(state, before, events)) * playing[:, None]

    def kick_off(self, games: npt.NDArray[np.integer[Any]]) -> None:
        """Nobody has the ball in `games` (M,)."""
        self._owner[games] = False

    def side(self, game: int, side: int, decisions: int) -> Side:
        """What `side` did in `game`, which lasted so many decisions."""
        counts = {name: int(self._sums[name][game, side]) for name in COUNTS}
        amounts: dict[str, Any] = {name: float(self._sums[name][game, side]) for name in AMOUNTS}
        for name in ("possession", "speed"):
            amounts[name] /= decisions
        means = (self._rewards[:, game, side] / decisions).tolist()
        return Side(**counts, **amounts, rewards=dict(zip(REWARDS, means, strict=True)))

    def _own(self, touching: Flags) -> None:
        """A side that touches the ball alone has it from then on; both at once change nothing."""
        alone = touching.sum(axis=1) == 1
        self._owner[alone] = touching[alone]

    def _mean(self, values: npt.NDArray[Any]) -> Sums:
        """(B, 2) means over the cars of each side of (B, P) `values`."""
        means: Sums = values.astype(np.float64) @ self._cars / np.maximum(self._cars.sum(axis=0), 1)
        return means


def _shots_and_saves(
    before: GameState, state: GameState, events: Events, touching: Flags
) -> dict[str, Flags]:
    """(B, 2) who shot and who saved."""
    shots, saves = np.zeros((2, *touching.shape), np.bool_)
    games = np.flatnonzero(touching.any(axis=1))
    if len(games):
        was, is_now = (
            np.stack([is_on_target(*_ball(at, games), sign) for sign in ATTACKS], axis=1)
            for at in (before, state)
        )
        scored = np.stack([events.goal[games] == sign for sign in ATTACKS], axis=1)
        shots[games] = touching[games] & (is_now | scored) & ~was
        # The goal that a side keeps is the one that the other side shoots at.
        saves[games] = touching[games] & (was & ~is_now & ~scored)[:, ::-1]
    return {"shots": shots, "saves": saves}


def _ball(state: GameState, games: npt.NDArray[np.int64]) -> tuple[Sums, Sums]:
    """(M, 3) place and velocity of the ball in `games` (M,)."""
    position, velocity = state.ball_position[games], state.ball_velocity[games]
    return position.astype(np.float64), velocity.astype(np.float64)
