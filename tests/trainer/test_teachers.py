import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from rlbot_agent.contract import Contract
from rlbot_agent.manifest import MANIFEST
from tests.export.bundles import make_bundle, make_run, reseal
from tests.trainer.foreign import DiscreteFF, hidden, save_pickled, save_weights
from tests.trainer.tiny import tiny_config
from trainer.checkpoint import contract_of, load_actor
from trainer.checkpoint_folder import list_checkpoints, write_hashes
from trainer.config_transfer import TeacherConfig
from trainer.networks import ActorCritic
from trainer.run_dir import RunDir
from trainer.teachers import Teacher, TeacherError, load_teacher
from trainer.versions import save_version

STUDENT = contract_of(tiny_config("sim.observation=local"), 0)
D = 92
"""What RLGym's observation shows of 1v1: 52 and 20 for each car."""
OBS = torch.randn(50, D, generator=torch.Generator().manual_seed(0))


def load(path: Path, *modes: str, **known: object) -> Teacher:
    return load_teacher(path, TeacherConfig.model_validate(known), STUDENT, modes or ("1v1",))


def assert_refused(path: Path, why: str, *modes: str, **known: object) -> None:
    with pytest.raises(TeacherError, match=why) as found:
        load(path, *modes, **known)
    assert "\n" not in str(found.value)


def version_of(folder: Path, *settings: str) -> Path:
    config = tiny_config(*settings)
    contract = contract_of(config, 0)
    torch.manual_seed(1)
    model = ActorCritic(contract.obs_width, contract.num_actions, config.networks)
    return save_version(RunDir(folder), config, model, 5_000_000)


def rewrite_contract(checkpoint: Path, **words: object) -> None:
    """As another program, or a joker, might have written it: sealed, so that it is whole."""
    file = checkpoint / "contract.json"
    contract = replace(Contract.from_json(file.read_text()), **words)  # type: ignore[arg-type]
    file.write_text(contract.to_json())
    write_hashes(checkpoint)


# Ours


def test_run_checkpoint_and_bundle_are_the_same_teacher_and_say_what_they_are(
    tmp_path: Path,
) -> None:
    bundle = make_bundle(tmp_path)
    run = tmp_path / "my run"
    (checkpoint,) = list_checkpoints(RunDir(run))
    actor, contract = load_actor(checkpoint)
    found = [load(path) for path in (run, checkpoint, bundle)]
    for teacher in found:
        assert torch.equal(teacher.actor(OBS), actor(OBS))
        assert (teacher.obs_name, teacher.max_team_size, teacher.obs_width) == ("default", 0, D)
        assert (teacher.tick_skip, teacher.action_delay) == (8, 1)
        assert teacher.sha256 == contract.checkpoint_hash
    place = f"checkpoints/000000000000064 of {run} (64 steps), 8-8"
    assert [teacher.words for teacher in found] == [
        *(place, place),
        f"bundle {bundle} (64 steps), 8-8",
    ]


def test_a_version_is_a_teacher(tmp_path: Path) -> None:
    teacher = load(version_of(tmp_path, "networks.shared=[16]"))
    assert teacher.words == (
        f"policy_versions/000000005000000 of {tmp_path} (5,000,000 steps), 16-8-8"
    )
    moved = (tmp_path / "policy_versions").rename(tmp_path / "old") / "000000005000000"
    assert load(moved).words == f"{moved} (5,000,000 steps), 16-8-8"


def test_a_teacher_is_frozen_float32_and_gives_no_gradients(tmp_path: Path) -> None:
    teacher = load(save_weights(DiscreteFF(D, 8).half(), tmp_path / "it"))
    assert not teacher.actor.training
    for parameter in teacher.actor.parameters():
        assert parameter.dtype == torch.float32
        assert not parameter.requires_grad


def test_log_probs_are_of_the_possible_actions_alone_whatever_the_shape(tmp_path: Path) -> None:
    teacher = load(make_run(tmp_path / "run").path)
    masks = torch.zeros(5, 10, 90, dtype=torch.bool)
    masks[..., :3] = True
    found = teacher.log_probs(OBS.view(5, 10, D), masks)
    assert found.shape == (5, 10, 90)
    # Σ p = 1 over the three alone, and their differences are those of the logits.
    torch.testing.assert_close(found[..., :3].exp().sum(-1), torch.ones(5, 10))
    assert (found[..., 3:].exp() == 0).all()
    logits = teacher.actor(OBS).view(5, 10, 90)
    torch.testing.assert_close(
        found[..., 1] - found[..., 0], logits[..., 1] - logits[..., 0], atol=1e-6, rtol=0
    )


def test_settings_that_contradict_a_contract_are_refused_and_defaults_say_nothing(
    tmp_path: Path,
) -> None:
    run = make_run(tmp_path / "run", "sim.observation=local").path
    assert load(run).obs_name == "local"
    assert load(run, observation="local").obs_name == "local"
    assert_refused(
        run,
        r"says itself what it is: transfer\.teacher\.max_team_size is 3 and its contract says 0; "
        r"transfer\.teacher\.activation is tanh and its contract says relu",
        activation="tanh",
        max_team_size=3,
    )


