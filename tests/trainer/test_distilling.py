"""Whole sessions of learning from a teacher, and what they leave in the run folder."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from tests.trainer.test_resume import measured
from tests.trainer.tiny import tiny_config
from tests.trainer.tiny_runs import at, texts
from trainer.builder import build
from trainer.checkpoint import contract_of
from trainer.checkpoint_folder import newest_valid
from trainer.control import send_edit
from trainer.distilling import ends_taught
from trainer.run_dir import RunDir
from trainer.teachers import Teacher, load_teacher
from trainer.training import Request, train

TEACHER = ("networks.actor=[24, 24]", "sim.observation=local", "sim.max_team_size=2")
SHARED = ("networks.shared=[8]", "networks.actor=[8]")


def silent(line: str) -> None:
    pass


@pytest.fixture
def teacher(tmp_path: Path) -> Path:
    """A run whose actor is larger than the student's, and sees something else."""
    return train_teacher(tmp_path / "teacher")


def train_teacher(folder: Path, *settings: str) -> Path:
    config = tiny_config(*TEACHER, *settings)
    train(Request(RunDir(folder), config, folder, "the test", 1), silent)
    return folder


def loaded(path: Path, *settings: str) -> Teacher:
    config = tiny_config(*settings)
    student = contract_of(config, 0)
    return load_teacher(path, config.transfer.teacher, student, config.sim.played)


def distill(
    run: RunDir,
    teacher: Path,
    *settings: str,
    iterations: int = 1,
    say: Callable[[str], None] = silent,
) -> None:
    config = tiny_config(*settings)
    request = Request(run, config, run.path, "the test", iterations)
    train(request._replace(teacher=loaded(teacher, *settings)), say)


def practise(run: RunDir, *settings: str) -> None:
    """An iteration of PPO."""
    train(Request(run, tiny_config(*settings), run.path, "the test", 1), silent)


def newest(run: RunDir) -> Path:
    found = newest_valid(run)
    assert found is not None
    return found


def test_the_same_seed_is_the_same_distillation_and_a_resume_goes_on_as_another(
    tmp_path: Path, teacher: Path
) -> None:
    first, again, resumed = (RunDir(tmp_path / name) for name in ("first", "again", "resumed"))
    for run in (first, again):
        distill(run, teacher, *SHARED, iterations=2)
    assert measured(first) == measured(again)
    shutil.copytree(first.checkpoints, resumed.checkpoints)
    for run in (first, resumed):
        distill(run, teacher, *SHARED, iterations=2)
    assert measured(first)[2:] == measured(resumed)
    assert "the optimizer begins fresh" not in texts(first, "start")[-1]
    # 32 steps an iteration in 2 batches, twice.
    assert [record["Cumulative/updates"] for record in measured(first)] == [4, 8, 12, 16]


def test_the_critic_is_left_as_it_was_drawn_and_that_is_said(tmp_path: Path, teacher: Path) -> None:
    run = RunDir(tmp_path / "run")
    distill(run, teacher, *SHARED, iterations=2)
    drawn = build(tiny_config(*SHARED), tmp_path, None).state
    state = build(tiny_config(*SHARED), tmp_path, newest(run)).state
    for name, part in state.model.parts.items():
        pairs = zip(part.parameters(), drawn.model.parts[name].parameters(), strict=True)
        same = [torch.equal(one, other) for one, other in pairs]
        assert all(same) if name == "critic" else not any(same)
    assert not any(state.optimizers["critic"].state.values())
    assert (state.counters.taught, state.counters.steps) == (64, 64)
    (start,) = texts(run, "start")
    assert "by kl at learning rate 0.001; the critic is left alone" in start


def test_the_folder_says_who_taught_and_when_another_comes(tmp_path: Path, teacher: Path) -> None:
    run, other = RunDir(tmp_path / "run"), train_teacher(tmp_path / "other", "seed=3")
    distill(run, teacher)
    told = json.loads(run.teacher.read_text())
    assert told["sha256"] == loaded(teacher).sha256
    assert told["words"] == loaded(teacher).words
    distill(run, other)
    one, two = texts(run, "start")
    assert f"learns from {told['words']} (sha256 {told['sha256'][:12]})" in one
    assert "another" not in one
    assert f"until now another one taught (sha256 {told['sha256'][:12]})" in two
    assert json.loads(run.teacher.read_text())["sha256"] == loaded(other).sha256
    distill(run, other)
    assert "another" not in texts(run, "start")[2]


