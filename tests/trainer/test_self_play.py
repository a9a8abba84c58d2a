import numpy as np
import pytest

from trainer.collector import AgentError, Decision, Flags, Floats, Indices
from trainer.line_up import OldRows
from trainer.self_play import SelfPlay

ROWS = OldRows(np.array([0, 2]), np.array([[1, 3], [5, 5]]))
"""Of 6 agents, the first version drives 1 and 3, the other 5."""


class Numbers:
    """Says of each row what it was given."""

    def act(self, obs: Floats, masks: Flags, rng: np.random.Generator) -> Decision:
        raise NotImplementedError

    def decide(self, obs: Floats, masks: Flags, uniforms: Floats, agents: Indices) -> Decision:
        assert masks[:, 0].tolist() == [True] * len(agents)
        if (obs < 0).any():
            agent = int(agents[(obs[:, 0] < 0).argmax()])
            raise AgentError(agent, f"agent {agent} cannot decide")
        return Decision(agents * 10, uniforms, obs[:, 0])

    def values(self, obs: Floats) -> Floats:
        return obs[:, 0]


class Olds:
    """Says which version a row came to."""

    def choose(self, obs: Floats, masks: Flags, uniforms: Floats) -> Indices:
        # Each version sees what its agents see, and draws with their numbers.
        assert obs[..., 0].tolist() == [[1, 3], [5, 5]]
        assert masks.shape == (2, 2, 4)
        drawn = np.random.default_rng(0).random(6, dtype=np.float32)
        np.testing.assert_array_equal(uniforms, drawn[ROWS.agents])
        return np.array([[701, 703], [905, 905]])


def test_everybody_decides_for_their_own_with_the_numbers_of_their_columns() -> None:
    policy = SelfPlay(Numbers(), Olds(), ROWS, 6)
    obs = np.arange(6, dtype=np.float32)[:, None]
    masks = np.ones((6, 4), np.bool_)
    found = policy.act(obs, masks, np.random.default_rng(0))
    drawn = np.random.default_rng(0).random(6, dtype=np.float32)
    assert found.actions.tolist() == [0, 701, 20, 703, 40, 905]
    np.testing.assert_array_equal(found.log_probs, drawn * [1, 0, 1, 0, 1, 0])
    assert found.values.tolist() == [0, 0, 2, 0, 4, 0]
    assert policy.values(obs).tolist() == list(range(6))


def test_who_cannot_decide_is_named_by_the_number_among_all() -> None:
    policy = SelfPlay(Numbers(), Olds(), ROWS, 6)
    obs = np.arange(6, dtype=np.float32)[:, None]
    obs[4] = -1
    with pytest.raises(AgentError, match="agent 4 cannot decide") as caught:
        policy.act(obs, np.ones((6, 4), np.bool_), np.random.default_rng(0))
    assert caught.value.agent == 4
