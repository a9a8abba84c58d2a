from pathlib import Path

import numpy as np
import pytest
import torch

from tests.export.bundles import make_bundle, make_run
from tests.trainer.evaluation.players import CONTRACT, all_allowed
from trainer.checkpoint import CheckpointError, load_actor
from trainer.checkpoint_folder import list_checkpoints
from trainer.evaluation.contestants import (
    WEIGHTS,
    ActorChooser,
    EvaluationError,
    RandomChooser,
    load_contestant,
)
from trainer.networks import MLP

OBS = np.random.default_rng(0).normal(size=(200, CONTRACT.obs_width)).astype(np.float32)
UNIFORMS = np.random.default_rng(1).random(200)


def test_chance_takes_every_possible_action_equally_often_and_no_other() -> None:
    masks = np.zeros((9000, 90), np.bool_)
    masks[:, [3, 40, 89]] = True
    chosen = RandomChooser().choose(OBS, masks, (np.arange(9000) + 0.5) / 9000)
    actions, counts = np.unique(chosen, return_counts=True)
    assert actions.tolist() == [3, 40, 89]
    assert counts.tolist() == [3000, 3000, 3000]


def test_an_actor_takes_the_likeliest_possible_action_or_draws_by_the_number_given() -> None:
    torch.manual_seed(0)
    actor = MLP(CONTRACT.obs_width, (8,), 90, "none", "relu")
    with torch.inference_mode():
        logits = actor(torch.from_numpy(OBS)).numpy()
    masks = all_allowed(200)
    masks[np.arange(200), logits.argmax(-1)] = False
    best_left = np.where(masks, logits, -np.inf).argmax(-1)
    likeliest = ActorChooser(actor, "it", sampled=False).choose(OBS, masks, UNIFORMS)
    assert likeliest.tolist() == best_left.tolist()

    draw = ActorChooser(actor, "it", sampled=True).choose
    drawn = draw(OBS, masks, UNIFORMS)
    assert masks[np.arange(200), drawn].all()
    assert len(set(drawn.tolist())) > 30
    assert draw(OBS[7:8], masks[7:8], UNIFORMS[7:8]).tolist() == [drawn[7]]
    assert draw(OBS, masks, np.zeros(200)).tolist() == masks.argmax(-1).tolist()


def test_an_actor_with_a_number_that_is_not_finite_is_told_by_name() -> None:
    actor = MLP(CONTRACT.obs_width, (8,), 90, "none", "relu")
    torch.nn.init.constant_(actor.layers[-1].bias, float("nan"))  # type: ignore[arg-type]
    with pytest.raises(EvaluationError, match="the network of bad says"):
        ActorChooser(actor, "bad", sampled=False).choose(OBS, all_allowed(200), UNIFORMS)


def test_run_checkpoint_and_bundle_are_the_same_actor(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    run = tmp_path / "my run"
    (checkpoint,) = (run / "checkpoints").iterdir()
    _, contract = load_actor(checkpoint)
    found = [load_contestant(str(p), "x", sampled=False) for p in (run, checkpoint, bundle)]
    masks = all_allowed(200)
    chosen = [each.chooser.choose(OBS, masks, UNIFORMS).tolist() for each in found]
    assert chosen[0] == chosen[1] == chosen[2]
    assert {each.sha256 for each in found} == {contract.checkpoint_hash}
    assert all(each.contract == contract for each in found)


def test_a_bundle_whose_weights_were_changed_is_refused(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    data = bytearray((bundle / WEIGHTS).read_bytes())
    data[-1] ^= 1
    (bundle / WEIGHTS).write_bytes(data)
    with pytest.raises(EvaluationError, match=r"policy\.safetensors is not what was exported"):
        load_contestant(str(bundle), "x", sampled=False)


def test_a_damaged_checkpoint_and_a_folder_of_something_else_are_refused(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    (checkpoint,) = list_checkpoints(run)
    (checkpoint / "actor.safetensors").write_bytes(b"")
    with pytest.raises(CheckpointError, match="no whole checkpoint"):
        load_contestant(str(checkpoint), "x", sampled=False)
    with pytest.raises(CheckpointError, match="neither a checkpoint nor a run"):
        load_contestant(str(tmp_path), "x", sampled=False)


def test_random_needs_nothing(tmp_path: Path) -> None:
    found = load_contestant("random", "random", sampled=False)
    assert (found.contract, found.sha256) == (None, "")


def test_a_word_that_means_nobody_is_answered_with_those_that_do(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r'chasr is neither .* "random", "chaser", "nexto:PA'):
        load_contestant("chasr", "chasr", sampled=False)
