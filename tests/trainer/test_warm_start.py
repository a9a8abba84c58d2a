import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.trainer.test_resume import silent, start_event
from tests.trainer.tiny import tiny_config, write_tiny
from trainer import jsonl
from trainer.builder import build, fresh_state
from trainer.checkpoint import CheckpointError, TrainingState, contract_of, load_actor, save
from trainer.checkpoint_folder import list_checkpoints, newest_valid
from trainer.cli import app, run_app
from trainer.config import RunConfig
from trainer.run_dir import RunDir
from trainer.training import Request, train
from trainer.warm_start import WarmStart, warm_start

CPU = torch.device("cpu")


def saved(folder: Path, *settings: str) -> tuple[Path, TrainingState]:
    """A checkpoint of networks that were drawn from another seed than the default."""
    config = tiny_config("seed=7", *settings)
    state = fresh_state(config, CPU)
    return save(RunDir(folder), config, state), state


def started(source: Path, config: RunConfig) -> tuple[WarmStart, TrainingState]:
    state = fresh_state(config, CPU)
    return warm_start(source, state.model, contract_of(config, 0)), state


def same(one: TrainingState, other: TrainingState, layer: str) -> bool:
    pair = (state.model.get_submodule(layer).state_dict() for state in (one, other))
    first, second = pair
    return all(torch.equal(first[name], second[name]) for name in first)


ALL = (
    *("actor.layers.0", "actor.layers.2", "actor.layers.4"),
    *("critic.layers.0", "critic.layers.2"),
)


def test_the_same_sizes_take_every_layer(tmp_path: Path) -> None:
    source, there = saved(tmp_path)
    found, here = started(source, tiny_config())
    assert (found.source, found.taken, found.fresh) == (source, ALL, ())
    assert all(same(there, here, layer) for layer in ALL)
    assert str(found) == f"5 of 5 layers from {source}"


def test_a_shared_head_is_taken_with_the_actor_it_plays_with(tmp_path: Path) -> None:
    shared = "networks.shared=[16]"
    source, there = saved(tmp_path, shared)
    found, here = started(source, tiny_config(shared))
    assert found.fresh == ()
    assert same(there, here, "shared.0")
    assert same(there, here, "actor.layers.4")


def test_only_the_weights_are_taken(tmp_path: Path) -> None:
    source, _ = saved(tmp_path)
    _, here = started(source, tiny_config())
    fresh = fresh_state(tiny_config(), CPU)
    assert (here.counters, here.returns, here.rate_factor) == (
        *(fresh.counters, fresh.returns, fresh.rate_factor),
    )
    assert [rng.bit_generator.state for rng in here.rngs.values()] == [
        rng.bit_generator.state for rng in fresh.rngs.values()
    ]
    assert all(not optimizer.state_dict()["state"] for optimizer in here.optimizers.values())


def test_a_run_stands_for_its_newest_whole_checkpoint(tmp_path: Path) -> None:
    source, _ = saved(tmp_path)
    (tmp_path / "checkpoints" / "000000000000999").mkdir()
    found, _ = started(tmp_path, tiny_config())
    assert found.source == source


def test_across_another_observation_the_first_layers_stay_fresh_and_are_named(
    tmp_path: Path,
) -> None:
    # 2v2 sees 52 + 4·20 = 132 numbers, 1v1 92.
    source, there = saved(tmp_path)
    config = tiny_config("sim.modes.2v2=1")
    found, here = started(source, config)
    assert found.taken == ("actor.layers.2", "actor.layers.4", "critic.layers.2")
    assert found.fresh == (
        "actor.layers.0 (weight (8, 92) there and (8, 132) here)",
        "critic.layers.0 (weight (12, 92) there and (12, 132) here)",
    )
    assert all(same(there, here, layer) for layer in found.taken)
    # Whole or not at all: its bias would have fitted.
    assert same(here, fresh_state(config, CPU), "actor.layers.0")


