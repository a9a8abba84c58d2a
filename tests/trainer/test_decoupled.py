import math

import pytest
import torch

from tests.trainer.tiny_runs import log_probs_of
from trainer.config import NetworksConfig
from trainer.decoupled import decouple
from trainer.networks import ActorCritic
from trainer.rollout import Rollout
from trainer.rollout_tensors import RolloutTensors, tensors_of


def played(model: ActorCritic) -> RolloutTensors:
    """Actions that the masks allow, with the log-probabilities that `model` gives them."""
    torch.manual_seed(1)
    tensors = tensors_of(Rollout.allocate(3, 2, 4, 5))
    tensors.obs.normal_()
    tensors.masks[:] = torch.rand(3, 2, 5) < 0.7
    tensors.actions[:] = torch.randint(5, (3, 2))
    tensors.masks.scatter_(-1, tensors.actions.unsqueeze(-1), value=True)
    tensors.log_probs[:] = log_probs_of(model, tensors)
    return tensors


@pytest.fixture
def model() -> ActorCritic:
    torch.manual_seed(0)
    return ActorCritic(4, 5, NetworksConfig(shared=(6,), actor=(6,), critic=(6,)))


@pytest.mark.parametrize("most", [1, 4, 6, 100])
def test_a_row_weighs_what_the_start_would_choose_it_more_often_by(
    model: ActorCritic, most: int
) -> None:
    tensors = played(model)
    start = tensors.log_probs.clone()
    # Who played chose these twice as seldom, as often, and four times as often.
    tensors.log_probs.add_(torch.tensor([-math.log(2), 0.0, math.log(4)]).unsqueeze(-1))
    weights = decouple(model, tensors, most)
    torch.testing.assert_close(weights, torch.tensor([[2.0, 2.0], [1.0, 1.0], [0.25, 0.25]]))
    torch.testing.assert_close(tensors.log_probs, start)
    assert not weights.requires_grad


def test_no_row_outvotes_all_others(model: ActorCritic) -> None:
    tensors = played(model)
    tensors.log_probs.sub_(50.0)
    assert decouple(model, tensors, 6).tolist() == [[2.0, 2.0]] * 3
