import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
import torch
from torch import Tensor

from trainer.config_ppo import Estimator
from trainer.gae import compute_gae

Column = Sequence[float]


def gae_of_one_agent(
    rewards: Column,
    values: Column,
    next_values: Column,
    ends: str,
    gamma: float,
    gae_lambda: float,
    estimator: Estimator = "truncated",
) -> tuple[list[float], list[float]]:
    """Advantages and targets; `ends` has "." in flight, "G" goal, "T" truncation."""

    def column(numbers: Column) -> Tensor:
        return torch.tensor(numbers, dtype=torch.float32)[:, None]

    terminated, truncated = (torch.tensor([end == kind for end in ends])[:, None] for kind in "GT")
    advantages, targets = compute_gae(
        column(rewards),
        column(values),
        column(next_values),
        terminated,
        truncated,
        gamma,
        gae_lambda,
        estimator,
    )
    return advantages[:, 0].tolist(), targets[:, 0].tolist()


def test_rows_in_flight_carry_later_surprises_back() -> None:
    # γ = λ = 0.5. The last row is cut by the rollout's end and bootstraps from 2:
    # δ2 = 4 + 0.5·2 − 1 = 4, δ1 = 2 + 0.5·1 − 1 = 1.5, δ0 = 1 + 0.5·1 − 1 = 0.5
    # A2 = 4, A1 = 1.5 + 0.25·4 = 2.5, A0 = 0.5 + 0.25·2.5 = 1.125
    found = gae_of_one_agent([1, 2, 4], [1, 1, 1], [1, 1, 2], "...", 0.5, 0.5)
    assert found == ([1.125, 2.5, 4], [2.125, 3.5, 5])


def test_a_goal_ends_what_can_be_expected_and_what_is_carried_back() -> None:
    # As above with a goal at row 1, so its next value 9 is void:
    # δ1 = 2 − 1 = 1 = A1, A0 = 0.5 + 0.25·1 = 0.75; row 2 is as before.
    found = gae_of_one_agent([1, 2, 4], [1, 1, 1], [1, 9, 2], ".G.", 0.5, 0.5)
    assert found == ([0.75, 1, 4], [1.75, 2, 5])


def test_a_truncation_expects_its_final_state_but_carries_nothing_back() -> None:
    # δ1 = 2 + 0.5·9 − 1 = 5.5 = A1, without row 2; A0 = 0.5 + 0.25·5.5 = 1.875
    found = gae_of_one_agent([1, 2, 4], [1, 1, 1], [1, 9, 2], ".T.", 0.5, 0.5)
    assert found == ([1.875, 5.5, 4], [2.875, 6.5, 5])


def test_truncation_before_a_goal_does_not_leak_the_next_episode() -> None:
    # γ = λ = 1. Two rows of nothing, truncated where nothing is expected; then an episode of which
    # 100 was expected and nothing came. The first episode did as expected: 0, 0.
    found = gae_of_one_agent([0, 0, 0], [0, 0, 100], [0, 0, 55], ".TG", 1, 1)
    assert found == ([0, 0, -100], [0, 0, 0])


def test_truncation_after_a_goal_does_not_reach_over_the_goal() -> None:
    # γ = λ = 1. Goal row: 1 − 0.5. Then one row truncated with 10 ahead: 0 + 10 − 3.
    found = gae_of_one_agent([1, 0], [0.5, 3], [3, 10], "GT", 1, 1)
    assert found == ([0.5, 7], [1, 10])


def test_each_truncation_uses_the_value_of_its_own_final_state() -> None:
    # γ = 0.9, λ = 0.5, rewards and values 0: A3 = 0 (goal), A2 = 0.9·20, A1 = 0.45·18, A0 = 0.9·10
    advantages, _ = gae_of_one_agent([0] * 4, [0] * 4, [10, 0, 20, 30], "T.TG", 0.9, 0.5)
    assert advantages == pytest.approx([9, 8.1, 18, 0])


@pytest.mark.parametrize("final_value", [7, math.inf, math.nan])
def test_whatever_stands_after_a_goal_is_ignored(final_value: float) -> None:
    assert gae_of_one_agent([1], [0.5], [final_value], "G", 0.99, 0.95) == ([0.5], [1])


def loop_oracle(
    columns: npt.NDArray[np.float64], ends: str, gamma: float, gae_lambda: float
) -> list[float]:
    """One agent, plain numbers: discounted sum of surprises until the first end."""
    surprises = [
        r + (0 if end == "G" else gamma * n) - v
        for (r, v, n), end in zip(columns, ends, strict=True)
    ]
    found = []
    for start in range(len(ends)):
        stop = next((t for t in range(start, len(ends)) if ends[t] != "."), len(ends) - 1)
        weights = [(gamma * gae_lambda) ** k for k in range(stop - start + 1)]
        found.append(sum(w * s for w, s in zip(weights, surprises[start:], strict=False)))
    return found