def test_what_was_trained_with_masks_teaches_nobody_without(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run").path
    with pytest.raises(TeacherError, match=r"set sim\.action_masks = true"):
        load_teacher(run, TeacherConfig(), replace(STUDENT, action_masks=False), ["1v1"])


def test_another_action_table_is_refused_with_both(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    (checkpoint,) = list_checkpoints(run)
    rewrite_contract(checkpoint, action_hash="0123456789abcdef")
    assert_refused(
        run.path, f"another action table: 0123456789abcdef there, {STUDENT.action_hash} in the"
    )


def test_an_observation_of_another_release_is_refused_with_both(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    (checkpoint,) = list_checkpoints(run)
    rewrite_contract(checkpoint, obs_hash="0123456789abcdef")
    assert_refused(run.path, "sees default as another release built it: 0123456789abcdef there")
    rewrite_contract(checkpoint, obs_name="lidar")
    assert_refused(run.path, "makes no sense: there is no observation 'lidar'")
    rewrite_contract(checkpoint, obs_name="default", modes=())
    assert_refused(run.path, "makes no sense")


def test_damage_is_told_of(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    (checkpoint,) = list_checkpoints(run)
    (checkpoint / "actor.safetensors").write_bytes(b"")
    assert_refused(checkpoint, "no whole checkpoint: actor.safetensors is not what was saved")
    assert_refused(run.path, "neither a checkpoint nor a run with a whole one")
    version = version_of(tmp_path / "run")
    (version / "actor.safetensors").write_bytes(b"")
    assert_refused(version, "actor.safetensors is not what was saved")
    bundle = make_bundle(tmp_path / "other")
    (bundle / MANIFEST).write_text("{}")
    assert_refused(bundle, "is no whole bundle")


def test_ours_with_a_number_that_is_not_finite_is_refused(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    weights = bundle / "policy.safetensors"
    tensors = load_file(weights)
    tensors["layers.2.bias"][0] = float("nan")
    save_file(tensors, weights)
    reseal(bundle, checkpoint_hash=sha256(weights.read_bytes()).hexdigest())
    assert_refused(bundle, r"layers\.2\.bias holds a number that is not finite")


def test_a_single_file_of_ours_is_refused_for_its_folder(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    (checkpoint,) = list_checkpoints(RunDir(tmp_path / "my run"))
    for file in (checkpoint / "actor.safetensors", bundle / "policy.onnx"):
        assert_refused(file, f"is a part of {file.parent}: give the folder")


# Of others


def test_rlgym_ppo_in_its_folder_or_by_file(tmp_path: Path) -> None:
    theirs = DiscreteFF(D, 32, 16)
    file = save_pickled(theirs, tmp_path / "PPO_POLICY.pt")
    save_pickled(DiscreteFF(D, 32, actions=1), tmp_path / "PPO_VALUE_NET.pt")
    for path in (tmp_path, file):
        teacher = load(path)
        torch.testing.assert_close(teacher.actor(OBS), theirs.logits(OBS), atol=1e-6, rtol=0)
        assert teacher.words == f"{file}, 32-16 relu, sees default"
        assert teacher.sha256 == sha256(file.read_bytes()).hexdigest()
        assert (teacher.tick_skip, teacher.action_delay) == (None, None)


def test_a_policy_that_saw_standardised_numbers_is_refused_by_what_lies_beside_it(
    tmp_path: Path,
) -> None:
    file = save_pickled(DiscreteFF(D, 32), tmp_path / "PPO_POLICY.pt")
    book = tmp_path / "BOOK_KEEPING_VARS.json"
    stats = {"mean": [0.5] * D, "var": [2.0] * D, "shape": [D], "count": 3}
    book.write_text(json.dumps({"epoch": 7, "obs_running_stats": stats}))
    for path in (tmp_path, file):
        assert_refused(path, "PPO_POLICY.pt saw standardised numbers, as BOOK_KEEPING_VARS.json")
    # What was made of it has another name.
    load(file.rename(tmp_path / "plain.pt"))
    (tmp_path / "plain.pt").rename(file)
    for text in (json.dumps({"epoch": 7}), "[]", "{", ""):
        book.write_text(text)
        load(tmp_path)


def test_safetensors_with_a_shared_head_of_gigalearn(tmp_path: Path) -> None:
    """rlgymppo_advanced shows 43 numbers and 44 for each of 3 a side: 175."""
    head = nn.Sequential(*hidden(175, (32, 16), nn.LayerNorm, nn.LeakyReLU))
    actor = nn.Sequential(*hidden(16, (8,), nn.LayerNorm, nn.LeakyReLU), nn.Linear(8, 90))
    first = save_weights(actor, tmp_path / "POLICY.safetensors")
    second = save_weights(head, tmp_path / "SHARED_HEAD.safetensors")
    known = {
        "observation": "rlgymppo_advanced",
        "max_team_size": 3,
        "norm": "layer_norm",
        "activation": "leaky_relu",
    }
    teacher = load(tmp_path, "1v1", "2v2", "3v3", **known)
    obs = torch.randn(50, 175)
    torch.testing.assert_close(teacher.actor(obs), actor(head(obs)), atol=1e-6, rtol=0)
    assert teacher.words == (
        f"{first} behind SHARED_HEAD.safetensors, 32-16-8 leaky_relu, sees rlgymppo_advanced"
    )
    assert teacher.sha256 == sha256(first.read_bytes() + second.read_bytes()).hexdigest()
    assert teacher.observation("2v2").width == 175
    assert_refused(first, "SHARED_HEAD.safetensors lies beside .*: give the folder", **known)


def test_a_width_that_fits_no_observation_told_names_the_one_that_fits(tmp_path: Path) -> None:
    """52 + 20 · 4 places = 132; 43 + 44 · 2 = 131."""
    file = save_weights(DiscreteFF(132, 8), tmp_path / "policy.safetensors")
    assert_refused(
        file,
        r"takes 132 numbers, and default shows 92 numbers of 1v1; for 1v1, default with "
        r"max_team_size 2 would be as wide$",
    )
    assert load(file, "1v1", "2v2", max_team_size=2).obs_width == 132
    assert_refused(file, "for 1v1 and 2v2, default with max_team_size 2 would", "1v1", "2v2")
    assert_refused(file, "default of up to 1 a side cannot show 2v2", "2v2", max_team_size=1)
    assert_refused(file, "of up to 2 a side cannot show 3v3", "2v2", "3v3", max_team_size=2)
    save_weights(DiscreteFF(131, 8), file)
    assert_refused(file, "rlgymppo_advanced with max_team_size 2 would")
    save_weights(DiscreteFF(133, 8), file)
    assert_refused(file, "; no observation there is would be as wide")


def test_a_width_that_fits_some_of_the_modes_names_the_first_of_them(tmp_path: Path) -> None:
    """141 = 9 + 44 · 3 is of 3v3, or of fewer that are padded to it; 132 of 2v2, and of no 3v3."""
    file = save_weights(DiscreteFF(141, 8), tmp_path / "policy.safetensors")
    assert_refused(file, "for 1v1 and 3v3, rlgymppo_default with max_team_size 3", "1v1", "3v3")
    save_weights(DiscreteFF(132, 8), file)
    assert_refused(file, "for 2v2, default or default with max_team_size 2 would", "3v3", "2v2")


def test_one_network_sees_every_mode_or_is_refused(tmp_path: Path) -> None:
    file = save_weights(DiscreteFF(D, 8), tmp_path / "policy.safetensors")
    assert_refused(file, "takes 92 numbers, and default shows 132 numbers of 2v2", "1v1", "2v2")
    run = make_run(tmp_path / "run").path
    assert_refused(run, "default shows 132 numbers of 2v2; it was trained in 1v1$", "1v1", "2v2")


def test_a_critic_and_other_actions_are_refused(tmp_path: Path) -> None:
    file = save_pickled(DiscreteFF(D, 8, actions=1), tmp_path / "PPO_VALUE_NET.pt")
    assert_refused(file, "it has 1 output, as a critic")
    save_pickled(DiscreteFF(D, 8, actions=1944), file)
    assert_refused(file, "another action table, it has 1944 outputs and the student 90 actions")


def test_the_refusals_of_files_are_a_teachers(tmp_path: Path) -> None:
    file = tmp_path / "PPO_POLICY.pt"
    file.touch()
    assert_refused(tmp_path, "PPO_POLICY.pt is empty")
    torch.save(torch.optim.Adam(DiscreteFF(D, 8).parameters()).state_dict(), file)
    assert_refused(file, "is the state of an optimizer")
    save_weights(nn.Sequential(*hidden(D, (8,), nn.RMSNorm), nn.Linear(8, 90)), file)
    assert_refused(file, "weights of norm rms_norm, and transfer.teacher.norm is none")


def test_a_folder_without_a_teacher_says_what_would_be_one(tmp_path: Path) -> None:
    assert_refused(tmp_path, "is no teacher: neither a run with a checkpoint, a checkpoint, a ver")
    assert_refused(tmp_path / "nowhere", "there is no .*nowhere")
    (tmp_path / "rust").mkdir()
    (tmp_path / "rust" / "actor.mpk.gz").touch()
    assert_refused(tmp_path / "rust", "holds Burn's records, as rlgymppo_rs saves them")
    (tmp_path / "cpp").mkdir()
    (tmp_path / "cpp" / "PPO_POLICY.lt").touch()
    assert_refused(tmp_path / "cpp", "holds TorchScript, as RLGymPPO_CPP and GigaLearn save it")


def test_of_several_teachers_none_is_chosen(tmp_path: Path) -> None:
    save_pickled(DiscreteFF(D, 8), tmp_path / "PPO_POLICY.pt")
    save_weights(DiscreteFF(D, 8), tmp_path / "actor.safetensors")
    assert_refused(tmp_path, r"several teachers \(PPO_POLICY\.pt, actor\.safetensors\): leave one")
