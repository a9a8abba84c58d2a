"""Rows that are not to be learned from: whatever they hold, it is as if they were not there."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.trainer.tiny import tiny_config
from tests.trainer.tiny_runs import texts, train_tiny
from trainer import jsonl
from trainer.builder import fresh_state
from trainer.checkpoint import TrainingState
from trainer.gae import compute_gae
from trainer.game import Counts
from trainer.networks import ActorCritic, parameter_vector
from trainer.players import OneProcess
from trainer.reward_lesson import NOTHING, learn
from trainer.reward_scale import ReturnStats
from trainer.rollout import Rollout
from trainer.rollout_tensors import RolloutTensors, tensors_of
from trainer.run_dir import RunDir

CPU = torch.device("cpu")
STEPS, AGENTS = 12, 10
OLD = (0, 3, 4, 9)
"""Columns of old opponents."""
SETTINGS = [
    (),
    ("ppo.scale_rewards=true", "ppo.reward_clip=0.5", "ppo.gae_estimator=termination_time"),
    ("ppo.overlap=true", "sim.workers=2", "networks.shared=[16]", "ppo.value_clip=0.1"),
    ("ppo.target_kl=0.01", "ppo.adaptive_learning_rate=true", "ppo.optimizer=muon"),
    ("ppo.critic_warmup_steps=1_000_000",),
]


def played(model: ActorCritic, agents: int = AGENTS, seed: int = 0) -> RolloutTensors:
    """A rollout of actions that were drawn alike, in the model's eyes."""
    rng = np.random.default_rng(seed)
    rollout = tensors_of(Rollout.allocate(STEPS, agents, 92, 90))
    rollout.obs[:] = torch.from_numpy(rng.normal(size=(STEPS, agents, 92)))
    rollout.masks[:] = True
    rollout.actions[:] = torch.from_numpy(rng.integers(90, size=(STEPS, agents)))
    rollout.log_probs[:] = torch.from_numpy(rng.normal(-math.log(90), 0.1, (STEPS, agents)))
    rollout.values[:], rollout.rewards[:], rollout.next_values[:] = torch.from_numpy(
        rng.normal(size=(3, STEPS, agents))
    )
    goals, cuts = torch.from_numpy(rng.random((2, STEPS, agents)) < 0.1)
    rollout.terminated[:], rollout.truncated[:] = goals, cuts & ~goals
    return rollout


def columns(rollout: RolloutTensors, kept: list[int]) -> RolloutTensors:
    return RolloutTensors(*(field[:, kept].clone() for field in rollout))


def poisoned(rollout: RolloutTensors, wrong: float) -> RolloutTensors:
    """Rows that do not count hold `wrong` in every field of numbers, and nonsense in the others."""
    spoiled = RolloutTensors(*(field.clone() for field in rollout))
    away = ~spoiled.valid
    for field in (
        spoiled.obs,
        spoiled.log_probs,
        spoiled.values,
        spoiled.rewards,
        spoiled.next_values,
    ):
        field[away] = wrong
    spoiled.masks[away] = False
    spoiled.actions[away] = 10**6
    spoiled.terminated[away] = spoiled.truncated[away] = True
    return spoiled


def learned(
    settings: tuple[str, ...], rollout: Callable[[RolloutTensors], RolloutTensors]
) -> tuple[TrainingState, list[dict[str, float]]]:
    """A fresh state that learned from two rollouts, seen through `rollout`; what was measured."""
    config = tiny_config(*settings)
    state = fresh_state(config, CPU)
    found = [
        learn(config.ppo, state, rollout(played(state.model, seed=seed)), lambda: None)
        for seed in range(2)
    ]
    return state, found


def everything_of(state: TrainingState) -> list[Tensor]:
    moments = [
        moment
        for optimizer in state.optimizers.values()
        for found in optimizer.state.values()
        for moment in found.values()
    ]
    return [parameter_vector(state.model), *moments]


@pytest.mark.parametrize("wrong", [math.nan, math.inf, 1e30, 0.0])
@pytest.mark.parametrize("settings", SETTINGS)
def test_what_is_learned_is_what_it_were_without_the_columns_of_old_opponents(
    settings: tuple[str, ...], wrong: float
) -> None:
    def with_old(rollout: RolloutTensors) -> RolloutTensors:
        rollout.valid[:, OLD] = False
        return poisoned(rollout, wrong)

    def without(rollout: RolloutTensors) -> RolloutTensors:
        return columns(rollout, [agent for agent in range(AGENTS) if agent not in OLD])

    ours, found = learned(settings, with_old)
    theirs, expected = learned(settings, without)
    pairs = zip(everything_of(ours), everything_of(theirs), strict=True)
    assert all(torch.equal(*pair) for pair in pairs)
    assert (ours.returns, ours.reward_scale, ours.rate_factor) == (
        *(theirs.returns, theirs.reward_scale, theirs.rate_factor),
    )
    assert ours.rngs["update"].bit_generator.state == theirs.rngs["update"].bit_generator.state
    for measured, should in zip(found, expected, strict=True):
        np.testing.assert_equal(measured, should)
        assert all(math.isfinite(number) for number in measured.values())


