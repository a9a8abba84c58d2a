"""The policy of a process that plays in bfloat16."""

import numpy as np
import torch

from rlbot_agent.actions import NUM_ACTIONS
from tests.trainer.tiny import tiny_config
from trainer.networks import ActorCritic, parameter_count, parameter_vector
from trainer.rounding_policy import rounding_policy

OBS_WIDTH, ROWS = 12, 300
BOTH = tiny_config("ppo.actor_precision=bf16", "ppo.critic_precision=bf16")
CRITIC = tiny_config("ppo.critic_precision=bf16")
OBS = np.random.default_rng(0).normal(size=(ROWS, OBS_WIDTH)).astype(np.float32)


def exact_model(seed: int) -> ActorCritic:
    torch.manual_seed(seed)
    return ActorCritic(OBS_WIDTH, NUM_ACTIONS, BOTH.networks)


def test_it_decides_by_products_rounded_to_bfloat16_where_that_was_asked_for() -> None:
    model = exact_model(0)
    vector = parameter_vector(model).numpy()
    with torch.no_grad():
        exact_logits, exact_values = model(torch.from_numpy(OBS))
    for config, actor_rounds in ((BOTH, True), (CRITIC, False)):
        policy = rounding_policy(vector, obs_width=OBS_WIDTH, config=config)
        with torch.no_grad():
            logits, values = policy.model(torch.from_numpy(OBS))
        assert logits.dtype == values.dtype == torch.float32
        assert torch.equal(logits, exact_logits) != actor_rounds
        assert not torch.equal(values, exact_values)
        # bfloat16 has 8 bits, and the largest numbers here are near 1.
        torch.testing.assert_close(logits, exact_logits, rtol=0, atol=0.02)
        torch.testing.assert_close(values, exact_values, rtol=0, atol=0.02)
        np.testing.assert_array_equal(policy.values(OBS), values.numpy())


def test_it_plays_whatever_stands_in_the_vector_now() -> None:
    vector = np.zeros(parameter_count(exact_model(0)), np.float32)
    policy = rounding_policy(vector, obs_width=OBS_WIDTH, config=BOTH)
    assert not policy.values(OBS).any()
    vector[:] = parameter_vector(exact_model(1)).numpy()
    np.testing.assert_allclose(
        policy.values(OBS), exact_model(1).values(torch.from_numpy(OBS)).detach(), atol=0.02
    )
