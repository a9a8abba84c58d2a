"""Generalised advantage estimation (arXiv 1506.02438), tensors in, tensors out, on any device.

Knows no environment and no network. Tested by `tests/trainer/test_gae.py`, against numbers derived
by hand and against a plain loop.
"""

import math

import torch
from torch import Tensor

from trainer.config_ppo import Estimator


def compute_gae(
    rewards: Tensor,
    values: Tensor,
    next_values: Tensor,
    terminated: Tensor,
    truncated: Tensor,
    gamma: float,
    gae_lambda: float,
    estimator: Estimator = "truncated",
) -> tuple[Tensor, Tensor]:
    """How much better each action was than expected, and what the critic should have said.

    Args:
        rewards: (T, N) for the action of each row.
        values: (T, N) critic's value of the state that the action was chosen in.
        next_values: (T, N) critic's value of the state after it, before any reset; ignored where
            `terminated`.
        terminated: (T, N) bool, the game ended there: nothing is to be expected after it.
        truncated: (T, N) bool, the episode was cut there: `next_values` stands for what was to
            come.
        gamma: Discount of a reward one decision later.
        gae_lambda: Mix of long (1) and one-step (0) estimates.
        estimator: "truncated" weighs the k-step estimates by λ^k as if the rows went on forever,
            so the longest one takes the weight of all that are missing; "termination_time" gives
            each that there is its own λ^k and divides by their sum.

    Returns:
        (T, N) advantages and (T, N) value targets.
    """
    # δ_t = r_t + γ · V(s_t+1) · (1 − terminated_t) − V(s_t)
    expected = torch.where(terminated, 0.0, gamma * next_values)
    deltas = rewards + expected - values
    # A_t = δ_t + γ · λ · c_t · A_t+1 · (1 − ended_t), and 0 beyond the rollout's end
    ended = terminated | truncated
    carry = gamma * gae_lambda * (~ended).float()
    if estimator == "termination_time":
        carry *= carried_shares(len(deltas), gae_lambda).to(carry)[rows_left(ended)]
    advantages = carried_back(deltas, carry)
    return advantages, advantages + values


def carried_back(terms: Tensor, carry: Tensor) -> Tensor:
    """(T, N) sums y with y_t = x_t + c_t · y_t+1, of (T, N) terms x; 0 follows the last row."""
    sums = torch.empty_like(terms)
    following = torch.zeros_like(terms[0])
    rows = zip(terms.unbind(), carry.unbind(), sums.unbind(), strict=True)
    for term, share, place in reversed(list(rows)):
        following = torch.addcmul(term, share, following, out=place)
    return sums


def rows_left(ended: Tensor) -> Tensor:
    """(T, N) rows from each to its episode's end or the rollout's, both counted."""
    times = torch.arange(len(ended), device=ended.device).unsqueeze(1)
    # The first end at or after each row: the least of those from there on.
    ends = torch.where(ended, times, len(ended) - 1).flip(0).cummin(0).values.flip(0)
    return ends - times + 1


def carried_shares(most: int, gae_lambda: float) -> Tensor:
    """(most + 1,) float64 c of a row with n rows left, at index n; 0 where nothing follows."""
    left = torch.arange(1, most + 1, dtype=torch.float64)
    # c_n = (1 − λ^(n−1)) / (1 − λ^n), which tends to (n − 1) / n for λ = 1
    if gae_lambda == 1:
        shares = (left - 1) / left
    elif gae_lambda == 0:
        shares = (left > 1).double()
    else:
        # expm1 keeps the digits that 1 − λ^n loses for λ near 1.
        log_lambda = math.log(gae_lambda)
        shares = torch.expm1((left - 1) * log_lambda) / torch.expm1(left * log_lambda)
    return torch.cat([shares.new_zeros(1), shares])
