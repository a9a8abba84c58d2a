"""Generalised advantage estimation (arXiv 1506.02438), arrays in, arrays out.

Knows no environment and no network. Tested by `tests/trainer/test_gae.py`, against numbers derived
by hand and against a plain loop.
"""

import numpy as np
import numpy.typing as npt

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

    Returns:
        (T, N) advantages and (T, N) value targets.
    """
    zero = np.float32(0)
    # δ_t = r_t + γ · V(s_t+1) · (1 − terminated_t) − V(s_t)
    expected = np.where(terminated, zero, np.float32(gamma) * next_values)
    deltas = rewards + expected - values
    # A_t = δ_t + γ · λ · A_t+1 · (1 − ended_t), and 0 beyond the rollout's end
    carry = np.where(terminated | truncated, zero, np.float32(gamma * gae_lambda))
    advantages = np.empty_like(deltas)
    following = np.zeros_like(deltas[0])
    for t in reversed(range(len(deltas))):
        following = deltas[t] + carry[t] * following
        advantages[t] = following
    return advantages, advantages + values