def test_a_teacher_of_another_clock_may_teach_and_is_warned_of(tmp_path: Path) -> None:
    run, other = RunDir(tmp_path / "run"), tmp_path / "other"
    train_teacher(other, "sim.tick_skip=4", "sim.action_delay=2")
    distill(run, other)
    assert texts(run, "warning") == [
        "the teacher was trained with tick_skip 4 and not 8 and action_delay 2 and not 1: it "
        "judges by another clock"
    ]


def test_ppo_goes_on_from_the_distilled_actor_with_a_fresh_optimizer_and_says_so(
    tmp_path: Path, teacher: Path
) -> None:
    run, warmed = RunDir(tmp_path / "run"), ("ppo.critic_warmup_steps=32",)
    distill(run, teacher)
    actor = load_file(newest(run) / "actor.safetensors")
    practise(run, *warmed)
    start = texts(run, "start")[1]
    assert "the optimizer begins fresh" in start
    assert (
        "the actor comes from a distillation, which left the critic alone: it learns alone for 32 "
        "steps (ppo.critic_warmup_steps)"
    ) in start
    state = build(tiny_config(), tmp_path, newest(run)).state
    assert (state.counters.taught, state.counters.steps) == (32, 64)
    # Only moments of the two steps that PPO took.
    counts = [moments["step"] for moments in state.optimizers["critic"].state.values()]
    assert {float(count) for count in counts} == {4}
    first, second = measured(run)
    assert ("Loss/value" in first, "Transfer/kl" in first) == (False, True)
    assert ("Loss/value" in second, "Transfer/kl" in second) == (True, False)
    after = load_file(newest(run) / "actor.safetensors")
    assert all(torch.equal(after[name], actor[name]) for name in actor)
    # What follows is PPO like any other, and to be taught anew is another beginning.
    practise(run)
    assert "distillation" not in texts(run, "start")[2]
    assert "fresh" not in texts(run, "start")[2]
    distill(run, teacher)
    assert "the optimizer begins fresh" in texts(run, "start")[3]
    assert "another" not in texts(run, "start")[3]


def test_a_run_ends_taught_until_it_has_learned_otherwise() -> None:
    assert not ends_taught(taught=0, steps=0)
    assert ends_taught(taught=64, steps=64)
    assert not ends_taught(taught=64, steps=96)


def test_what_has_no_meaning_there_is_off_and_stays_in_the_config(
    tmp_path: Path, teacher: Path
) -> None:
    run = RunDir(tmp_path / "run")
    distill(run, teacher, "ppo.overlap=true", "sim.workers=0", "selfplay.chance=0.5")
    (start,) = texts(run, "start")
    assert "ppo.overlap and selfplay.chance have no effect meanwhile" in start
    config = run.config.read_text()
    assert "overlap = true" in config
    assert "chance = 0.5" in config


def test_processes_that_play_teach_the_same_rows(tmp_path: Path, teacher: Path) -> None:
    two = ("sim.workers=2", "sim.arenas=4", "ppo.steps_per_iteration=64")
    first, second = RunDir(tmp_path / "first"), RunDir(tmp_path / "second")
    for run in (first, second):
        distill(run, teacher, *two, iterations=2)
    assert measured(first) == measured(second)


def test_settings_of_the_lesson_change_while_it_goes_on(tmp_path: Path, teacher: Path) -> None:
    run, values = RunDir(tmp_path / "run"), {"transfer.loss": "mae", "transfer.learning_rate": 5e-4}
    asked = at("iteration 1", lambda: send_edit(run, values))
    distill(run, teacher, iterations=2, say=asked)
    first, second = measured(run)
    assert [record["Update/learning_rate_actor"] for record in (first, second)] == [1e-3, 5e-4]
    assert first["Transfer/loss"] == first["Transfer/kl"]
    assert second["Transfer/loss"] != second["Transfer/kl"]
