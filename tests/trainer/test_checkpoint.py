import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from tests.trainer.tiny import tiny_config
from trainer.builder import fresh_state
from trainer.checkpoint import (
    CheckpointError,
    Counters,
    TrainingState,
    contract_of,
    load_actor,
    save,
)
from trainer.checkpoint import load as load_checkpoint
from trainer.checkpoint_folder import (
    FILES,
    damage,
    list_checkpoints,
    newest_valid,
    prune,
    write_hashes,
)
from trainer.reward_scale import ReturnStats
from trainer.run_dir import RunDir

CPU = torch.device("cpu")


def make_state(*settings: str, steps: int = 0) -> TrainingState:
    """Networks, and optimizers that have made one step, so that every moment is there."""
    state = fresh_state(tiny_config(*settings), CPU)
    state.counters = Counters(iteration=3, steps=steps, updates=6, episodes=2, seconds=1.25)
    for parameter in state.model.parameters():
        parameter.grad = torch.arange(parameter.numel(), dtype=torch.float32).view_as(parameter)
    for optimizer in state.optimizers.values():
        optimizer.step()
    for rng in state.rngs.values():
        rng.standard_normal(3)
    state.returns, state.reward_scale, state.rate_factor = ReturnStats(7, 0.1, 2.5), 0.7, 1 / 3
    return state


def save_at(run: RunDir, *steps: int) -> list[Path]:
    return [save(run, tiny_config(), make_state(steps=at)) for at in steps]


def everything(state: TrainingState) -> dict[str, object]:
    """All that must come back, in comparable form."""
    moments = {
        f"{name}.{index}.{moment}": value.tolist()
        for name, optimizer in state.optimizers.items()
        for index, found in optimizer.state_dict()["state"].items()
        for moment, value in found.items()
    }
    weights = {name: value.tolist() for name, value in state.model.state_dict().items()}
    rngs = {name: rng.bit_generator.state for name, rng in state.rngs.items()}
    running = (state.counters, state.returns, state.reward_scale, state.rate_factor)
    anchors = {name: anchor.tolist() for name, anchor in state.anchors.items()}
    return {
        "weights": weights,
        "moments": moments,
        "rngs": rngs,
        "running": running,
        "anchors": anchors,
    }


@pytest.mark.parametrize(
    "settings",
    [
        (),
        ("networks.shared=[8, 6]", "networks.norm=layer_norm", "ppo.regeneration=0.01"),
        ("ppo.optimizer=muon", "networks.shared=[8]"),
    ],
)
def test_everything_comes_back_bit_for_bit(tmp_path: Path, settings: tuple[str, ...]) -> None:
    state = make_state(*settings, steps=96)
    folder = save(RunDir(tmp_path), tiny_config(*settings), state)
    config = tiny_config(*settings, "seed=5")
    resumed = fresh_state(config, CPU)
    assert everything(resumed) != everything(state)
    load_checkpoint(folder, config, resumed)
    assert everything(resumed) == everything(state)
    assert resumed.rngs["policy"].random(4).tolist() == state.rngs["policy"].random(4).tolist()


def test_a_checkpoint_is_named_by_its_steps_and_readable(tmp_path: Path) -> None:
    folder = save(RunDir(tmp_path), tiny_config(), make_state(steps=12345678))
    assert folder == tmp_path / "checkpoints" / "000000012345678"
    assert sorted(path.name for path in folder.iterdir()) == sorted((*FILES, "hashes.json"))
    assert set(load_file(folder / "actor.safetensors")) == {
        f"layers.{layer}.{part}" for layer in (0, 2, 4) for part in ("weight", "bias")
    }
    assert "actor.layers.0.weight.exp_avg" in load_file(folder / "optimizer.safetensors")
    assert json.loads((folder / "state.json").read_text())["counters"]["steps"] == 12345678


def test_a_state_before_its_first_update_is_saved_and_loaded(tmp_path: Path) -> None:
    state = fresh_state(tiny_config(), CPU)
    folder = save(RunDir(tmp_path), tiny_config(), state)
    resumed = fresh_state(tiny_config("seed=5"), CPU)
    load_checkpoint(folder, tiny_config(), resumed)
    assert everything(resumed) == everything(state)


def test_regeneration_that_begins_late_pulls_toward_the_weights_of_the_seed(
    tmp_path: Path,
) -> None:
    folder = save(RunDir(tmp_path), tiny_config(), make_state(steps=96))
    config = tiny_config("ppo.regeneration=0.01")
    resumed = fresh_state(config, CPU)
    load_checkpoint(folder, config, resumed)
    fresh = fresh_state(config, CPU).model.state_dict()
    assert set(resumed.anchors) == set(fresh)
    for name, anchor in resumed.anchors.items():
        assert torch.equal(anchor, fresh[name])


