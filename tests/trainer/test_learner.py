"""What an iteration does and measures."""

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from tests.trainer.tape import refuse
from tests.trainer.tiny import tiny_config
from tests.trainer.tiny_runs import checkpoint_steps, log_probs_of, texts, train_tiny
from trainer import checkpoint, jsonl, players, reward_lesson, training
from trainer.builder import fresh_state
from trainer.checkpoint import load_actor
from trainer.graphs import Steps
from trainer.optimizers import Learnable
from trainer.reward_lesson import learn
from trainer.rollout import Rollout
from trainer.rollout_tensors import RolloutTensors, tensors_of
from trainer.run_dir import RunDir, read_status
from trainer.stopwatch import UPDATE_PHASES


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path / "run")


def test_scaled_rewards_use_the_spread_of_the_iterations_before(run: RunDir) -> None:
    train_tiny(run, "ppo.scale_rewards=true", "ppo.reward_clip=0.5", iterations=3)
    first, second, third = jsonl.read_all(run.metrics)
    # Nothing has been seen before the first iteration; then the scale moves with what was.
    assert first["GAE/return_scale"] == 1
    assert 0 < second["GAE/return_scale"] != third["GAE/return_scale"]


def test_the_critic_keeps_its_opinion_when_the_reward_scale_moves() -> None:
    # A learning rate so small that only the scale can move the critic's output.
    config = tiny_config("ppo.scale_rewards=true", "ppo.learning_rate=1e-12")
    state = fresh_state(config, torch.device("cpu"))
    rollout, rng = Rollout.allocate(8, 4, 92, 90), np.random.default_rng(0)
    rollout.obs[:] = rng.normal(size=rollout.obs.shape)
    rollout.masks[:] = True
    rollout.rewards[:] = rng.normal(size=rollout.rewards.shape) * 20
    obs = torch.from_numpy(rollout.obs[0])
    before = state.model.values(obs).detach()
    for _ in range(2):
        learn(config.ppo, state, tensors_of(rollout), lambda: None)
        assert state.reward_scale == state.returns.std > 10
        torch.testing.assert_close(state.model.values(obs).detach() * state.reward_scale, before)
    # Without scaling it speaks in rewards again.
    unscaled = config.ppo.model_copy(update={"scale_rewards": False})
    learn(unscaled, state, tensors_of(rollout), lambda: None)
    assert state.reward_scale == 1
    torch.testing.assert_close(state.model.values(obs).detach(), before)


def test_the_learning_rate_follows_the_kl_into_the_next_session(run: RunDir) -> None:
    adaptive = ("ppo.adaptive_learning_rate=true", "ppo.target_kl=1.0", "ppo.learning_rate=1e-3")
    for _ in range(2):
        train_tiny(run, *adaptive, iterations=2)
    rates = [record["Update/learning_rate_actor"] for record in jsonl.read_all(run.metrics)]
    # A KL far below the target: times 1.5 after each iteration, across the resume too.
    assert rates == pytest.approx([1e-3, 1.5e-3, 2.25e-3, 3.375e-3])
    assert "which the KL had brought to 0.00225 by the checkpoint" in texts(run, "start")[1]


def test_an_iteration_is_measured(run: RunDir) -> None:
    train_tiny(run, iterations=2)
    record = jsonl.read_all(run.metrics)[1]
    assert (record["iteration"], record["steps"]) == (2, 64)
    # 32 rows in batches of 16, 2 epochs, 2 iterations: 8 optimizer steps.
    assert (record["Cumulative/updates"], record["Cumulative/steps"]) == (8, 64)
    parts = [record[f"Timing/{name}_s"] for name in ("collect", "update", "save", "publish")]
    assert min(parts[:2]) > 0
    assert record["Timing/iteration_s"] == pytest.approx(sum(parts))
    assert 0 < record["Timing/rollout_s"] <= parts[0]
    assert record["Throughput/collect_sps"] == pytest.approx(32 / record["Timing/rollout_s"])
    assert record["System/rss_mb"] > 50
    for name in ("Reward/total", "Collect/episodes", "Loss/approx_kl", "GAE/advantage_std"):
        assert name in record