def test_a_row_before_one_that_does_not_count_is_cut_there() -> None:
    rollout = played(fresh_state(tiny_config(), CPU).model, agents=1)
    rollout.terminated[:] = rollout.truncated[:] = False
    # Decisions 4 and 5 are an old opponent's.
    rollout.valid[4:6] = False
    whole = poisoned(rollout, math.nan).isolated()
    fields = (whole.rewards, whole.values, whole.next_values, whole.terminated, whole.truncated)
    advantages, targets = compute_gae(*fields, 0.9, 0.8)
    for rows in (slice(0, 4), slice(6, 12)):
        # By themselves, up to where they end, expecting what their last row says comes next.
        part = [field[rows] for field in rollout]
        alone = RolloutTensors(*part)
        expected, wanted = compute_gae(
            *(alone.rewards, alone.values, alone.next_values),
            *(alone.terminated, alone.truncated, 0.9, 0.8),
        )
        assert torch.equal(advantages[rows], expected)
        assert torch.equal(targets[rows], wanted)
    assert whole.truncated.flatten().nonzero().flatten().tolist()[:1] == [3]


def test_a_goal_before_a_row_that_does_not_count_stays_a_goal() -> None:
    rollout = played(fresh_state(tiny_config(), CPU).model, agents=1)
    rollout.terminated[:] = rollout.truncated[:] = False
    rollout.terminated[3], rollout.valid[4:] = True, False
    whole = rollout.isolated()
    assert not (whole.terminated & whole.truncated).any()
    assert whole.terminated[3]


def test_where_all_rows_count_nothing_is_changed_on_the_way() -> None:
    rollout = played(fresh_state(tiny_config(), CPU).model)
    whole = rollout.isolated()
    assert all(torch.equal(*pair) for pair in zip(rollout, whole, strict=True))
    # What is large is not even copied.
    assert (whole.obs.data_ptr(), whole.masks.data_ptr()) == (
        *(rollout.obs.data_ptr(), rollout.masks.data_ptr()),
    )
    assert whole.valid_rows().tolist() == list(range(STEPS * AGENTS))


def test_rows_are_counted_by_decision_then_by_agent() -> None:
    rollout = tensors_of(Rollout.allocate(2, 3, 1, 1))
    rollout.valid[:] = torch.tensor([[True, False, True], [False, False, True]])
    assert rollout.valid_rows().tolist() == [0, 2, 5]
    assert rollout.old_share == 0.5


def test_an_iteration_with_nothing_to_learn_from_changes_nothing_and_says_so() -> None:
    config = tiny_config("ppo.scale_rewards=true")
    state = fresh_state(config, CPU)
    rollout = played(state.model)
    learn(config.ppo, state, rollout, lambda: None)
    before, returns, rng = everything_of(state), state.returns, state.rngs["update"]
    drawn = rng.bit_generator.state
    rollout.valid[:] = False
    measured = learn(config.ppo, state, poisoned(rollout, math.nan), lambda: None)
    assert measured == {"Update/optimizer_steps": 0}
    assert state.steps.warnings == [NOTHING]
    assert all(torch.equal(*pair) for pair in zip(everything_of(state), before, strict=True))
    assert (state.returns, rng.bit_generator.state) == (returns, drawn)
    assert state.returns != ReturnStats()


def test_a_run_goes_on_after_an_iteration_with_nothing_to_learn_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collect, rounds = OneProcess.collect, list[int]()

    def all_old_at_second(players: OneProcess, *args: object) -> list[Counts]:
        rounds.append(1)
        counts = collect(players, *args)  # type: ignore[arg-type]
        if len(rounds) == 2:
            players.rollout.valid[:] = False
        return counts

    monkeypatch.setattr(OneProcess, "collect", all_old_at_second)
    run = RunDir(tmp_path / "run")
    train_tiny(run, iterations=3)
    first, second, third = jsonl.read_all(run.metrics)
    assert texts(run, "warning") == [NOTHING]
    shares = [record["Collect/old_opponent_share"] for record in (first, second, third)]
    assert shares == [0, 1, 0]
    # 4 optimizer steps an iteration; the steps that were played count.
    assert [record["Cumulative/updates"] for record in (first, second, third)] == [4, 4, 8]
    assert [record["steps"] for record in (first, second, third)] == [32, 64, 96]
    assert "Loss/policy" not in second
    assert third["Update/actor_magnitude"] > 0
