"""Generalised advantage estimation (arXiv 1506.02438), arrays in, arrays out.

Knows no environment and no network. Tested by `tests/trainer/test_gae.py`, against numbers derived
by hand and against a plain loop.
"""

import math

import numpy as np
import numpy.typing as npt

from trainer.config_ppo import Estimator

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]


def compute_gae(
    rewards: Floats,
    values: Floats,
    next_values: Floats,
    terminated: Flags,
    truncated: Flags,
    gamma: float,
    gae_lambda: float,
    estimator: Estimator = "truncated",
) -> tuple[Floats, Floats]:
    """How much better each action was than expected, and what the critic should have said.

    Args:
        rewards: (T, N) for the action of each row.
        values: (T, N) critic's value of the state that the action was chosen in.
        next_values: (T, N) critic's value of the state after it, before any reset; ignored where
            `terminated`.
        terminated: (T, N) the game ended there: nothing is to be expected after it.
        truncated: (T, N) the episode was cut there: `next_values` stands for what was to come.
        gamma: Discount of a reward one decision later.
        gae_lambda: Mix of long (1) and one-step (0) estimates.
        estimator: "truncated" weighs the k-step estimates by λ^k as if the rows went on forever,
            so the longest one takes the weight of all that are missing; "termination_time" gives
            each that there is its own λ^k and divides by their sum.

    Returns:
        (T, N) advantages and (T, N) value targets.
    """
    zero = np.float32(0)
    # δ_t = r_t + γ · V(s_t+1) · (1 − terminated_t) − V(s_t)
    expected = np.where(terminated, zero, np.float32(gamma) * next_values)
    deltas = rewards + expected - values
    # A_t = δ_t + γ · λ · c_t · A_t+1 · (1 − ended_t), and 0 beyond the rollout's end
    ended = terminated | truncated
    carry = np.where(ended, zero, np.float32(gamma * gae_lambda))
    if estimator == "termination_time":
        carry *= carried_shares(len(deltas), gae_lambda)[rows_left(ended)]
    advantages = np.empty_like(deltas)
    following = np.zeros_like(deltas[0])
    for t in reversed(range(len(deltas))):
        following = deltas[t] + carry[t] * following
        advantages[t] = following
    return advantages, advantages + values


def rows_left(ended: Flags) -> npt.NDArray[np.int64]:
    """(T, N) rows from each to its episode's end or the rollout's, both counted."""
    left = np.ones(ended.shape, np.int64)
    for t in reversed(range(len(ended) - 1)):
        left[t] = np.where(ended[t], 1, left[t + 1] + 1)
    return left


def carried_shares(most: int, gae_lambda: float) -> Floats:
    """(most + 1,) c of a row with n rows left, at index n; 0 where nothing follows."""
    left = np.arange(1, most + 1)
    # c_n = (1 − λ^(n−1)) / (1 − λ^n), which tends to (n − 1) / n for λ = 1
    if gae_lambda == 1:
        shares = (left - 1) / left
    elif gae_lambda == 0:
        shares = (left > 1).astype(np.float64)
    else:
        # expm1 keeps the digits that 1 − λ^n loses for λ near 1.
        log_lambda = math.log(gae_lambda)
        shares = np.expm1((left - 1) * log_lambda) / np.expm1(left * log_lambda)
    return np.concatenate([[0], shares]).astype(np.float32)
