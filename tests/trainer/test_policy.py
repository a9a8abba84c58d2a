import math

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.trainer.turn_toward_ball import TurnTowardBall, small_model
from trainer.collector import collect
from trainer.config import NetworksConfig
from trainer.networks import ActorCritic
from trainer.policy import PolicyError, TorchPolicy
from trainer.rollout import Rollout
from trainer.sampling import chosen, entropies, masked_log_probs, probabilities, sample

CPU = torch.device("cpu")
ALMOST_ONE = 1 - 2**-24
"""The largest number that a float32 generator draws."""


def possible(*masks: bool) -> Tensor:
    return torch.tensor([masks])


def policy_of_logits(logits: list[float]) -> TorchPolicy:
    """A policy that says the same to any observation of 3 finite numbers, and values it 0."""
    model = ActorCritic(3, len(logits), NetworksConfig(actor=(4,), critic=(4,)))
    for parameter in model.parameters():
        torch.nn.init.zeros_(parameter)
    with torch.no_grad():
        model.actor.layers[-1].bias.copy_(torch.tensor(logits))  # type: ignore[operator]
    return TorchPolicy(model, CPU)


def test_a_draw_is_the_first_action_whose_cumulative_probability_exceeds_the_number() -> None:
    # Cumulative: 0.25, 0.5, 0.5 (impossible), 1.
    log_probs = torch.tensor([[0.25, 0.25, 0.0, 0.5]]).log().clamp(min=-1e30)
    numbers = [0.0, 0.2499, 0.25, 0.4999, 0.5, 0.75, ALMOST_ONE]
    drawn = sample(log_probs.expand(len(numbers), 4), torch.tensor(numbers))
    assert drawn.tolist() == [0, 0, 1, 1, 3, 3, 3]


def test_actions_are_drawn_as_often_as_their_probability_says() -> None:
    # e^0, e^1, e^2 over their sum 11.1073; the last is masked whatever its logit.
    policy = policy_of_logits([0.0, 1.0, 2.0, 9.0])
    masks = np.tile(np.array([True, True, True, False]), (100_000, 1))
    decision = policy.act(np.zeros((100_000, 3), np.float32), masks, np.random.default_rng(1))
    shares = np.bincount(decision.actions, minlength=4) / 100_000
    # Four standard deviations of a share are at most 4·√(0.25 / 100,000) = 0.0063.
    assert shares.tolist() == pytest.approx([0.0900, 0.2447, 0.6652, 0], abs=0.0063)
    assert decision.log_probs[decision.actions == 2][0] == pytest.approx(
        math.log(0.66524), abs=1e-4
    )


@pytest.mark.parametrize("uniform", [0.0, 0.5, ALMOST_ONE, 1.0])
def test_the_one_possible_action_of_1400_is_always_drawn(uniform: float) -> None:
    torch.manual_seed(0)
    masks = torch.eye(1400, dtype=torch.bool)
    log_probs = masked_log_probs(30 * torch.randn(1400, 1400), masks)
    drawn = sample(log_probs, torch.full((1400,), uniform))
    assert drawn.tolist() == list(range(1400))
    assert chosen(log_probs, drawn).tolist() == [0.0] * 1400
    assert entropies(log_probs).tolist() == [0.0] * 1400


@pytest.mark.parametrize("uniform", [0.0, ALMOST_ONE, 1.0])
def test_an_impossible_action_is_never_drawn_even_at_the_edges(uniform: float) -> None:
    torch.manual_seed(0)
    masks = torch.rand(5000, 1400) < 0.01
    masks[:, 700] = True
    drawn = sample(
        masked_log_probs(10 * torch.randn(5000, 1400), masks), torch.full((5000,), uniform)
    )
    assert masks[torch.arange(5000), drawn].all()


def test_probabilities_sum_to_one_and_are_zero_where_masked() -> None:
    torch.manual_seed(0)
    masks = torch.rand(200, 90) < 0.3
    masks[:, 0] = True
    found = probabilities(masked_log_probs(20 * torch.randn(200, 90), masks))
    torch.testing.assert_close(found.sum(-1), torch.ones(200))
    assert (found[~masks] == 0).all()


def test_a_mask_leaves_the_odds_of_the_possible_actions_alone() -> None:
    found = masked_log_probs(torch.tensor([[1.0, 7.0, 3.0]]), possible(True, False, True))
    assert float(found[0, 2] - found[0, 0]) == pytest.approx(2, abs=1e-6)


