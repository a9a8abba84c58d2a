"""The newest policy wins, and one that cannot be read changes nothing."""

import os
from pathlib import Path

import numpy as np
import pytest
import torch

from rlbot_agent.actions import NUM_ACTIONS
from tests.trainer.tiny import tiny_config
from trainer import viewer_policy
from trainer.checkpoint import Counters, TrainingState, actor_bytes, contract_of, save
from trainer.config import RunConfig
from trainer.networks import ActorCritic
from trainer.optimizers import make_optimizers
from trainer.run_dir import RunDir
from trainer.viewer_policy import NewestPolicy

CONFIG = tiny_config()
WIDTH = contract_of(CONFIG, 0).obs_width


@pytest.fixture(autouse=True)
def _look_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewer_policy, "LOOK_EVERY_S", 0.0)


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path)


def model_that_likes(action: int, config: RunConfig = CONFIG) -> ActorCritic:
    model = ActorCritic(contract_of(config, 0).obs_width, NUM_ACTIONS, config.networks)
    with torch.no_grad():
        model.actor.layers[-1].bias[action] = 1000.0
    return model


def publish(run: RunDir, action: int, written: int) -> None:
    run.live_policy.write_bytes(actor_bytes(model_that_likes(action)))
    os.utime(run.live_policy, (written, written))


def save_checkpoint(run: RunDir, action: int, steps: int, written: int) -> Path:
    model = model_that_likes(action)
    optimizers = make_optimizers(model, CONFIG.ppo)
    folder = save(run, CONFIG, TrainingState(model, optimizers, {}, Counters(steps=steps)))
    os.utime(folder, (written, written))
    return folder


def liked(newest: NewestPolicy) -> int:
    obs, masks = np.zeros((1, WIDTH), np.float32), np.ones((1, NUM_ACTIONS), np.bool_)
    newest.policy.deterministic = True
    return int(newest.policy.act(obs, masks, np.random.default_rng(0)).actions[0])


def test_an_empty_run_has_no_policy(run: RunDir) -> None:
    newest = NewestPolicy(run, CONFIG)
    newest.refresh()
    assert not newest.ready
    assert newest.problem == ""


def test_what_was_written_last_plays(run: RunDir) -> None:
    newest = NewestPolicy(run, CONFIG)
    save_checkpoint(run, action=3, steps=100, written=1_000)
    newest.refresh()
    assert (newest.ready, liked(newest), newest.steps) == (True, 3, 100)
    publish(run, action=5, written=2_000)
    newest.refresh()
    assert liked(newest) == 5
    publish(run, action=7, written=3_000)
    newest.refresh()
    assert liked(newest) == 7
    save_checkpoint(run, action=9, steps=200, written=4_000)
    newest.refresh()
    assert (liked(newest), newest.steps) == (9, 200)


def test_a_policy_with_a_shared_head_plays_whole(run: RunDir) -> None:
    config = tiny_config("networks.shared=[8, 6]")
    model = model_that_likes(7, config)
    run.live_policy.write_bytes(actor_bytes(model))
    newest = NewestPolicy(run, config)
    newest.refresh()
    assert (newest.problem, liked(newest)) == ("", 7)


def test_a_stale_live_policy_yields_to_a_newer_checkpoint_from_the_start(run: RunDir) -> None:
    publish(run, action=5, written=1_000)
    save_checkpoint(run, action=3, steps=100, written=2_000)
    newest = NewestPolicy(run, CONFIG)
    newest.refresh()
    assert liked(newest) == 3


def test_a_damaged_live_policy_keeps_the_one_before(run: RunDir) -> None:
    newest = NewestPolicy(run, CONFIG)
    publish(run, action=5, written=1_000)
    newest.refresh()
    run.live_policy.write_bytes(b"not weights")
    newest.refresh()
    assert (newest.ready, liked(newest)) == (True, 5)
    assert newest.problem
    publish(run, action=6, written=3_000)
    newest.refresh()
    assert (liked(newest), newest.problem) == (6, "")


def test_a_damaged_checkpoint_is_passed_over_for_an_older_whole_one(run: RunDir) -> None:
    save_checkpoint(run, action=3, steps=100, written=1_000)
    damaged = save_checkpoint(run, action=4, steps=200, written=2_000)
    (damaged / "actor.safetensors").write_bytes(b"not weights")
    newest = NewestPolicy(run, CONFIG)
    newest.refresh()
    assert (liked(newest), newest.steps) == (3, 100)


def test_a_policy_of_another_size_is_refused_with_a_reason(run: RunDir) -> None:
    save_checkpoint(run, action=3, steps=100, written=1_000)
    newest = NewestPolicy(run, tiny_config("sim.modes.2v2=1"))
    newest.refresh()
    assert not newest.ready
    assert "obs_width is 92" in newest.problem


def test_it_looks_at_the_folder_once_a_second_at_most(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewer_policy, "LOOK_EVERY_S", 3_600.0)
    newest = NewestPolicy(run, CONFIG)
    newest.refresh()
    publish(run, action=5, written=1_000)
    newest.refresh()
    assert not newest.ready
