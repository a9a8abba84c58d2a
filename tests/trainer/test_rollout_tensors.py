"""Tensors over a rollout's arrays."""

import numpy as np
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


def test_next_values_are_those_that_arrays_would_have() -> None:
    rng = np.random.default_rng(0)
    rollout = Rollout.allocate(num_steps=6, num_agents=5, obs_width=2, num_actions=3)
    rollout.values[:] = rng.random((6, 5))
    rollout.truncated[:] = rng.random((6, 5)) < 0.3
    last = rng.random(5, dtype=np.float32)
    final = rng.random(int(rollout.truncated.sum()), dtype=np.float32)
    tensors = RolloutTensors(*(field.clone() for field in tensors_of(rollout)))
    tensors.bootstrap(torch.from_numpy(last), torch.from_numpy(final))
    rollout.bootstrap(last, final)
    np.testing.assert_array_equal(tensors.next_values, rollout.next_values)


def test_columns_are_the_same_memory() -> None:
    tensors = tensors_of(ROLLOUT)
    tensors.of_agents(1, 3).values[:] = 5
    assert tensors.values[0].tolist() == [0, 5, 5, 0]
