"""Rollouts that are played while the one before is learned from."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Timer

import numpy as np
import psutil
import pytest

from tests.trainer.flights import CPU, OVERLAP, Scripted, flights, one_process, scripted, start
from tests.trainer.test_edits import at_iteration, measured
from tests.trainer.test_workers import nothing, run_of
from tests.trainer.tiny import tiny_config
from tests.trainer.tiny_runs import log_probs_of, texts, train_tiny
from trainer import builder, jsonl, reward_lesson
from trainer.builder import fresh_state
from trainer.checkpoint import TrainingState
from trainer.checkpoint_folder import newest_valid
from trainer.config_ppo import PPOConfig
from trainer.overlap import Overlapping, copy_to_act
from trainer.rollout_tensors import RolloutTensors
from trainer.run_dir import RunDir


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path / "run")


@pytest.fixture
def played_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without processes, which take seconds to start: a thread of this one plays all arenas."""
    monkeypatch.setattr(builder, "count_workers", lambda config: 1)


def test_every_rollout_but_the_first_is_exactly_one_update_old(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn, weights = reward_lesson.learn, []
    gaps: list[list[float]] = []

    def measured_learn(
        config: PPOConfig, state: TrainingState, rollout: RolloutTensors, *rest: Callable[[], None]
    ) -> dict[str, float]:
        model = state.model
        weights.append({name: value.clone() for name, value in model.state_dict().items()})
        gaps.append([])
        for old in reversed(weights):
            model.load_state_dict(old)
            gap = (log_probs_of(model, rollout) - rollout.log_probs).abs().max()
            gaps[-1].append(float(gap))
        model.load_state_dict(weights[-1])
        return learn(config, state, rollout, *rest)

    monkeypatch.setattr(reward_lesson, "learn", measured_learn)
    train_tiny(run, *OVERLAP, "ppo.learning_rate=0.01", iterations=5)
    # By iteration, how far stored log-probabilities are from those of the newest weights, of those
    # one update before, two before, and so on.
    first, *later = gaps
    assert first[0] < 1e-5
    for newest, one_before, *older in later:
        assert one_before < 1e-5
        assert min([newest, *older]) > 1e-2
    assert len(gaps) == 5
    assert flights() == []
    assert not any("spawn_main" in str(p.cmdline()) for p in psutil.Process().children())


@pytest.mark.usefixtures("played_here")
def test_the_first_step_of_every_update_meets_the_policy_that_it_starts_from(run: RunDir) -> None:
    one_step = ("ppo.batch_size=64", "ppo.epochs=1", "ppo.learning_rate=0.01")
    train_tiny(run, *OVERLAP, *one_step, iterations=3)
    # Rows are of one update before, whose ratios have long left the clip range.
    for record in jsonl.read_all(run.metrics):
        assert (record["Loss/approx_kl"], record["Loss/clipfrac"]) == pytest.approx(
            (0, 0), abs=1e-9
        )
        assert record["Update/actor_magnitude"] > 0.1


@pytest.mark.usefixtures("played_here")
def test_a_run_begins_as_one_without_overlap_and_then_parts_from_it(tmp_path: Path) -> None:
    apart = run_of(tmp_path / "apart", iterations=2)
    beside = run_of(tmp_path / "beside", "ppo.overlap=true", iterations=2)
    assert list(beside[0]) == list(apart[0])
    for name, value in apart[0].items():
        # Log-probabilities are computed anew, which rounds otherwise.
        assert beside[0][name] == pytest.approx(value, rel=1e-3, abs=1e-6, nan_ok=True)
    assert beside[1]["Reward/total"] != apart[1]["Reward/total"]


@pytest.mark.usefixtures("played_here")
def test_the_same_seed_is_the_same_run_and_two_resumes_go_the_same_way(tmp_path: Path) -> None:
    # Coarse physics are drawn by the steps at which a rollout begins, as a resume counts them.
    settings = ("ppo.overlap=true", "sim.coarse_chance=0.9", "sim.coarse_until_steps=2000")
    first = run_of(tmp_path / "first", *settings, iterations=2)
    unharmed = run_of(tmp_path / "unharmed", *settings, iterations=6)
    np.testing.assert_equal(first, unharmed[:2])
    shutil.copytree(tmp_path / "first", tmp_path / "second")
    resumed, as_well = (
        run_of(tmp_path / name, *settings, iterations=4) for name in ("first", "second")
    )
    np.testing.assert_equal(resumed, as_well)
    rates = [record["Collect/physics_hz"] for record in resumed]
    assert rates == [record["Collect/physics_hz"] for record in unharmed]
    assert set(rates) == {60, 120}


def test_what_is_kept_is_the_rollout_taken_out_and_not_the_one_that_landed_since() -> None:
    config = tiny_config()
    players, state = start(config)
    twin_state = fresh_state(config, CPU)
    twin = one_process(config, twin_state)
    for _ in range(2):
        players.collect(0, nothing)
        twin.collect(0, nothing)
        players.change(config)  # by then the next one has landed
        assert players.rollout.valid.all()
        for name in ("obs", "masks", "actions", "rewards", "log_probs", "values", "next_values"):
            np.testing.assert_array_equal(
                getattr(players.rollout, name), getattr(twin.rollout, name)
            )
        for name, rng in twin_state.rngs.items():
            assert state.rngs[name].bit_generator.state == rng.bit_generator.state
        assert players.rollout_s > 0
    players.close()


def test_values_are_brought_into_the_units_that_the_critic_speaks_by_now() -> None:
    players, state = start(tiny_config())
    players.collect(0, nothing)
    # What an update does to the critic when returns turn out to vary by 4, and nothing else.
    state.model.rescale_values(1 / 4)
    state.reward_scale = 4.0
    players.collect(32, nothing)
    values = state.model.values(players.rollout.obs).detach()
    assert values.abs().max() > 1e-3
    np.testing.assert_allclose(players.rollout.values, values, atol=1e-6)
    np.testing.assert_allclose(players.rollout.next_values[:-1], values[1:], atol=1e-6)
    players.close()


def test_a_rollout_begins_after_the_steps_of_all_before_it() -> None:
    inner, state = Scripted(), fresh_state(tiny_config(), CPU)
    inner.may_end.set()
    players = Overlapping(inner, state, copy_to_act(state))
    for steps in (600, 606, 612):
        players.collect(steps, nothing)
    players.close()
    begun = [told for told in inner.story if isinstance(told, int)]
    assert begun == [600, 606, 612, 618]


def test_who_waits_is_asked_again_and_again_and_once_where_nothing_is_to_wait_for() -> None:
    players, inner = scripted()
    asked: list[int] = []

    def ask() -> None:
        asked.append(1)
        if len(asked) == 3:
            inner.may_end.set()

    players.collect(12, ask)
    assert len(asked) >= 3
    players.change(tiny_config())
    asked.clear()
    players.collect(18, ask)
    assert len(asked) == 1
    players.close()


def test_a_change_waits_for_the_rollout_in_flight() -> None:
    players, inner = scripted()
    Timer(0.1, inner.may_end.set).start()
    players.change(tiny_config())
    assert inner.story == ["landed", "changed"]
    players.close()


@pytest.mark.usefixtures("played_here")
def test_an_edit_reaches_the_update_at_once_and_play_one_rollout_later(run: RunDir) -> None:
    ask = at_iteration(run, {"ppo.clip_range": 0.1, "rewards.in_air": 1})
    train_tiny(run, *OVERLAP, iterations=4, say=ask)
    assert measured(run, "Update/clip_range") == [0.2, 0.1, 0.1, 0.1]
    assert [found is None for found in measured(run, "Reward/in_air")] == [True, True, False, False]
    (edit,) = texts(run, "edit")
    assert edit.endswith(", from iteration 2 on, but for the rollout in flight")


@pytest.mark.usefixtures("played_here")
def test_times_are_of_the_learner_and_phases_of_the_rollout_beside_it(run: RunDir) -> None:
    train_tiny(run, *OVERLAP, iterations=4)
    for record in jsonl.read_all(run.metrics):
        parts = [record[f"Timing/{name}_s"] for name in ("collect", "update", "save", "publish")]
        assert record["Throughput/overall_sps"] == pytest.approx(64 / sum(parts))
        assert record["Throughput/collect_sps"] == pytest.approx(64 / record["Timing/rollout_s"])
        assert 0 <= record["Timing/waiting_s"] < record["Timing/rollout_s"]


@pytest.mark.usefixtures("played_here")
def test_a_checkpoint_holds_the_random_states_of_the_rollout_learned_from(tmp_path: Path) -> None:
    states = []
    for overlap in ("false", "true"):
        run_of(tmp_path / overlap, f"ppo.overlap={overlap}", iterations=1)
        newest = newest_valid(RunDir(tmp_path / overlap))
        assert newest is not None
        states.append(json.loads((newest / "state.json").read_text())["rng"])
    assert states[0] == states[1]