def test_many_agents_at_once_equal_a_plain_loop_over_each() -> None:
    rng = np.random.default_rng(3)
    num_steps, num_agents = 60, 7
    columns = rng.normal(size=(num_steps, num_agents, 3))
    ends = rng.choice(list("....GT"), size=(num_steps, num_agents))
    rewards, values, next_values = torch.from_numpy(columns).float().unbind(-1)
    goals, cuts = (torch.from_numpy(ends == kind) for kind in "GT")
    advantages, targets = compute_gae(rewards, values, next_values, goals, cuts, 0.97, 0.9)
    for agent in range(num_agents):
        expected = loop_oracle(columns[:, agent], "".join(ends[:, agent]), 0.97, 0.9)
        np.testing.assert_allclose(advantages[:, agent], expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(targets, advantages + values, rtol=0, atol=0)
    assert advantages.dtype == targets.dtype == torch.float32


def test_termination_time_shares_the_weights_among_the_rows_that_are_left() -> None:
    # γ = 0.9, λ = 0.5, two rewards of 1 and then a goal. Row 0 has two estimates, 1 and 1 + 0.9,
    # whose weights 1 and λ are divided by 1.5: (1 + 0.5 · 1.9) / 1.5 = 1.3.
    advantages, _ = gae_of_one_agent([1, 1], [0, 0], [0, 0], ".G", 0.9, 0.5, "termination_time")
    assert advantages == pytest.approx([1.3, 1.0])
    # The truncated estimator gives the long one the weight of all that never come: 1 + 0.45.
    assert gae_of_one_agent([1, 1], [0, 0], [0, 0], ".G", 0.9, 0.5)[0] == pytest.approx([1.45, 1])


def test_termination_time_expects_the_next_value_where_the_rollout_is_cut() -> None:
    # γ = 0.9, λ = 0.5, V = 0. A1 = 1 + 0.9·10 = 10. Row 0 has the estimates 1 and
    # 1 + 0.9 + 0.81·10 = 10 by weights 1 and 0.5: (1 + 5) / 1.5 = 4.
    found, _ = gae_of_one_agent([1, 1], [0, 0], [0, 10], "..", 0.9, 0.5, "termination_time")
    assert found == pytest.approx([4, 10])


@pytest.mark.parametrize(
    ("gae_lambda", "expected"),
    # γ = 1, three rewards of 1, V = 0. λ = 1: the mean of 1, 2 and 3. λ = 0: the next reward only.
    [(1.0, [2, 1.5, 1]), (0.0, [1, 1, 1])],
)
def test_termination_time_has_the_limits_of_an_average(
    gae_lambda: float, expected: list[float]
) -> None:
    found, _ = gae_of_one_agent([1] * 3, [0] * 3, [0] * 3, "..T", 1, gae_lambda, "termination_time")
    assert found == pytest.approx(expected)


def mixture_oracle(
    columns: npt.NDArray[np.float64], ends: str, gamma: float, gae_lambda: float
) -> list[float]:
    """One agent: the k-step advantages to the first end, by weights λ^(k−1) that add up to 1."""
    found = []
    for start in range(len(ends)):
        stop = next((t for t in range(start, len(ends)) if ends[t] != "."), len(ends) - 1)
        estimates, paid = [], 0.0
        for k, t in enumerate(range(start, stop + 1)):
            reward, _, following = columns[t]
            paid += gamma**k * reward
            ahead = 0 if ends[t] == "G" else gamma ** (k + 1) * following
            estimates.append(paid + ahead - columns[start, 1])
        weights = [gae_lambda**k for k in range(len(estimates))]
        found.append(float(np.average(estimates, weights=weights)))
    return found


def test_termination_time_equals_the_weighted_mixture_of_k_step_advantages() -> None:
    rng = np.random.default_rng(5)
    num_steps, num_agents = 40, 5
    columns = rng.normal(size=(num_steps, num_agents, 3))
    ends = rng.choice(list("......GT"), size=(num_steps, num_agents))
    # What an agent expects of the next state in flight is the value that its next row starts from.
    flight = ends[:-1] == "."
    columns[:-1, :, 2][flight] = columns[1:, :, 1][flight]
    rewards, values, next_values = torch.from_numpy(columns).float().unbind(-1)
    goals, cuts = (torch.from_numpy(ends == kind) for kind in "GT")
    advantages, targets = compute_gae(
        rewards, values, next_values, goals, cuts, 0.97, 0.9, "termination_time"
    )
    for agent in range(num_agents):
        expected = mixture_oracle(columns[:, agent], "".join(ends[:, agent]), 0.97, 0.9)
        np.testing.assert_allclose(advantages[:, agent], expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(targets, advantages + values, rtol=0, atol=0)