def test_every_moment_of_an_iteration_belongs_to_a_phase(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings = itertools.count()

    def clock() -> float:
        """Moves by 1 whenever it is looked at, and never otherwise."""
        return float(next(readings))

    monkeypatch.setattr(training, "make_clock", lambda device, synchronise: clock)
    train_tiny(run, iterations=2)
    for record in jsonl.read_all(run.metrics):
        update = [record[f"Timing/{name}_s"] for name in UPDATE_PHASES]
        assert min(update) > 0
        # Two looks: the phases begin after the update did, and end before it does.
        assert record["Timing/update_s"] == sum(update) + 2
    # The third look, at 2, begins the first iteration; the last one ends the last. What ends an
    # iteration begins the next, so that none is lost between them.
    last = next(readings) - 1
    spent = [record["Timing/iteration_s"] for record in jsonl.read_all(run.metrics)]
    assert sum(spent) == last - 2


def test_no_row_is_older_than_the_newest_weights_however_long_episodes_last(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    update, gaps, moves, cut = reward_lesson.update, [], [], []

    def measured(steps: Steps, rollout: RolloutTensors, *rest: object) -> object:
        stored, model = rollout.log_probs.clone(), steps.learnable.model
        gaps.append(float((log_probs_of(model, rollout) - stored).abs().max()))
        found = update(steps, rollout, *rest)  # type: ignore[arg-type]
        moves.append(float((log_probs_of(model, rollout) - stored).abs().max()))
        cut.append(bool((rollout.terminated | rollout.truncated).any()))
        return found

    monkeypatch.setattr(reward_lesson, "update", measured)
    # 8 decisions an iteration and 300 s an episode: all rows are of the episodes that were begun
    # under the first weights.
    train_tiny(run, "ppo.learning_rate=0.01", "episodes.no_touch_s=0", iterations=5)
    assert cut == [False] * 5
    assert max(gaps) < 1e-5
    # Rows of one update before would differ by this much.
    assert min(moves) > 1e-2


def test_a_run_saves_itself_every_so_many_steps_and_keeps_the_newest(run: RunDir) -> None:
    train_tiny(run, "checkpoint.every_steps=50", "checkpoint.keep=2", iterations=6)
    # Iterations end at 32, 64, 96, …: 64 is the first at or past 50, then 128 past 114, then 192.
    assert checkpoint_steps(run) == [192, 128]
    assert [text[-3:] for text in texts(run, "save")] == ["064", "128", "192"]
    status = read_status(run)
    assert status is not None
    assert status.next_save == 242


def test_every_episode_of_an_iteration_has_a_cause(run: RunDir) -> None:
    train_tiny(run, "episodes.time_limit_s=0.1", iterations=2)
    for record in jsonl.read_all(run.metrics):
        causes = ("goal", "no_touch", "time_limit", "broken")
        # 12 ticks take 2 decisions; in 8 of them each of the 2 arenas ends 4 episodes.
        assert record["Collect/episodes"] == 8
        assert sum(record[f"Game/ended_by_{cause}"] for cause in causes) == 8
        assert record["Game/ended_by_time_limit_length_s"] == pytest.approx(16 / 120)
        assert record["Game/ended_by_broken_length_s"] is None


def test_a_step_that_cannot_be_recorded_is_one_warning_of_the_run(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(learnable: Learnable, _: object) -> Steps:
        return Steps(learnable, lambda: refuse)

    monkeypatch.setattr(checkpoint, "Steps", refusing)
    train_tiny(run, iterations=3)
    words = "updates take their steps one kernel at a time: it has no tape"
    assert texts(run, "warning") == [words]


def test_the_newest_policy_is_published_while_a_viewer_wants_it(run: RunDir) -> None:
    train_tiny(run, iterations=1)
    assert not run.live_policy.exists()
    train_tiny(run, "viewer.enabled=true", iterations=1)
    # Published at the first decision of the session: the policy that played its rollout.
    actor, _ = load_actor(run.checkpoints / f"{32:015d}")
    published = load_file(run.live_policy)
    assert all(torch.equal(published[name], value) for name, value in actor.state_dict().items())
    saved = load_file(run.checkpoints / f"{32:015d}" / "critic.safetensors")
    assert saved.keys() == {name[7:] for name in published if name.startswith("critic.")}
    assert all(torch.equal(published[f"critic.{name}"], value) for name, value in saved.items())


def test_a_policy_that_cannot_be_published_is_a_warning(run: RunDir) -> None:
    run.live_policy.mkdir(parents=True)  # a folder is in the way
    train_tiny(run, "viewer.enabled=true", iterations=2)
    warnings = texts(run, "warning")
    assert len(warnings) == 2
    assert all("could not publish the policy to the viewer" in text for text in warnings)


def test_collecting_uses_one_torch_thread_and_learning_all(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    collect, update = players.collect, reward_lesson.update

    def counted(work: Callable[..., object]) -> Callable[..., object]:
        def run_it(*args: object) -> object:
            counts.append(torch.get_num_threads())
            return work(*args)

        return run_it

    monkeypatch.setattr(players, "collect", counted(collect))
    monkeypatch.setattr(reward_lesson, "update", counted(update))
    torch.set_num_threads(2)
    train_tiny(run, iterations=1)
    assert counts == [1, 2]
