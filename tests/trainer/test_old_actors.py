"""Several old versions in one pass, by numpy and by PyTorch, against one after the other."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
import torch

from trainer.config import NetworksConfig
from trainer.networks import ACTIVATIONS, NORMS, ActorCritic, parameter_vector
from trainer.numpy_policy import Floats
from trainer.numpy_versions import NumpyVersions
from trainer.sampling import masked_log_probs, sample
from trainer.self_play import Versions
from trainer.torch_versions import TorchVersions

OBS_WIDTH, NUM_ACTIONS, ROWS = 12, 9, 200


def vectors_of(models: Sequence[ActorCritic]) -> list[Floats]:
    return [parameter_vector(model.playing).numpy() for model in models]


def by_numpy(models: Sequence[ActorCritic], config: NetworksConfig) -> Versions:
    parameters = models[0].playing.named_parameters()
    shapes = [(name, tuple(values.shape)) for name, values in parameters]
    return NumpyVersions(vectors_of(models), shapes=shapes, activation=config.activation)


def by_torch(models: Sequence[ActorCritic], config: NetworksConfig) -> Versions:
    return TorchVersions(vectors_of(models), model=models[0])


def models_of(config: NetworksConfig, count: int) -> list[ActorCritic]:
    """Weights are enlarged so that choices are far from even."""
    models = []
    for seed in range(count):
        torch.manual_seed(seed)
        models.append(ActorCritic(OBS_WIDTH, NUM_ACTIONS, config))
        with torch.no_grad():
            for parameter in models[-1].parameters():
                parameter.mul_(2)
    return models


@pytest.mark.parametrize("make", [by_numpy, by_torch])
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("shared", [(), (16, 8)])
def test_each_chooses_what_its_own_network_alone_would(
    make: Callable[[Sequence[ActorCritic], NetworksConfig], Versions],
    norm: str,
    activation: str,
    shared: tuple[int, ...],
) -> None:
    sizes = {"shared": shared, "actor": (16, 16), "critic": (8,)}
    config = NetworksConfig.model_validate(sizes | {"norm": norm, "activation": activation})
    models = models_of(config, 3)
    rng = np.random.default_rng(1)
    obs = rng.normal(size=(3, ROWS, OBS_WIDTH)).astype(np.float32)
    masks = rng.random((3, ROWS, NUM_ACTIONS)) < 0.5
    masks[..., 4] = True
    uniforms = rng.random((3, ROWS), dtype=np.float32)
    found = make(models, config).choose(obs, masks, uniforms)
    assert (found.shape, found.dtype) == ((3, ROWS), np.int64)
    alone = np.empty_like(found)
    for version, model in enumerate(models):
        with torch.no_grad():
            logits = model.logits(torch.from_numpy(obs[version]))
        log_probs = masked_log_probs(logits, torch.from_numpy(masks[version]))
        alone[version] = sample(log_probs, torch.from_numpy(uniforms[version])).numpy()
    # The same uniform numbers draw the same actions, but where rounding decides.
    assert (found == alone).mean() > 0.99
    assert np.take_along_axis(masks, found[..., None], -1).all()
    # It matters whose they are.
    assert (found == np.roll(alone, 1, axis=0)).mean() < 0.9


@pytest.mark.cuda
def test_on_a_gpu_each_chooses_what_it_chooses_here() -> None:
    config = NetworksConfig(actor=(64, 64), critic=(8,), norm="layer_norm")
    models = models_of(config, 4)
    rng = np.random.default_rng(1)
    obs = rng.normal(size=(4, ROWS, OBS_WIDTH)).astype(np.float32)
    masks = np.ones((4, ROWS, NUM_ACTIONS), np.bool_)
    uniforms = rng.random((4, ROWS), dtype=np.float32)
    here = by_torch(models, config).choose(obs, masks, uniforms)
    there = TorchVersions(vectors_of(models), model=models[0].cuda()).choose(obs, masks, uniforms)
    assert (here == there).mean() > 0.99
