"""A policy for one rollout in which old versions drive some of the agents.

Today's policy decides for its own agents only, and the old versions for theirs, all of them in one
pass over as many rows each. Everybody draws with the number of its column, so who else plays moves
nobody's draw. Knows no network and no file; loads no PyTorch. Tested by
`tests/trainer/test_self_play.py`.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from trainer.collector import Decision, Flags, Floats, Indices, Policy
from trainer.line_up import OldRows


class Today(Policy, Protocol):
    """Today's policy, which can decide for some of the agents."""

    @property
    def parameters(self) -> Sequence[Floats]:
        """All that it decides by, where that lies."""
        ...

    def decide(self, obs: Floats, masks: Flags, uniforms: Floats, agents: Indices) -> Decision:
        """Decide for M rows with (M,) numbers to draw with; (M,) `agents` say whose they are."""
        ...


class Versions(Protocol):
    """V old versions."""

    def choose(self, obs: Floats, masks: Flags, uniforms: Floats) -> Indices:
        """(V, R) actions for (V, R, D) observations, drawn with (V, R) numbers in [0, 1)."""
        ...


MakeVersions = Callable[[Sequence[Floats]], Versions]
"""Given the parameters of V actors, each in a row, makes who decides by them."""


class SelfPlay:
    """Today's policy and old versions, as one policy."""

    def __init__(self, today: Today, versions: Versions, rows: OldRows, num_agents: int) -> None:
        """Let `versions` drive the agents of `rows` and `today` all others of N `num_agents`."""
        self._today, self._versions, self._theirs = today, versions, rows.agents
        self._mine = np.flatnonzero(learned(rows, num_agents))

    def act(self, obs: Floats, masks: Flags, rng: np.random.Generator) -> Decision:
        """Decide for everybody; what an old version does has log-probability and value 0.

        Raises:
            AgentError: As today's policy.
        """
        uniforms, mine, theirs = rng.random(len(obs), dtype=np.float32), self._mine, self._theirs
        actions = np.empty(len(obs), np.int64)
        log_probs, values = np.zeros((2, len(obs)), np.float32)
        decision = self._today.decide(obs[mine], masks[mine], uniforms[mine], mine)
        actions[mine], log_probs[mine], values[mine] = decision
        actions[theirs] = self._versions.choose(obs[theirs], masks[theirs], uniforms[theirs])
        return Decision(actions, log_probs, values)

    def values(self, obs: Floats) -> Floats:
        """(M,) values of (M, D) observations, by today's critic."""
        return self._today.values(obs)


def learned(rows: OldRows, num_agents: int) -> npt.NDArray[np.bool_]:
    """(N,) which of `num_agents` agents today's policy drives."""
    found = np.ones(num_agents, np.bool_)
    found[rows.agents] = False
    return found
