"""Plays any policy in any environment and writes down every row.

Knows what it needs of both as Protocols: no network, no torch, no simulator. Tested by
`tests/trainer/test_collector.py`, with an environment whose numbers say where they come from.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from trainer.rollout import Rollout
from trainer.stopwatch import Stopwatch

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int64]


class AgentError(Exception):
    """Something about one agent cannot be; the message says what."""

    def __init__(self, agent: int, message: str) -> None:
        """Blame `agent`, one of N."""
        super().__init__(message)
        self.agent = agent


class Abandoned(Exception):  # noqa: N818 - nothing went wrong
    """Somebody insisted on ending: the rollout being collected is dropped."""


@contextmanager
def giving_back_draws(rngs: Mapping[str, np.random.Generator]) -> Iterator[None]:
    """Leave `rngs` as they were when the rollout that is collected inside is abandoned.

    What was drawn for it, such as who plays it, is drawn again by the next session.
    """
    states = {name: rng.bit_generator.state for name, rng in rngs.items()}
    try:
        yield
    except Abandoned:
        for name, state in states.items():
            rngs[name].bit_generator.state = state
        raise


class Decision(NamedTuple):
    """What a policy says to N observations."""

    actions: Indices
    """(N,) rows of the action table."""
    log_probs: Floats
    """(N,) natural log of the probability that each had."""
    values: Floats
    """(N,) critic's value of each observation."""


class Policy(Protocol):
    """Chooses actions."""

    def act(self, obs: Floats, masks: Flags, rng: np.random.Generator) -> Decision:
        """Decide for (N, D) observations among the actions that (N, A) `masks` allow."""
        ...

    def values(self, obs: Floats) -> Floats:
        """(M,) values of (M, D) observations."""
        ...


class Outcome(Protocol):
    """What one decision of N agents led to."""

    @property
    def rewards(self) -> Floats:
        """(N,)."""
        ...

    @property
    def terminated(self) -> Flags:
        """(N,) the game ended."""
        ...

    @property
    def truncated(self) -> Flags:
        """(N,) the episode was cut; never together with `terminated`."""
        ...

    @property
    def final_obs(self) -> Floats:
        """(N, D) observation before the reset; only truncated rows mean anything."""
        ...


class Environment(Protocol):
    """N agents that act at once; episodes that end begin anew by themselves."""

    @property
    def obs(self) -> Floats:
        """(N, D) what they see now."""
        ...

    @property
    def masks(self) -> Flags:
        """(N, A) what they can choose now."""
        ...

    def step(self, actions: Indices, /) -> Outcome:
        """Play one decision of (N,) actions."""
        ...


def collect(
    env: Environment,
    policy: Policy,
    rollout: Rollout,
    rng: np.random.Generator,
    on_decision: Callable[[], None],
    watch: Stopwatch | None = None,
) -> None:
    """Fill `rollout`, going on where `env` stands.

    Args:
        env: Is stepped T times.
        policy: Decides, and values what is seen: once with each decision, once more at the end.
        rollout: Is overwritten.
        rng: The policy's randomness.
        on_decision: Called before each decision. What it raises abandons the rollout.
        watch: Is told which phase has ended.

    Raises:
        AgentError: When a reward is not finite, naming decision and agent.
    """
    watch = watch or Stopwatch()
    watch.start()
    final_obs = [
        _play_decision(env, policy, rollout, t, rng, on_decision, watch)
        for t in range(rollout.num_steps)
    ]
    values = policy.values(np.concatenate([env.obs, *final_obs]))
    watch.lap("decisions")
    num_agents = len(env.obs)
    rollout.bootstrap(last=values[:num_agents], final=values[num_agents:])


def _play_decision(
    env: Environment,
    policy: Policy,
    rollout: Rollout,
    t: int,
    rng: np.random.Generator,
    on_decision: Callable[[], None],
    watch: Stopwatch,
) -> Floats:
    """Fill row t of `rollout` and return the final observations of the agents cut there."""
    on_decision()
    # Copies: the environment may write the next observation over this one.
    rollout.obs[t] = env.obs
    rollout.masks[t] = env.masks
    watch.lap("storing")
    decision = policy.act(rollout.obs[t], rollout.masks[t], rng)
    watch.lap("decisions")
    rollout.actions[t], rollout.log_probs[t], rollout.values[t] = decision
    outcome = env.step(decision.actions)
    rollout.rewards[t] = outcome.rewards
    rollout.terminated[t] = outcome.terminated
    rollout.truncated[t] = outcome.truncated
    if not np.isfinite(rollout.rewards[t]).all():
        agent = int(np.flatnonzero(~np.isfinite(rollout.rewards[t]))[0])
        reward = rollout.rewards[t, agent]
        raise AgentError(agent, f"the reward of agent {agent} is {reward} at decision {t}")
    final_obs: Floats = outcome.final_obs[rollout.truncated[t]]
    watch.lap("storing")
    return final_obs
