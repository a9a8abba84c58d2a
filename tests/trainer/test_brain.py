"""What is published and what is saved comes back whole, critic and shared layers too."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load, save

from tests.trainer.tiny import tiny_config
from tests.trainer.watched import CONFIG, WIDTH, model_that_likes, save_checkpoint
from trainer.brain import load_brain, load_published, published_bytes
from trainer.checkpoint import CheckpointError, contract_of, load_actor
from trainer.config import RunConfig
from trainer.networks import ActorCritic
from trainer.run_dir import RunDir

SHARED = tiny_config("networks.shared=[8, 6]", "networks.norm=layer_norm")


def same_everywhere(one: ActorCritic, other: ActorCritic) -> bool:
    obs = torch.randn(16, WIDTH, generator=torch.Generator().manual_seed(2))
    return all(torch.equal(a, b) for a, b in zip(one(obs), other(obs), strict=True))


@pytest.mark.parametrize("config", [CONFIG, SHARED])
def test_published_networks_come_back_exactly(tmp_path: Path, config: RunConfig) -> None:
    model, path = model_that_likes(3, config), tmp_path / "live"
    path.write_bytes(published_bytes(model))
    brain = load_published(path, contract_of(config, 0), config.networks, 70)
    assert same_everywhere(brain.model, model)
    assert (brain.has_critic, brain.steps) == (True, 70)


def test_a_published_actor_alone_plays_without_a_critic(tmp_path: Path) -> None:
    tensors = load(published_bytes(model_that_likes(3)))
    actor = {name: tensor for name, tensor in tensors.items() if not name.startswith("critic.")}
    assert len(actor) < len(tensors)
    (tmp_path / "live").write_bytes(save(actor))
    brain = load_published(tmp_path / "live", contract_of(CONFIG, 0), CONFIG.networks, 0)
    assert not brain.has_critic
    assert int(brain.model.logits(torch.zeros(1, WIDTH)).argmax()) == 3


def test_published_networks_of_another_size_are_refused(tmp_path: Path) -> None:
    (tmp_path / "live").write_bytes(published_bytes(model_that_likes(3, SHARED)))
    with pytest.raises(RuntimeError):
        load_published(tmp_path / "live", contract_of(CONFIG, 0), CONFIG.networks, 0)


@pytest.mark.parametrize("config", [CONFIG, SHARED])
def test_a_checkpoint_comes_back_with_its_own_sizes(tmp_path: Path, config: RunConfig) -> None:
    folder = save_checkpoint(RunDir(tmp_path), action=3, steps=90, config=config, value=-2.5)
    brain = load_brain(folder, contract_of(CONFIG, 0))
    obs = torch.randn(4, WIDTH)
    assert brain.model.values(obs).tolist() == [-2.5] * 4
    actor, _ = load_actor(folder)
    assert torch.equal(brain.model.logits(obs), actor(obs))
    assert (brain.has_critic, brain.steps) == (True, 90)


def test_damage_is_refused_in_a_sentence(tmp_path: Path) -> None:
    folder = save_checkpoint(RunDir(tmp_path), action=3, steps=90)
    (folder / "critic.safetensors").write_bytes(b"no weights")
    with pytest.raises(CheckpointError, match=r"is no whole checkpoint: critic\.safetensors"):
        load_brain(folder, contract_of(CONFIG, 0))


def test_another_observation_is_refused(tmp_path: Path) -> None:
    folder = save_checkpoint(RunDir(tmp_path), action=3, steps=90)
    with pytest.raises(Exception, match="obs_width"):
        load_brain(folder, replace(contract_of(CONFIG, 0), obs_width=7))