def test_what_plays_is_saved_as_one_network_with_its_shared_head(tmp_path: Path) -> None:
    state = make_state("networks.shared=[8]", steps=96)
    actor, contract = load_actor(save(RunDir(tmp_path), tiny_config("networks.shared=[8]"), state))
    obs = torch.linspace(-1, 1, 92).reshape(1, 92)
    assert torch.equal(actor(obs), state.model(obs)[0])
    assert contract.actor_layers == (8, 8, 8)


def test_the_settings_in_force_rule_the_optimizer_not_the_saved_ones(tmp_path: Path) -> None:
    folder = save(RunDir(tmp_path), tiny_config("ppo.learning_rate=1e-4"), make_state())
    config = tiny_config("ppo.learning_rate=3e-4")
    resumed = fresh_state(config, CPU)
    load_checkpoint(folder, config, resumed)
    for optimizer in resumed.optimizers.values():
        assert [group["lr"] for group in optimizer.param_groups] == [3e-4]


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("networks.actor=[16, 8]", r"actor_layers is \(8, 8\) there and \(16, 8\) here"),
        ("networks.critic=[8]", r"critic_layers is \(12,\) there and \(8,\) here"),
        ("networks.norm=layer_norm", "norm is none there and layer_norm here"),
        ("networks.activation=tanh", "activation is relu there and tanh here"),
        ("networks.shared=[9]", r"shared_layers is \(\) there and \(9,\) here"),
        ("ppo.optimizer=muon", "optimizer is adamw there and muon here"),
        ("sim.modes.2v2=1", "obs_width is 92 there and 132 here"),
    ],
)
def test_other_sizes_are_refused_with_both_named_and_nothing_loaded(
    tmp_path: Path, setting: str, sentence: str
) -> None:
    folder = save(RunDir(tmp_path), tiny_config(), make_state(steps=96))
    config = tiny_config(setting)
    other = fresh_state(config, CPU)
    before = everything(other)
    with pytest.raises(CheckpointError, match=sentence):
        load_checkpoint(folder, config, other)
    assert everything(other) == before


def test_another_team_size_resumes_when_the_observation_is_padded(tmp_path: Path) -> None:
    state = make_state("sim.max_team_size=2", steps=96)
    folder = save(RunDir(tmp_path), tiny_config("sim.max_team_size=2"), state)
    config = tiny_config("sim.max_team_size=2", "sim.modes.2v2=1")
    resumed = fresh_state(config, CPU)
    load_checkpoint(folder, config, resumed)
    assert everything(resumed) == everything(state)


def test_the_contract_names_the_modes_that_were_played_and_the_padding_of_all() -> None:
    contract = contract_of(tiny_config("sim.modes={1v2=1, 3v3=0, 1v1=2}"), 0)
    assert contract.modes == ("1v2", "1v1")
    assert (contract.max_team_size, contract.obs_width) == (3, 172)
    assert contract.teams == (0, 1, 1)
    assert contract_of(tiny_config(), 0).modes == ("1v1",)


def test_a_checkpoint_of_before_is_refused_by_what_its_contract_lacks(tmp_path: Path) -> None:
    folder = save(RunDir(tmp_path), tiny_config(), make_state())
    contract = json.loads((folder / "contract.json").read_text())
    del contract["modes"]
    (folder / "contract.json").write_text(json.dumps(contract | {"team_sizes": [1, 1]}))
    words = r"another version: the contract lacks \['modes'\] and has unknown \['team_sizes'\]"
    with pytest.raises(CheckpointError, match=words):
        load_checkpoint(folder, tiny_config(), make_state())


def test_the_actor_travels_with_its_contract(tmp_path: Path) -> None:
    state = make_state(steps=96)
    actor, contract = load_actor(save(RunDir(tmp_path), tiny_config(), state))
    obs = torch.linspace(-1, 1, 92).reshape(1, 92)
    assert torch.equal(actor(obs), state.model.actor(obs))
    assert (contract.obs_width, contract.num_actions, contract.steps) == (92, 90, 96)
    assert (contract.actor_layers, contract.norm) == ((8, 8), "none")
    assert len(contract.checkpoint_hash) == len(contract.config_hash) == 64


def test_a_checkpoint_of_another_version_is_refused_in_words(tmp_path: Path) -> None:
    folder = save(RunDir(tmp_path), tiny_config(), make_state())
    contract = json.loads((folder / "contract.json").read_text())
    del contract["norm"]
    (folder / "contract.json").write_text(json.dumps(contract))
    write_hashes(folder)
    for use in (load_actor, lambda path: load_checkpoint(path, tiny_config(), make_state())):
        with pytest.raises(
            CheckpointError, match=r"another version: the contract lacks \['norm'\]"
        ):
            use(folder)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip_a_bit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("harm", [cut, flip_a_bit, Path.unlink])
