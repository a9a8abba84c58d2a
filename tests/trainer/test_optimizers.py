import math

import pytest
import torch
from torch.optim import AdamW, Muon

from tests.trainer.test_ppo import Learning
from trainer.config import NetworksConfig
from trainer.config_ppo import PPOConfig
from trainer.networks import ActorCritic
from trainer.optimizers import (
    Learnable,
    finish_gradients,
    hidden_matrices,
    make_anchors,
    make_optimizers,
    set_rates,
)
from trainer.schedules import Coefficients

SHARED = NetworksConfig(shared=(6, 4), actor=(8, 5), critic=(9,), norm="layer_norm")


def make_model() -> ActorCritic:
    torch.manual_seed(0)
    return ActorCritic(3, 7, SHARED)


def test_muon_takes_the_hidden_matrices_and_adamw_the_rest() -> None:
    model = make_model()
    optimizers = make_optimizers(model, PPOConfig(optimizer="muon", weight_decay=0.25))
    names = ["shared", "shared.muon", "actor", "actor.muon", "critic", "critic.muon"]
    assert list(optimizers) == names
    shapes = [tuple(matrix.shape) for matrix in hidden_matrices(model.actor)]
    # Not 7 x 5, the output layer's.
    assert shapes == [(8, 4), (5, 8)]
    seen: list[int] = []
    for name, optimizer in optimizers.items():
        assert isinstance(optimizer, Muon if name.endswith("muon") else AdamW)
        (group,) = optimizer.param_groups
        assert group["weight_decay"] == 0.25
        seen += [id(parameter) for parameter in group["params"]]
    assert sorted(seen) == sorted(id(parameter) for parameter in model.parameters())


def test_adamw_alone_takes_everything() -> None:
    model = make_model()
    optimizers = make_optimizers(model, PPOConfig())
    assert list(optimizers) == ["shared", "actor", "critic"]


def test_a_step_of_muon_turns_a_matrix_in_all_directions_alike() -> None:
    matrix = torch.nn.Parameter(torch.zeros(4, 6))
    muon = Muon([matrix], lr=0.1, weight_decay=0, adjust_lr_fn="match_rms_adamw")
    # A gradient that acts 100 times more in one direction than in another.
    matrix.grad = torch.zeros(4, 6)
    matrix.grad[0, 0], matrix.grad[1, 1] = 100, 1
    muon.step()
    sizes = torch.linalg.svdvals(matrix.detach())[:2]
    assert float(sizes[0] / sizes[1]) < 2


def test_a_shared_head_takes_the_lower_of_both_rates() -> None:
    optimizers = make_optimizers(make_model(), PPOConfig(optimizer="muon"))
    set_rates(optimizers, Coefficients(0.25, 0.125, 0.01, 0.2))
    rates = {name: optimizer.param_groups[0]["lr"] for name, optimizer in optimizers.items()}
    assert rates == {
        "shared": 0.125,
        "shared.muon": 0.125,
        "actor": 0.25,
        "actor.muon": 0.25,
        "critic": 0.125,
        "critic.muon": 0.125,
    }


def test_regeneration_adds_the_gradient_of_the_squared_distance_from_the_start() -> None:
    model = make_model()
    config = PPOConfig(regeneration=0.5, max_grad_norm=1e9)
    anchors = make_anchors(model, config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.25)
            parameter.grad = torch.full_like(parameter, 3)
    finish_gradients(Learnable(model, {}, anchors), config)
    # 3 + 2 · 0.5 · 0.25
    for parameter in model.parameters():
        assert parameter.grad is not None
        torch.testing.assert_close(parameter.grad, torch.full_like(parameter, 3.25))


def test_without_regeneration_nothing_is_kept_or_pulled() -> None:
    assert make_anchors(make_model(), PPOConfig()) == {}


def test_regeneration_keeps_weights_closer_to_where_they_began() -> None:
    distances = []
    for regeneration in (0.0, 1.0):
        learning = Learning(learning_rate=0.01, epochs=10, regeneration=regeneration)
        start = make_anchors(learning.model, PPOConfig(regeneration=1))
        learning.update()
        moved = [
            float((parameter - start[name]).detach().square().sum())
            for name, parameter in learning.model.named_parameters()
        ]
        distances.append(math.sqrt(sum(moved)))
    assert distances[1] < distances[0] / 2


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_either_optimizer_makes_a_good_action_likelier(optimizer: str) -> None:
    learning = Learning(learning_rate=0.003, epochs=20, entropy_coef=0, optimizer=optimizer)
    chosen = learning.rollout.actions == 0
    learning.advantages = torch.from_numpy(chosen).float()
    learning.update()
    obs, masks = torch.from_numpy(learning.rollout.obs), torch.from_numpy(learning.rollout.masks)
    with torch.no_grad():
        logits = learning.model(obs.flatten(0, 1))[0].masked_fill(~masks.flatten(0, 1), -1e9)
    assert float(logits.softmax(-1)[:, 0].mean()) > chosen.mean() + 0.1