def test_another_observation_of_the_same_width_is_not_mistaken_for_this_one(
    tmp_path: Path,
) -> None:
    source, _ = saved(tmp_path)
    state = fresh_state(tiny_config(), CPU)
    here = replace(contract_of(tiny_config(), 0), obs_hash="another")
    found = warm_start(source, state.model, here)
    assert found.fresh == (
        "actor.layers.0 (it reads another observation there)",
        "critic.layers.0 (it reads another observation there)",
    )


def test_another_action_table_of_the_same_length_leaves_the_choice_fresh(tmp_path: Path) -> None:
    source, _ = saved(tmp_path)
    state = fresh_state(tiny_config(), CPU)
    here = replace(contract_of(tiny_config(), 0), action_hash="another")
    found = warm_start(source, state.model, here)
    assert found.fresh == ("actor.layers.4 (it chooses from another action table there)",)


def test_a_norm_is_never_taken_for_a_linear_layer_that_has_its_number(tmp_path: Path) -> None:
    # Without: 0, 2, 4 are Linear. With: 0, 3, 6 are Linear, 1 and 4 norms.
    source, _ = saved(tmp_path, "networks.actor=[8, 8]")
    found, _ = started(source, tiny_config("networks.norm='layer_norm'"))
    assert found.taken == ("actor.layers.0", "critic.layers.0")
    reasons = dict(text.split(" ", 1) for text in found.fresh)
    assert reasons["actor.layers.1"] == "(not there)"
    assert reasons["actor.layers.4"] == "(weight (90, 8) there and (8,) here)"


def test_nothing_that_fits_is_a_refusal(tmp_path: Path) -> None:
    source, _ = saved(tmp_path)
    config = tiny_config("networks.actor=[5]", "networks.critic=[5]")
    with pytest.raises(CheckpointError, match=r"nothing of .* fits .*actor\.layers\.0"):
        started(source, config)


@pytest.mark.parametrize("name", ["nowhere", "empty"])
def test_what_is_no_checkpoint_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(CheckpointError, match=f"{name} is neither a checkpoint nor a run"):
        started(tmp_path / name, tiny_config())


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    source, _ = saved(tmp_path)
    (source / "actor.safetensors").write_bytes(b"")
    with pytest.raises(CheckpointError, match=r"no whole checkpoint: actor\.safetensors is not"):
        started(source, tiny_config())


def test_a_warm_start_is_a_new_run_that_goes_on_like_any_other(tmp_path: Path) -> None:
    old, new = RunDir(tmp_path / "old"), RunDir(tmp_path / "new")
    train(Request(old, tiny_config(), tmp_path, "the test", 2), silent)
    config = write_tiny(tmp_path, "networks.critic=[6]")
    words = ["train", str(config), "--run", str(new.path), "--iterations", "1"]
    assert run_app(app, [*words, "--warm-start", str(old.path)]) == 0
    assert f"the networks take 3 of 5 layers from {old.path}" in start_event(new)
    assert "critic.layers.0 (weight (12, 92) there and (6, 92) here)" in start_event(new)
    # The run's first checkpoint is its start: a session that died early would resume there.
    start = new.checkpoints / f"{0:015d}"
    source = newest_valid(old)
    assert source is not None
    taken, given = (load_actor(folder)[0].state_dict() for folder in (start, source))
    assert all(torch.equal(taken[name], given[name]) for name in given)
    assert run_app(app, words) == 0
    assert [record["iteration"] for record in jsonl.read_all(new.metrics)] == [1, 2]
    assert build(tiny_config("networks.critic=[6]"), tmp_path, start).state.counters.steps == 0


def test_a_run_that_has_checkpoints_is_never_overwritten_by_a_warm_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, config = RunDir(tmp_path / "run"), write_tiny(tmp_path)
    train(Request(run, tiny_config(), tmp_path, "the test", 1), silent)
    source = tmp_path / "source"
    shutil.copytree(run.checkpoints, source / "checkpoints")
    words = ["train", str(config), "--run", str(run.path), "--warm-start", str(source)]
    assert run_app(app, words) == 2
    err = capsys.readouterr().err
    assert "has checkpoints already, and --warm-start begins a new run: give another --run" in err
    assert [int(folder.name) for folder in list_checkpoints(run)] == [32]
