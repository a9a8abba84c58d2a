"""A branch of a run that was really trained, and what is refused; most need no networks."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.trainer.fake_checkpoints import fake_checkpoint, spoil
from tests.trainer.tiny import tiny_config
from tests.trainer.tiny_runs import at, checkpoint_steps, texts, train_tiny
from trainer import branch as branch_module
from trainer import jsonl
from trainer.branch import BranchError, Parent, branch, default_branch, parent_of
from trainer.checkpoint_folder import FILES, checkpoint_path, damage, sha256
from trainer.checkpoint_list import CheckpointRefusedError
from trainer.checkpoint_marks import Mark, read_mark, write_mark
from trainer.config_file import load_config, write_config
from trainer.run_dir import RunDir
from trainer.training import Request, train
from trainer.version_folder import list_versions, version_path

OFTEN = ("checkpoint.every_steps=32", "checkpoint.keep=0")


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path / "runs" / "laptop")


@pytest.fixture
def new(run: RunDir) -> RunDir:
    return RunDir(run.path.with_name("new"))


def contents(run: RunDir) -> dict[str, bytes]:
    return {
        path.relative_to(run.path).as_posix(): path.read_bytes()
        for path in run.path.rglob("*")
        if path.is_file()
    }


def resume(run: RunDir, iterations: int) -> None:
    """Train on by nothing but what is in its folder, as `rlppo train --run` does."""
    config = load_config(run.config)
    train(Request(run, config, run.path, "its config", iterations), lambda line: None)


def fake_run(run: RunDir, *steps: int) -> list[Path]:
    folders = [fake_checkpoint(run, at_steps) for at_steps in steps]
    write_config(run.config, tiny_config("ppo.epochs=5"))
    return folders


def test_a_branch_goes_on_exactly_as_the_run_would_have_and_that_stays_as_it_was(
    run: RunDir, new: RunDir
) -> None:
    train_tiny(run, *OFTEN, iterations=3)
    before = contents(run)
    branch(run, checkpoint_path(run, 32), new)
    assert [record["iteration"] for record in jsonl.read_all(new.metrics)] == [1]
    assert checkpoint_steps(new) == [32]
    # As if the run had never seen what came after.
    as_if = RunDir(run.path.with_name("as-if"))
    shutil.copytree(run.path, as_if.path)
    for steps in (64, 96):
        shutil.rmtree(checkpoint_path(as_if, steps))
    for folder in (new, as_if):
        resume(folder, iterations=2)
    assert contents(run) == before
    assert checkpoint_steps(new) == [96, 64, 32]
    for name in ("actor.safetensors", "critic.safetensors", "optimizer.safetensors"):
        mine, theirs = (sha256(checkpoint_path(found, 96) / name) for found in (new, as_if))
        assert mine == theirs
    states = [
        json.loads((checkpoint_path(found, 96) / "state.json").read_text())
        for found in (new, as_if)
    ]
    assert states[0]["rng"] == states[1]["rng"]
    assert states[0]["counters"]["iteration"] == 3
    assert [record["iteration"] for record in jsonl.read_all(new.metrics)] == [1, 2, 3]
    first, second = texts(new, "start")
    assert first == (
        f"branched from {run.path} at 32 steps; the settings are those of that run now"
    )
    assert second.startswith(f"resumed {checkpoint_path(new, 32)} at 32 steps")
    assert second.endswith("the checkpoint was trained with the same")
    starts = [record["steps"] for record in jsonl.read_all(new.events) if record["kind"] == "start"]
    assert starts == [32, 32]


def version(run: RunDir, steps: int) -> Path:
    path = version_path(run, steps)
    path.mkdir(parents=True)
    (path / "actor.safetensors").write_text(f"of {steps}")
    return path


def test_the_versions_up_to_its_steps_come_along_whole(run: RunDir, new: RunDir) -> None:
    _, checkpoint, _ = fake_run(run, 10, 20, 30)
    for steps in (5, 20, 25):
        version(run, steps)
    version(run, 15).rename(version_path(run, 15).with_suffix(".aside"))
    branch(run, checkpoint, new)
    assert list_versions(new) == [5, 20]
    assert sorted(path.name for path in new.versions.iterdir()) == [f"{5:015d}", f"{20:015d}"]
    copies = [(version_path(new, at) / "actor.safetensors").read_text() for at in (5, 20)]
    assert copies == ["of 5", "of 20"]
    assert list_versions(run) == [5, 20, 25]


def test_a_version_that_is_pruned_on_the_way_is_gone_in_the_branch_too(
    run: RunDir, new: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    (checkpoint,) = fake_run(run, 20)
    going, _ = version(run, 5), version(run, 10)

    def listed(found: RunDir) -> list[int]:
        shutil.rmtree(going, ignore_errors=True)
        return [5, 10]

    monkeypatch.setattr(branch_module, "list_versions", listed)
    branch(run, checkpoint, new)
    assert list_versions(new) == [10]


def test_a_run_may_be_branched_while_it_trains(run: RunDir, new: RunDir) -> None:
    def make() -> None:
        branch(run, checkpoint_path(run, 64), new)

    train_tiny(run, *OFTEN, iterations=4, say=at("iteration 3 ", make))
    assert checkpoint_steps(run) == [128, 96, 64, 32]
    assert [record["steps"] for record in jsonl.read_all(new.metrics)] == [32, 64]
    resume(new, iterations=1)
    assert checkpoint_steps(new) == [96, 64]


def test_its_own_rewards_and_start_states_come_along(run: RunDir, new: RunDir) -> None:
    (folder,) = fake_run(run, 100)
    own = ('rewards.custom={"mine:spin"=1.0}', "resets.file=start_states.jsonl")
    write_config(run.config, tiny_config(*own))
    for name in ("mine.py", "start_states.jsonl", "trainer.log"):
        (run.path / name).write_text(name)
    branch(run, folder, new)
    assert (new.path / "mine.py").read_text() == "mine.py"
    assert (new.path / "start_states.jsonl").exists()
    found = {path.name for path in new.path.iterdir()}
    assert found == {
        *("branch.json", "checkpoints", "config.toml", "events.jsonl", "metrics.jsonl"),
        *("mine.py", "start_states.jsonl"),
    }


def test_files_that_a_config_names_elsewhere_stay_there(run: RunDir, new: RunDir) -> None:
    (folder,) = fake_run(run, 100)
    elsewhere = run.path.parent / "mine.jsonl"
    elsewhere.write_text("mine")
    for name in ("../mine.jsonl", str(elsewhere)):
        write_config(run.config, tiny_config(f'resets.file="{name}"'))
        branch(run, folder, new)
        assert elsewhere.read_text() == "mine"
        shutil.rmtree(new.path)


def test_the_settings_are_the_present_ones_of_the_run(run: RunDir, new: RunDir) -> None:
    (folder,) = fake_run(run, 100)
    branch(run, folder, new)
    assert load_config(new.config).ppo.epochs == 5
    assert texts(new, "start")[0].endswith("the settings are those of that run now")


@pytest.mark.parametrize(
    "setting",
    [
        "networks.actor=[9]",
        "networks.activation=silu",
        "sim.observation=local",
        "sim.max_team_size=3",
        "ppo.optimizer=muon",
    ],
)
def test_they_are_those_of_the_checkpoint_where_the_present_ones_no_longer_fit_it(
    run: RunDir, new: RunDir, setting: str
) -> None:
    (folder,) = fake_run(run, 100)
    write_config(run.config, tiny_config("ppo.epochs=5", setting))
    branch(run, folder, new)
    assert load_config(new.config) == tiny_config()
    assert "of the checkpoint, since those of that run now have other" in texts(new, "start")[0]


def test_a_run_whose_config_is_lost_can_be_branched(run: RunDir, new: RunDir) -> None:
    (folder,) = fake_run(run, 100)
    run.config.unlink()
    branch(run, folder, new)
    assert load_config(new.config) == tiny_config()
    assert texts(new, "start")[0].endswith("since those of that run now cannot be read")


def test_the_mark_of_the_checkpoint_stays_with_the_parent(run: RunDir, new: RunDir) -> None:
    (folder,) = fake_run(run, 100)
    write_mark(folder, Mark("mine", pinned=True))
    branch(run, folder, new)
    assert read_mark(checkpoint_path(new, 100)) == Mark()
    assert damage(checkpoint_path(new, 100)) is None


def test_neighbours_may_move_together_and_a_parent_elsewhere_is_named_in_full(
    run: RunDir, new: RunDir, tmp_path: Path
) -> None:
    (folder,) = fake_run(run, 100)
    branch(run, folder, new)
    assert parent_of(new) == Parent(run.path, 100)
    run.path.parent.rename(tmp_path / "moved")
    moved = tmp_path / "moved"
    assert parent_of(RunDir(moved / "new")) == Parent(moved / "laptop", 100)
    far = RunDir(tmp_path / "far" / "new")
    old = RunDir(moved / "laptop")
    branch(old, checkpoint_path(old, 100), far)
    assert parent_of(far) == Parent(old.path, 100)
    assert json.loads(far.branch.read_text())["of"] == str(old.path)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "{",
        "[]",
        pytest.param("[" * 100_000, id="deep"),
        '{"of": "a"}',
        '{"of": "a", "steps": 1e999}',
    ],
)
def test_a_run_that_tells_no_parent_has_none(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "branch.json").write_text(text)
    assert parent_of(RunDir(tmp_path)) is None


@pytest.mark.parametrize(
    ("steps", "name"),
    [
        (0, "laptop-from-0"),
        (999, "laptop-from-999"),
        (12_000, "laptop-from-12k"),
        (999_999, "laptop-from-1M"),
        (12_345_678, "laptop-from-12.3M"),
        (2_000_000_000, "laptop-from-2B"),
    ],
)
def test_a_branch_is_named_for_its_run_and_the_steps(run: RunDir, steps: int, name: str) -> None:
    assert default_branch(run, steps).path == run.path.with_name(name)


def test_a_name_that_is_taken_gets_a_number(run: RunDir, monkeypatch: pytest.MonkeyPatch) -> None:
    run.path.mkdir(parents=True)
    for name in ("laptop-from-12.3M", "laptop-from-12.3M-2"):
        run.path.with_name(name).mkdir()
    third = run.path.with_name("laptop-from-12.3M-3")
    assert default_branch(run, 12_345_678).path == third
    # From inside the run folder, too.
    monkeypatch.chdir(run.path)
    assert default_branch(RunDir(Path()), 12_345_678).path == third


def test_what_is_no_checkpoint_is_refused_with_the_nearest(run: RunDir, new: RunDir) -> None:
    fake_run(run, 100, 200)
    with pytest.raises(CheckpointRefusedError, match=f"no checkpoint '{170:015d}'; nearest: 200"):
        branch(run, checkpoint_path(run, 170), new)
    assert not new.path.exists()


def test_a_damaged_checkpoint_is_refused(run: RunDir, new: RunDir) -> None:
    (folder,) = fake_run(run, 100)
    spoil(folder / "critic.safetensors")
    with pytest.raises(BranchError, match=r"critic\.safetensors is not what was saved"):
        branch(run, folder, new)
    assert not new.path.exists()


def test_a_folder_that_is_in_use_is_refused_and_an_empty_one_is_taken(
    run: RunDir, new: RunDir
) -> None:
    (folder,) = fake_run(run, 100)
    new.path.mkdir()
    (new.path / "mine.txt").write_text("mine")
    for taken in (new, run, RunDir(new.path / "mine.txt")):
        with pytest.raises(BranchError, match="exists already and is not empty"):
            branch(run, folder, taken)
    assert [path.name for path in new.path.iterdir()] == ["mine.txt"]
    (new.path / "mine.txt").unlink()
    branch(run, folder, new)
    assert checkpoint_steps(new) == [100]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (shutil.rmtree, "was removed meanwhile: take a pinned one"),
        (lambda folder: spoil(folder / "actor.safetensors"), "the copy of .* is not whole"),
    ],
)
def test_a_checkpoint_that_goes_or_breaks_on_the_way_leaves_no_half_of_a_run(
    run: RunDir,
    new: RunDir,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], object],
    sentence: str,
) -> None:
    (folder,) = fake_run(run, 100)
    settings = branch_module._settings

    def meanwhile(*args: Path) -> object:
        found = settings(*args)  # type: ignore[arg-type]
        change(folder)
        return found

    monkeypatch.setattr(branch_module, "_settings", meanwhile)
    with pytest.raises(BranchError, match=sentence):
        branch(run, folder, new)
    assert [path.name for path in run.path.parent.iterdir()] == ["laptop"]


def test_every_file_of_a_checkpoint_is_copied_with_its_age(run: RunDir, new: RunDir) -> None:
    (folder,) = fake_run(run, 100)
    branch(run, folder, new)
    copy = checkpoint_path(new, 100)
    assert {path.name for path in copy.iterdir()} == {*FILES, "hashes.json"}
    assert copy.joinpath("hashes.json").stat().st_mtime == pytest.approx(
        folder.joinpath("hashes.json").stat().st_mtime, abs=0.001
    )


def test_who_taught_the_run_is_known_in_the_branch_too(run: RunDir, new: RunDir) -> None:
    (checkpoint,) = fake_run(run, 32)
    run.teacher.write_text("who taught")
    branch(run, checkpoint, new)
    assert new.teacher.read_text() == "who taught"