@pytest.mark.parametrize("name", [*FILES, "hashes.json"])
def test_a_harmed_checkpoint_is_passed_over_for_the_one_before(
    tmp_path: Path, name: str, harm: Callable[[Path], None]
) -> None:
    run = RunDir(tmp_path)
    older, newer = save_at(run, 100, 200)
    harm(newer / name)
    reasons: list[str] = []
    assert newest_valid(run, reasons.append) == older
    (reason,) = reasons
    assert str(newer) in reason
    assert name in reason
    with pytest.raises(CheckpointError, match=name):
        load_actor(newer)


def test_what_is_no_checkpoint_is_passed_over_and_never_removed(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    (folder,) = save_at(run, 100)
    for name in ("desktop.ini", ".DS_Store", "notes.txt", "000000000000300"):
        (run.checkpoints / name).touch()
    for name in ("12345.tmp", "policy_versions", "000000000000400"):
        (run.checkpoints / name).mkdir()
    (folder / "desktop.ini").touch()
    reasons: list[str] = []
    assert newest_valid(run, reasons.append) == folder
    foreign, empty = reasons
    for name in ("desktop.ini", ".DS_Store", "notes.txt", "12345.tmp", "000000000000300"):
        assert name in foreign
    assert "000000000000400: hashes.json is missing" in empty
    before = set(run.checkpoints.iterdir())
    prune(run, folder, keep=1)
    assert set(run.checkpoints.iterdir()) == before


def test_foreign_folders_take_no_place_among_those_that_are_kept(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    folders = save_at(run, 100, 200, 300)
    # By name they stand before, among and after the checkpoints.
    foreign = [run.checkpoints / name for name in ("-copy", "000000000000200 old", "versions")]
    for folder in foreign:
        folder.mkdir()
    prune(run, folders[-1], keep=2)
    assert list_checkpoints(run) == [folders[2], folders[1]]
    assert all(folder.is_dir() for folder in foreign)


def test_a_run_without_checkpoints_has_no_newest(tmp_path: Path) -> None:
    assert newest_valid(RunDir(tmp_path)) is None


def test_pruning_keeps_the_newest_and_zero_keeps_all(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    folders = save_at(run, 100, 200, 300, 400)
    prune(run, folders[-1], keep=0)
    assert list_checkpoints(run) == folders[::-1]
    prune(run, folders[-1], keep=2)
    assert list_checkpoints(run) == folders[:1:-1]


def test_a_damaged_checkpoint_never_pushes_out_a_whole_one(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    first, damaged, last, from_another_time = save_at(run, 100, 200, 300, 900)
    cut(damaged / "actor.safetensors")
    cut(from_another_time / "actor.safetensors")
    prune(run, last, keep=2)
    assert list_checkpoints(run) == [from_another_time, last, damaged, first]


def test_saving_over_a_damaged_checkpoint_sets_it_aside(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    (folder,) = save_at(run, 100)
    cut(folder / "actor.safetensors")
    assert save_at(run, 100) == [folder]
    assert damage(folder) is None
    assert folder.with_name(f"{folder.name}.damaged").is_dir()


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot limit the size of files")
@pytest.mark.parametrize("name", ["actor.safetensors", "optimizer.safetensors"])
def test_a_full_disk_leaves_the_earlier_checkpoint_and_no_litter(tmp_path: Path, name: str) -> None:
    import resource

    run = RunDir(tmp_path)
    (older,) = save_at(run, 100)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The system refuses files above this, as it refuses all of them on a full disk.
    resource.setrlimit(resource.RLIMIT_FSIZE, ((older / name).stat().st_size - 1, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            save_at(run, 200)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(run.checkpoints.iterdir()) == [older]
    assert newest_valid(run) == older


SAVE_FOREVER = """
import sys
from pathlib import Path
from tests.trainer.test_checkpoint import save_at
from trainer.run_dir import RunDir
steps = 0
while True:
    steps += 1
    save_at(RunDir(Path(sys.argv[1])), steps)
    print(steps, flush=True)
"""


def test_a_kill_during_saves_leaves_the_last_finished_one(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    command = [sys.executable, "-c", SAVE_FOREVER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as saver:
        assert saver.stdout is not None
        finished = [int(saver.stdout.readline()) for _ in range(5)][-1]
        saver.kill()
    newest = newest_valid(run)
    assert newest is not None
    assert int(newest.name) >= finished
    (litter := run.checkpoints / ".000000000000009.1.tmp").mkdir()
    prune(run, newest, keep=1)
    assert not litter.exists()
    assert list(run.checkpoints.iterdir()) == [newest]
