"""Versions that a run keeps while it trains."""

import errno
import shutil
from pathlib import Path

import pytest
import torch

from tests.trainer.tiny import tiny_config
from tests.trainer.tiny_runs import checkpoint_steps, texts, train_tiny
from trainer import jsonl
from trainer.builder import fresh_state
from trainer.checkpoint import load_actor
from trainer.checkpoint_folder import checkpoint_path, sha256
from trainer.config import RunConfig
from trainer.control import EVENT_KINDS
from trainer.networks import ActorCritic, parameter_vector
from trainer.run_dir import RunDir
from trainer.version_folder import list_versions, version_path
from trainer.versions import ACTOR, load_version, save_version

CPU = torch.device("cpu")
OFTEN = ("checkpoint.every_steps=32", "checkpoint.keep=0")
"""An iteration is 32 steps: a checkpoint after each."""


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path / "run")


def test_one_is_kept_whenever_enough_steps_have_passed_and_the_newest_stay(run: RunDir) -> None:
    # Multiples of 70 are passed in the iterations that end at 96, 160, 224 and 288 steps.
    train_tiny(run, *OFTEN, "versions.every_steps=70", "versions.keep=2", iterations=9)
    assert list_versions(run) == [224, 288]
    told = [record for record in jsonl.read_all(run.events) if record["kind"] == "version"]
    assert [(record["text"], record["steps"]) for record in told] == [
        (f"kept version {steps}", steps) for steps in (96, 160, 224, 288)
    ]
    assert len(checkpoint_steps(run)) == 9
    for steps in (224, 288):
        actor, _ = load_version(version_path(run, steps))
        saved, _ = load_actor(checkpoint_path(run, steps))
        assert parameter_vector(actor).equal(parameter_vector(saved))


def test_none_are_kept_when_nobody_wants_any(run: RunDir) -> None:
    train_tiny(run, "versions.every_steps=0", iterations=3)
    assert not run.versions.exists()


def test_a_resume_goes_on_counting_where_the_run_is(run: RunDir) -> None:
    for _ in range(4):
        train_tiny(run, "versions.every_steps=64", iterations=1)
    assert list_versions(run) == [64, 128]


def test_a_full_disk_is_told_and_the_next_iteration_keeps_one(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = [OSError(errno.ENOSPC, "No space left on device")]

    def full_once(run: RunDir, config: RunConfig, model: ActorCritic, steps: int) -> Path:
        if failures:
            raise failures.pop()
        return save_version(run, config, model, steps)

    monkeypatch.setattr("trainer.version_keeper.save_version", full_once)
    train_tiny(run, "versions.every_steps=64", iterations=5)
    (warning,) = texts(run, "warning")
    assert warning == "could not keep a version: [Errno 28] No space left on device"
    assert list_versions(run) == [96, 128]


def test_one_that_was_due_when_the_run_was_killed_is_kept_by_the_next_session(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*what: object) -> Path:
        raise RuntimeError("killed")

    settings = (*OFTEN, "versions.every_steps=64")
    with monkeypatch.context() as patched:
        patched.setattr("trainer.version_keeper.save_version", killed)
        with pytest.raises(RuntimeError, match="killed"):
            train_tiny(run, *settings, iterations=2)
    train_tiny(run, *settings, iterations=1)
    assert list_versions(run) == [64]


def test_where_another_has_its_number_the_next_iteration_keeps_one(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trainer.version_keeper.set_aside_after", lambda run, steps: [])
    save_version(run, tiny_config(), fresh_state(tiny_config(), CPU).model, 64)
    train_tiny(run, "versions.every_steps=64", iterations=3)
    (warning,) = texts(run, "warning")
    assert warning.startswith("could not keep a version: ")
    assert warning.endswith("exists already")
    assert list_versions(run) == [64, 96]


def test_one_that_cannot_be_removed_is_a_warning(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(run: RunDir, keep: int) -> None:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("trainer.version_keeper.prune_versions", refuse)
    train_tiny(run, "versions.every_steps=32", iterations=1)
    assert texts(run, "warning") == [
        "could not remove an old version: [Errno 13] Permission denied"
    ]


def test_versions_past_the_checkpoint_that_a_run_goes_on_from_are_set_aside(run: RunDir) -> None:
    settings = (*OFTEN, "versions.every_steps=32")
    train_tiny(run, *settings, iterations=3)
    lost = {steps: sha256(version_path(run, steps) / ACTOR) for steps in (64, 96)}
    for steps in lost:
        shutil.rmtree(checkpoint_path(run, steps))
    train_tiny(run, *settings, "ppo.learning_rate=0.5", iterations=1)
    (warning,) = texts(run, "warning")
    assert warning == (
        "the run goes on from 32 steps: newer versions are of a line that ended, and set aside in "
        f"policy_versions: {64:015d}.aside, {96:015d}.aside"
    )
    assert list_versions(run) == [32, 64]
    assert sha256(version_path(run, 64) / ACTOR) != lost[64]
    for steps, digest in lost.items():
        aside = version_path(run, steps).with_name(f"{steps:015d}.aside")
        assert sha256(aside / ACTOR) == digest


def test_a_version_that_cannot_be_set_aside_is_a_warning(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(run: RunDir, steps: int) -> list[Path]:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("trainer.version_keeper.set_aside_after", refuse)
    train_tiny(run, iterations=1)
    assert texts(run, "warning") == [
        "could not set a newer version aside: [Errno 13] Permission denied"
    ]


def test_its_event_is_one_of_a_kind_that_readers_know() -> None:
    assert "version" in EVENT_KINDS
    assert tiny_config().versions.every_steps == 5_000_000
