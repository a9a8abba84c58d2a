"""Tensors over a rollout's arrays."""

import torch

from trainer.rollout import Rollout, rollout_plans
from trainer.rollout_tensors import RolloutTensors, tensors_of

ROLLOUT = Rollout.allocate(num_steps=3, num_agents=4, obs_width=5, num_actions=6)


def test_tensors_have_every_array_of_a_rollout_by_its_name() -> None:
    assert list(RolloutTensors._fields) == list(rollout_plans(3, 4, 5, 6))
    assert tensors_of(ROLLOUT).masks.shape == (3, 4, 6)


def test_tensors_lie_in_the_rollouts_own_memory() -> None:
    tensors = tensors_of(ROLLOUT)
    ROLLOUT.rewards[1, 2] = 7
    assert tensors.rewards[1, 2] == 7
    assert tensors.to(torch.device("cpu")).rewards.data_ptr() == tensors.rewards.data_ptr()
