"""The newest policy wins, and one that cannot be read changes nothing."""

from pathlib import Path

import pytest
import torch

from rlbot_agent.contract import ContractError
from tests.trainer.tiny import tiny_config
from tests.trainer.watched import CONFIG, WIDTH, model_that_likes, publish, save_checkpoint
from trainer import viewer_policy
from trainer.brain import Brain, published_bytes
from trainer.checkpoint import CheckpointError
from trainer.run_dir import RunDir
from trainer.viewer_policy import NewestPolicy


@pytest.fixture(autouse=True)
def _look_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewer_policy, "LOOK_EVERY_S", 0.0)


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path)


def likes(brain: Brain) -> int:
    return int(brain.model.logits(torch.zeros(1, WIDTH)).argmax())


def liked(newest: NewestPolicy) -> int:
    assert newest.brain is not None
    return likes(newest.brain)


def steps(newest: NewestPolicy) -> int:
    assert newest.brain is not None
    return newest.brain.steps


def test_an_empty_run_has_no_policy(run: RunDir) -> None:
    newest = NewestPolicy(run, CONFIG)
    newest.refresh()
    assert newest.brain is None
    assert newest.problem == ""


def test_what_was_written_last_plays(run: RunDir) -> None:
    newest = NewestPolicy(run, CONFIG)
    save_checkpoint(run, action=3, steps=100, written=1_000)
    newest.refresh()
    assert (liked(newest), steps(newest)) == (3, 100)
    publish(run, action=5, written=2_000)
    newest.refresh()
    assert liked(newest) == 5
    publish(run, action=7, written=3_000)
    newest.refresh()
    assert liked(newest) == 7
    save_checkpoint(run, action=9, steps=200, written=4_000)
    newest.refresh()
    assert (liked(newest), steps(newest)) == (9, 200)


def test_a_policy_with_a_shared_head_plays_whole(run: RunDir) -> None:
    config = tiny_config("networks.shared=[8, 6]")
    model = model_that_likes(7, config)
    run.live_policy.write_bytes(published_bytes(model))
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
    assert liked(newest) == 5
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
    assert (liked(newest), steps(newest)) == (3, 100)


def test_a_policy_of_another_size_is_refused_with_a_reason(run: RunDir) -> None:
    save_checkpoint(run, action=3, steps=100, written=1_000)
    newest = NewestPolicy(run, tiny_config("sim.modes.2v2=1"))
    newest.refresh()
    assert newest.brain is None
    assert "obs_width is 92" in newest.problem


def test_it_looks_at_the_folder_once_a_second_at_most(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewer_policy, "LOOK_EVERY_S", 3_600.0)
    newest = NewestPolicy(run, CONFIG)
    newest.refresh()
    publish(run, action=5, written=1_000)
    newest.refresh()
    assert newest.brain is None


def test_a_checkpoint_is_found_by_its_name_and_any_other_is_refused(run: RunDir) -> None:
    save_checkpoint(run, action=3, steps=100)
    newest = NewestPolicy(run, CONFIG)
    brain = newest.named("000000000000100")
    assert (likes(brain), brain.steps) == (3, 100)
    with pytest.raises(CheckpointError, match="there is no checkpoint 000000000000200 in"):
        newest.named("000000000000200")
    with pytest.raises(ContractError, match="obs_width is 92"):
        NewestPolicy(run, tiny_config("sim.modes.2v2=1")).named("000000000000100")
