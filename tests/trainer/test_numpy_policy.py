import numpy as np
import pytest
import torch

from trainer.collector import AgentError
from trainer.config import NetworksConfig
from trainer.networks import ACTIVATIONS, NORMS, ActorCritic, parameter_vector
from trainer.numpy_policy import NumpyPolicy
from trainer.policy import TorchPolicy

OBS_WIDTH, NUM_ACTIONS, ROWS = 12, 9, 400


def both(config: NetworksConfig, seed: int = 0) -> tuple[TorchPolicy, NumpyPolicy]:
    """The same networks twice; weights are enlarged so that choices are far from even."""
    torch.manual_seed(seed)
    model = ActorCritic(OBS_WIDTH, NUM_ACTIONS, config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2)
    shapes = [(name, tuple(parameter.shape)) for name, parameter in model.named_parameters()]
    vector = parameter_vector(model).numpy()
    return TorchPolicy(model, torch.device("cpu")), NumpyPolicy(vector, shapes, config.activation)


def rows(seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    masks = rng.random((ROWS, NUM_ACTIONS)) < 0.5
    masks[:, 4] = True
    return rng.normal(size=(ROWS, OBS_WIDTH)).astype(np.float32), masks


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("shared", [(), (16, 8)])
def test_it_says_what_pytorch_says(norm: str, activation: str, shared: tuple[int, ...]) -> None:
    sizes = {"shared": shared, "actor": (16, 16), "critic": (8,)}
    config = NetworksConfig.model_validate(sizes | {"norm": norm, "activation": activation})
    slow, fast = both(config)
    obs, masks = rows()
    expected = slow.act(obs, masks, np.random.default_rng(2))
    found = fast.act(obs, masks, np.random.default_rng(2))
    # The same uniform numbers draw the same actions, but where rounding decides.
    same = found.actions == expected.actions
    assert same.mean() > 0.99
    np.testing.assert_allclose(found.log_probs[same], expected.log_probs[same], atol=1e-5)
    np.testing.assert_allclose(found.values, expected.values, atol=1e-5)
    np.testing.assert_allclose(fast.values(obs), slow.values(obs), atol=1e-5)
    assert found.log_probs.dtype == found.values.dtype == np.float32


def test_it_plays_whatever_stands_in_the_vector_now() -> None:
    config = NetworksConfig(actor=(8,), critic=(8,))
    (slow, fast), (other, _) = both(config, seed=0), both(config, seed=1)
    obs, _ = rows()
    vector = fast._actor[0].weight.base
    assert vector is not None
    vector[:] = parameter_vector(other.model).numpy()
    np.testing.assert_allclose(fast.values(obs), other.values(obs), atol=1e-5)
    assert not np.allclose(fast.values(obs), slow.values(obs), atol=1e-2)


def test_actions_are_drawn_as_often_as_they_are_likely() -> None:
    _, policy = both(NetworksConfig(actor=(8,), critic=(8,)))
    obs, masks = (np.repeat(found[:1], 200_000, axis=0) for found in rows())
    found = policy.act(obs, masks, np.random.default_rng(3))
    for action in np.flatnonzero(masks[0]):
        drawn = found.actions == action
        if drawn.any():
            likely = float(np.exp(found.log_probs[drawn][0]))
            # Five standard deviations of a share of 200,000 draws.
            assert abs(drawn.mean() - likely) < 5 * (likely / 200_000) ** 0.5 + 1e-4
    assert not np.isin(found.actions, np.flatnonzero(~masks[0])).any()


class AlwaysNearOne(np.random.Generator):
    """A generator whose uniform numbers are the largest below 1."""

    def random(self, size: int, dtype: type) -> np.ndarray:  # type: ignore[override]
        return np.full(size, np.nextafter(np.float32(1), np.float32(0)), dtype)


def test_a_draw_at_the_very_end_is_a_possible_action() -> None:
    _, policy = both(NetworksConfig(actor=(8,), critic=(8,)))
    obs, masks = rows()
    masks[:, 5:] = False
    found = policy.act(obs, masks, AlwaysNearOne(np.random.PCG64(0)))
    assert masks[np.arange(ROWS), found.actions].all()
    assert np.isfinite(found.log_probs).all()


@pytest.mark.parametrize("spoil", ["observation", "mask"])
def test_what_cannot_be_decided_is_an_error(spoil: str) -> None:
    _, policy = both(NetworksConfig(actor=(8,), critic=(8,)))
    obs, masks = rows()
    if spoil == "observation":
        obs[7, 3] = np.nan
    else:
        masks[7] = False
    with np.errstate(invalid="ignore"), pytest.raises(AgentError, match="agent 7 cannot decide"):
        policy.act(obs, masks, np.random.default_rng(0))