def test_entropy_counts_possible_actions_only() -> None:
    masks = torch.arange(90)[None] < 8
    # Eight equal chances: ln 8.
    found = entropies(masked_log_probs(torch.zeros(1, 90), masks))
    assert float(found) == pytest.approx(2.0794415, abs=1e-6)


def test_masked_logits_get_no_gradient_and_the_others_a_finite_one() -> None:
    logits = torch.tensor([[1.0, -2.0, 0.5, 4.0]], requires_grad=True)
    log_probs = masked_log_probs(logits, possible(True, False, True, False))
    (entropies(log_probs) + chosen(log_probs, torch.tensor([2]))).sum().backward()  # type: ignore[no-untyped-call]
    assert logits.grad is not None
    assert logits.grad.isfinite().all()
    assert logits.grad[0, [1, 3]].tolist() == [0, 0]
    assert (logits.grad[0, [0, 2]] != 0).all()


def test_without_a_possible_action_the_agent_is_named() -> None:
    masks = np.ones((4, 3), np.bool_)
    masks[2] = False
    with pytest.raises(PolicyError, match="agent 2 has no possible action"):
        policy_of_logits([0, 0, 0]).act(
            np.zeros((4, 3), np.float32), masks, np.random.default_rng(0)
        )


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_an_observation_that_is_not_finite_is_named_by_agent_and_column(wrong: float) -> None:
    torch.manual_seed(0)
    policy = TorchPolicy(ActorCritic(3, 4, NetworksConfig(actor=(4,), critic=(4,))), CPU)
    obs = np.zeros((4, 3), np.float32)
    obs[1, 2] = wrong
    with pytest.raises(PolicyError, match=f"observation of agent 1 is {wrong} in column 2"):
        policy.act(obs, np.ones((4, 4), np.bool_), np.random.default_rng(0))


def test_networks_that_are_not_finite_are_told_from_observations_that_are_not() -> None:
    with pytest.raises(PolicyError, match="actor's output for agent 0 is not finite, its obs"):
        policy_of_logits([0, math.nan]).act(
            np.zeros((4, 3), np.float32), np.ones((4, 2), np.bool_), np.random.default_rng(0)
        )


def test_deterministic_takes_each_row_s_likeliest_possible_action_and_draws_nothing() -> None:
    policy = policy_of_logits([0.0, 3.0, 1.0, 2.0])
    policy.deterministic = True
    masks = np.ones((4, 4), np.bool_)
    masks[1, 1] = False
    masks[2, [1, 3]] = False
    rng = np.random.default_rng(0)
    decision = policy.act(np.zeros((4, 3), np.float32), masks, rng)
    assert decision.actions.tolist() == [1, 3, 2, 1]
    assert rng.random() == np.random.default_rng(0).random()


def test_the_same_random_state_draws_the_same_actions() -> None:
    policy = policy_of_logits([0.0] * 50)
    obs, masks = np.zeros((64, 3), np.float32), np.ones((64, 50), np.bool_)
    first, again, other = (
        policy.act(obs, masks, np.random.default_rng(seed)).actions.tolist() for seed in (5, 5, 6)
    )
    assert first == again != other


def test_what_the_rollout_stored_is_what_the_update_computes_from_it() -> None:
    model = small_model(seed=0)
    env = TurnTowardBall(16, np.random.default_rng(0))
    rollout = Rollout.allocate(24, 16, env.obs_width, env.num_actions)
    collect(env, TorchPolicy(model, CPU), rollout, np.random.default_rng(1), lambda: None)
    logits, values = model(torch.from_numpy(rollout.obs).flatten(0, 1))
    masks = torch.from_numpy(rollout.masks).flatten(0, 1)
    actions = torch.from_numpy(rollout.actions).flatten()
    log_probs = chosen(masked_log_probs(logits, masks), actions).detach().numpy()
    np.testing.assert_allclose(rollout.log_probs.ravel(), log_probs, rtol=0, atol=1e-5)
    np.testing.assert_allclose(rollout.values.ravel(), values.detach().numpy(), rtol=0, atol=1e-5)
    assert rollout.truncated.any()
    assert rollout.terminated.any()


def test_acting_and_valuing_agree_on_the_value_of_an_observation() -> None:
    policy = TorchPolicy(small_model(seed=2), CPU)
    obs = np.random.default_rng(0).normal(size=(6, 2)).astype(np.float32)
    decision = policy.act(obs, np.ones((6, 4), np.bool_), np.random.default_rng(0))
    np.testing.assert_allclose(decision.values, policy.values(obs), rtol=0, atol=1e-6)
    assert [array.dtype for array in decision] == [np.int64, np.float32, np.float32]
