"""Collector, advantages and update together learn a game whose best reward is known."""

import numpy as np
import torch

from tests.trainer.turn_toward_ball import TurnTowardBall, estimate, small_model
from trainer.collector import collect
from trainer.config_ppo import PPOConfig
from trainer.graphs import Steps
from trainer.optimizers import Learnable, make_optimizers
from trainer.policy import TorchPolicy
from trainer.ppo import update
from trainer.rollout import Rollout
from trainer.rollout_tensors import tensors_of
from trainer.schedules import coefficients

NUM_STEPS, NUM_AGENTS, ITERATIONS = 64, 64, 12
CONFIG = PPOConfig(epochs=4, batch_size=1024, minibatch_size=1024, learning_rate=0.003)


def test_cars_learn_to_turn_toward_the_ball() -> None:
    rewards = rewards_while_learning(seed=0)
    # Cars start uniformly within 2.8 rad of the ball and turn by 0.4 rad. The best policy needs
    # 3.5 of 20 decisions on average to face it and then loses at most 1 − cos 0.2 = 0.02 a
    # decision: about 0.9. Chance leaves a car where it started: mean cos = sin 2.8 / 2.8 = 0.12.
    assert rewards[0] < 0.3
    assert rewards[-1] > 0.85


def rewards_while_learning(seed: int) -> list[float]:
    """Mean reward of each iteration's rollout."""
    rng = np.random.default_rng(seed)
    env = TurnTowardBall(NUM_AGENTS, rng)
    model = small_model(seed)
    policy = TorchPolicy(model, torch.device("cpu"))
    steps = Steps(Learnable(model, make_optimizers(model, CONFIG), {}))
    rollout = Rollout.allocate(NUM_STEPS, NUM_AGENTS, env.obs_width, env.num_actions)
    learned_from = tensors_of(rollout)
    rewards = []
    for _ in range(ITERATIONS):
        collect(env, policy, rollout, rng, lambda: None)
        rewards.append(float(rollout.rewards.mean()))
        advantages, targets = estimate(learned_from)
        now = coefficients(CONFIG, 0, 1)
        update(steps, learned_from, advantages, targets, CONFIG, now, rng, lambda: None)
    return rewards
