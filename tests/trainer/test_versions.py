"""Versions on disk: when one is due, what a damaged one is told of, and what is put away."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from tests.trainer.fake_checkpoints import fake_checkpoint
from tests.trainer.tiny import tiny_config
from trainer.builder import fresh_state
from trainer.checkpoint_folder import list_checkpoints, newest_valid, prune, write_hashes
from trainer.networks import ActorCritic
from trainer.run_dir import RunDir
from trainer.version_folder import (
    is_due,
    list_versions,
    prune_versions,
    set_aside_after,
    version_path,
)
from trainer.versions import ACTOR, CONTRACT, SEAL, VersionError, load_version, save_version


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path / "run")


def model_of(*settings: str) -> ActorCritic:
    return fresh_state(tiny_config(*settings), torch.device("cpu")).model


def keep(run: RunDir, steps: int, *settings: str) -> Path:
    return save_version(run, tiny_config(*settings), model_of(*settings), steps)


@pytest.mark.parametrize(
    ("before", "now", "every", "due"),
    [
        (0, 99, 100, False),
        (0, 100, 100, True),
        (99, 100, 100, True),
        (100, 199, 100, False),
        (150, 460, 100, True),  # three boundaries at once are one version
        (100, 100, 100, False),
        (0, 1_000, 0, False),
    ],
)
def test_one_is_due_whenever_a_multiple_was_passed_or_reached(
    before: int, now: int, every: int, due: bool
) -> None:
    assert is_due(before, now, every) == due


@pytest.mark.parametrize("settings", [(), ("networks.shared=[6]",), ("networks.norm=rms_norm",)])
def test_a_version_plays_as_the_actor_of_its_moment(run: RunDir, settings: tuple[str, ...]) -> None:
    model, obs = model_of(*settings), torch.randn(5, 92)
    path = save_version(run, tiny_config(*settings), model, 640)
    expected = model.logits(obs).detach()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(1)  # training goes on
    actor, contract = load_version(path)
    assert path == version_path(run, 640)
    assert torch.equal(actor(obs).detach(), expected)
    assert (contract.steps, contract.obs_width, contract.modes) == (640, 92, ("1v1",))


def test_a_version_of_another_architecture_than_the_runs_is_itself(run: RunDir) -> None:
    wide = keep(run, 1, "networks.actor=[16]", "networks.activation=tanh", 'sim.modes={"2v2" = 1}')
    keep(run, 2)
    actor, contract = load_version(wide)
    assert (contract.actor_layers, contract.activation, contract.obs_width) == ((16,), "tanh", 132)
    assert actor(torch.zeros(1, 132)).shape == (1, 90)


def test_one_that_is_there_already_stays_and_nobody_is_told_that_another_was_kept(
    run: RunDir,
) -> None:
    path = keep(run, 1)
    before = (path / ACTOR).read_bytes()
    with pytest.raises(FileExistsError):
        keep(run, 1, "seed=7")
    assert (path / ACTOR).read_bytes() == before


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("name", [ACTOR, CONTRACT])
@pytest.mark.parametrize(
    ("harm", "words"),
    [(cut, "is not what was saved"), (flip, "is not what was saved"), (Path.unlink, "is missing")],
)
def test_a_version_that_is_damaged_is_told_of_and_never_replaced(
    run: RunDir, name: str, harm: Callable[[Path], None], words: str
) -> None:
    path = keep(run, 1)
    harm(path / name)
    with pytest.raises(VersionError) as told:
        load_version(path)
    assert str(told.value) == f"version {path}: {name} {words}"


@pytest.mark.parametrize("harm", [cut, Path.unlink])
def test_a_version_without_its_seal_is_not_trusted(
    run: RunDir, harm: Callable[[Path], None]
) -> None:
    path = keep(run, 1)
    harm(path / SEAL)
    with pytest.raises(VersionError, match=rf"^version {path}: {SEAL} is (damaged|missing)$"):
        load_version(path)


def test_a_version_of_another_program_is_told_of_in_one_line(run: RunDir) -> None:
    path = keep(run, 1)
    contract = json.loads((path / CONTRACT).read_text())
    (path / CONTRACT).write_text(json.dumps(contract | {"wings": 2}))
    write_hashes(path, (ACTOR, CONTRACT), SEAL)
    with pytest.raises(VersionError) as told:
        load_version(path)
    assert str(told.value).startswith(f"version {path} is of another program: ")
    assert "wings" in str(told.value)


@pytest.mark.parametrize(
    "change", [{"actor_layers": [8]}, {"norm": "batch_norm"}, {"obs_width": 91}]
)
def test_a_contract_of_another_network_than_its_weights_is_told_of_in_one_line(
    run: RunDir, change: dict[str, object]
) -> None:
    path = keep(run, 1)
    contract = json.loads((path / CONTRACT).read_text())
    (path / CONTRACT).write_text(json.dumps(contract | change))
    write_hashes(path, (ACTOR, CONTRACT), SEAL)
    with pytest.raises(VersionError) as told:
        load_version(path)
    words = f"version {path}: the weights are not the network of its contract"
    assert str(told.value) == words


@pytest.mark.parametrize(
    ("most", "left"), [(2, [30, 40]), (4, [10, 20, 30, 40]), (0, [10, 20, 30, 40])]
)
def test_the_newest_are_kept_and_0_keeps_all(run: RunDir, most: int, left: list[int]) -> None:
    for steps in (30, 10, 40, 20):
        version_path(run, steps).mkdir(parents=True)
    prune_versions(run, most)
    assert list_versions(run) == left


def test_a_removal_that_is_interrupted_leaves_no_half_of_a_version(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    for steps in (1, 2):
        keep(run, steps)

    def killed(folder: Path) -> None:
        (folder / ACTOR).unlink()
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("trainer.version_folder.shutil.rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            prune_versions(run, 1)
    assert list_versions(run) == [2]
    prune_versions(run, 1)
    assert [path.name for path in run.versions.iterdir()] == [f"{2:015d}"]


def test_leftovers_of_interrupted_saves_go_and_what_is_no_version_stays(run: RunDir) -> None:
    keep(run, 7)
    leftover = run.versions / f".{5:015d}.4242.tmp"
    foreign = [run.versions / name for name in ("notes", f"{3:015d}.aside", "12")]
    for folder in (leftover, *foreign):
        folder.mkdir()
    (run.versions / f"{4:015d}").write_text("a file")
    assert list_versions(run) == [7]
    prune_versions(run, 1)
    assert not leftover.exists()
    assert all(folder.is_dir() for folder in foreign)


def test_a_run_without_versions_has_none_to_prune(run: RunDir) -> None:
    prune_versions(run, 1)
    assert (list_versions(run), set_aside_after(run, 0)) == ([], [])


def test_a_version_is_no_checkpoint_and_takes_no_place_of_one(run: RunDir) -> None:
    fake_checkpoint(run, 10)
    newest = fake_checkpoint(run, 20)
    for steps in (5, 25, 30):
        keep(run, steps)
    assert [int(path.name) for path in list_checkpoints(run)] == [20, 10]
    assert newest_valid(run) == newest
    prune(run, newest, 1)
    assert [int(path.name) for path in list_checkpoints(run)] == [20]
    assert list_versions(run) == [5, 25, 30]


def test_newer_ones_are_set_aside_whole_and_two_of_one_number_have_two_names(run: RunDir) -> None:
    keep(run, 5)
    for seed in (1, 2):
        for steps in (10, 20):
            keep(run, steps, f"seed={seed}")
        names = [path.name for path in set_aside_after(run, 5)]
        number = "" if seed == 1 else "2"
        assert names == [f"{steps:015d}.aside{number}" for steps in (10, 20)]
    assert list_versions(run) == [5]
    for path in run.versions.glob("*.aside*"):
        load_version(path)
