"""Every number says where it comes from: decision t, 10·t and the agent."""

from typing import NamedTuple

import numpy as np
import pytest

from trainer.collector import (
    Abandoned,
    AgentError,
    Decision,
    Flags,
    Floats,
    Indices,
    collect,
    giving_back_draws,
)
from trainer.rollout import Rollout

NUM_STEPS, NUM_AGENTS, NUM_ACTIONS = 6, 3, 5
TRUNCATED = {(1, 2), (4, 0), (4, 1), (5, 2)}
TERMINATED = {(2, 0), (5, 1)}
AGENTS = np.arange(NUM_AGENTS)


class Outcome(NamedTuple):
    rewards: Floats
    terminated: Flags
    truncated: Flags
    final_obs: Floats


class MarkedEnv:
    """Observation (t, 10·t, agent); before a reset (−t, −10·t, agent). Reuses all its arrays."""

    def __init__(self) -> None:
        self.t = 0
        self.seen: list[Indices] = []
        self.obs: Floats = np.zeros((NUM_AGENTS, 3), np.float32)
        self.masks: Flags = np.ones((NUM_AGENTS, NUM_ACTIONS), np.bool_)
        self.outcome = Outcome(
            np.zeros(NUM_AGENTS, np.float32),
            np.zeros(NUM_AGENTS, np.bool_),
            np.zeros(NUM_AGENTS, np.bool_),
            np.zeros((NUM_AGENTS, 3), np.float32),
        )
        self.show()

    def show(self) -> None:
        self.obs[:] = np.stack([AGENTS * 0 + self.t, AGENTS * 0 + 10 * self.t, AGENTS], -1)
        self.masks[:] = np.arange(NUM_ACTIONS) != (self.t + 1) % NUM_ACTIONS

    def step(self, actions: Indices) -> Outcome:
        self.seen.append(actions.copy())
        self.outcome.rewards[:] = 1000 * self.t + AGENTS
        self.outcome.terminated[:] = [(self.t, agent) in TERMINATED for agent in AGENTS]
        self.outcome.truncated[:] = [(self.t, agent) in TRUNCATED for agent in AGENTS]
        self.outcome.final_obs[:] = self.obs * (-1, -1, 1)
        self.t += 1
        self.show()
        return self.outcome


class MarkedPolicy:
    """Action t mod A, log-probability −(100·t + agent), value 100·t + agent."""

    def __init__(self) -> None:
        self.value_calls = 0

    def act(self, obs: Floats, masks: Flags, rng: np.random.Generator) -> Decision:
        actions = obs[:, 0].astype(np.int64) % NUM_ACTIONS
        assert masks[AGENTS, actions].all()
        return Decision(actions, -self.value_of(obs), self.value_of(obs))

    def values(self, obs: Floats) -> Floats:
        self.value_calls += 1
        return self.value_of(obs)

    @staticmethod
    def value_of(obs: Floats) -> Floats:
        return 10 * obs[:, 1] + obs[:, 2]


def nothing() -> None:
    pass


def collected(env: MarkedEnv, policy: MarkedPolicy) -> Rollout:
    rollout = Rollout.allocate(NUM_STEPS, NUM_AGENTS, 3, NUM_ACTIONS)
    collect(env, policy, rollout, np.random.default_rng(0), nothing)
    return rollout


def test_all_fields_of_a_row_belong_to_the_same_decision_and_agent() -> None:
    env = MarkedEnv()
    rollout = collected(env, MarkedPolicy())
    for t in range(NUM_STEPS):
        for agent in range(NUM_AGENTS):
            row = (t, agent)
            assert rollout.obs[row].tolist() == [t, 10 * t, agent]
            assert rollout.masks[row].tolist() == [a != (t + 1) % 5 for a in range(5)]
            assert rollout.actions[row] == env.seen[t][agent] == t % 5
            assert rollout.log_probs[row] == -(100 * t + agent)
            assert rollout.values[row] == 100 * t + agent
            assert rollout.rewards[row] == 1000 * t + agent
            assert rollout.terminated[row] == (row in TERMINATED)
            assert rollout.truncated[row] == (row in TRUNCATED)


def test_next_values_are_of_the_next_state_or_of_the_final_one_where_truncated() -> None:
    rollout = collected(MarkedEnv(), MarkedPolicy())
    for t in range(NUM_STEPS):
        for agent in range(NUM_AGENTS):
            expected = -100 * t if (t, agent) in TRUNCATED else 100 * (t + 1)
            if (t, agent) not in TERMINATED:
                assert rollout.next_values[t, agent] == expected + agent


def test_the_values_of_all_final_states_are_asked_for_once() -> None:
    policy = MarkedPolicy()
    collected(MarkedEnv(), policy)
    assert policy.value_calls == 1


def test_the_next_rollout_goes_on_where_the_last_one_ended() -> None:
    env = MarkedEnv()
    collected(env, MarkedPolicy())
    second = collected(env, MarkedPolicy())
    assert second.obs[:, 0, 0].tolist() == list(range(NUM_STEPS, 2 * NUM_STEPS))
    assert not second.truncated.any()


def test_somebody_may_abandon_a_rollout_between_decisions() -> None:
    env = MarkedEnv()

    def abandon_after_two() -> None:
        if env.t == 2:
            raise KeyboardInterrupt

    rollout = Rollout.allocate(NUM_STEPS, NUM_AGENTS, 3, NUM_ACTIONS)
    with pytest.raises(KeyboardInterrupt):
        collect(env, MarkedPolicy(), rollout, np.random.default_rng(0), abandon_after_two)
    assert env.t == 2


def test_a_reward_that_is_not_a_number_is_named() -> None:
    class SpoiledEnv(MarkedEnv):
        def step(self, actions: Indices) -> Outcome:
            outcome = super().step(actions)
            if self.t == 4:
                outcome.rewards[1] = np.nan
            return outcome

    with pytest.raises(AgentError, match="reward of agent 1 is nan at decision 3") as error:
        collected(SpoiledEnv(), MarkedPolicy())
    assert error.value.agent == 1


def draw_and_abandon(rng: np.random.Generator) -> None:
    with giving_back_draws({"policy": rng}):
        rng.random()
        raise Abandoned


def test_who_abandons_a_rollout_gives_back_what_was_drawn_and_who_keeps_it_does_not() -> None:
    rng, twin = np.random.default_rng(0), np.random.default_rng(0)
    with giving_back_draws({"policy": rng}):
        assert rng.random() == twin.random()
    with pytest.raises(Abandoned):
        draw_and_abandon(rng)
    assert rng.random() == twin.random()
