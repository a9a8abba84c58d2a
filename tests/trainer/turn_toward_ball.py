"""A game so small that PPO masters it in seconds: cars that cannot drive, only turn to the ball.

It has all that `collect` uses: masks, episodes that terminate, episodes that are truncated.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from trainer.config import NetworksConfig
from trainer.gae import compute_gae
from trainer.networks import ActorCritic
from trainer.rollout_tensors import RolloutTensors

TURNS = np.array([0.4, 0.0, -0.4, np.nan])
"""Radians of left, straight, right, and of an action that the masks never allow."""
FACING_AWAY = 3.0
"""Radians from the ball at which the game is lost."""
EPISODE_STEPS = 20


class Outcome(NamedTuple):
    """What one decision led to."""

    rewards: npt.NDArray[np.float32]
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    final_obs: npt.NDArray[np.float32]


class TurnTowardBall:
    """`num_agents` cars; the reward is the cosine between nose and ball, after the turn."""

    obs_width = 2
    num_actions = 4

    def __init__(self, num_agents: int, rng: np.random.Generator) -> None:
        """Turn every car somewhere."""
        self._rng = rng
        self._angles = self._draw(num_agents)
        self._ages = rng.integers(0, EPISODE_STEPS, num_agents)
        self.masks = np.tile(np.array([True, True, True, False]), (num_agents, 1))

    @property
    def obs(self) -> npt.NDArray[np.float32]:
        """(N, 2) where the ball is, seen from the nose."""
        seen = (np.cos(self._angles), np.sin(self._angles))
        return np.array(seen, np.float32).T

    def step(self, actions: npt.NDArray[np.int64]) -> Outcome:
        """Turn every car; episodes that end begin anew."""
        self._angles = self._angles - TURNS[actions]
        self._ages = self._ages + 1
        lost = np.abs(self._angles) > FACING_AWAY
        cut = (self._ages >= EPISODE_STEPS) & ~lost
        outcome = Outcome(np.cos(self._angles).astype(np.float32), lost, cut, self.obs)
        ended = lost | cut
        self._angles[ended] = self._draw(int(ended.sum()))
        self._ages[ended] = 0
        return outcome

    def _draw(self, count: int) -> npt.NDArray[np.float64]:
        return self._rng.uniform(-2.8, 2.8, count)


def small_model(seed: int, shared: tuple[int, ...] = ()) -> ActorCritic:
    """Networks for the game."""
    torch.manual_seed(seed)
    sizes = NetworksConfig(shared=shared, actor=(32, 32), critic=(32, 32))
    return ActorCritic(TurnTowardBall.obs_width, TurnTowardBall.num_actions, sizes)


def estimate(rollout: RolloutTensors) -> tuple[Tensor, Tensor]:
    """Advantages and value targets, for a horizon of about ten decisions."""
    return compute_gae(
        rollout.rewards,
        rollout.values,
        rollout.next_values,
        rollout.terminated,
        rollout.truncated,
        gamma=0.9,
        gae_lambda=0.95,
    )
