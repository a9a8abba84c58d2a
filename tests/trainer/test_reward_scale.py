import numpy as np
import pytest
import torch

from trainer.reward_scale import ReturnStats, discounted_returns, scale_rewards


def test_returns_are_discounted_until_the_episode_ends() -> None:
    # γ = 0.5: 1 + 0.5·2 + 0.25·4 = 3, 2 + 0.5·4 = 4, 4 (ended), then 8 on its own.
    rewards = torch.tensor([[1.0], [2], [4], [8]])
    ended = torch.tensor([[False], [False], [True], [False]])
    assert discounted_returns(rewards, ended, 0.5)[:, 0].tolist() == [3, 4, 4, 8]


def test_the_deviation_is_that_of_all_returns_so_far() -> None:
    # 1, 2, 3, 4, 10: mean 4, squared distances 9 + 4 + 1 + 0 + 36 = 50, over 4.
    stats = ReturnStats()
    for returns in ([1, 2], [[3], [4]], [10]):
        stats = stats.merge(torch.tensor(returns))
    assert (stats.count, stats.mean, stats.squares) == (5, 4, 50)
    assert stats.std == pytest.approx(12.5**0.5)


def test_merging_many_pieces_equals_one_look_at_everything() -> None:
    # Far from 0, where sums of squares would lose all digits in float32.
    returns = np.random.default_rng(0).normal(1e4, 0.5, size=100_000)
    stats = ReturnStats()
    for piece in np.array_split(returns, 37):
        stats = stats.merge(torch.from_numpy(piece))
    assert stats.mean == pytest.approx(returns.mean(), rel=1e-12)
    assert stats.std == pytest.approx(returns.std(ddof=1), rel=1e-9)


def test_old_returns_fade() -> None:
    rng = np.random.default_rng(0)
    wide, narrow = (torch.from_numpy(rng.normal(0, spread, 400_000)) for spread in (10, 0.1))
    stats = ReturnStats()
    for _ in range(5):
        stats = stats.merge(wide)
    assert stats.count <= 1_400_000
    for _ in range(20):
        stats = stats.merge(narrow)
    # Each merge leaves the past 1,000,000 of 1,400,000: after 20, 0.0012 of the variance is left.
    assert stats.std == pytest.approx((0.0012 * 100 + 0.01) ** 0.5, rel=0.02)


@pytest.mark.parametrize("seen", [[], [3.0], [2.0, 2.0, 2.0]])
def test_without_any_spread_nothing_is_scaled(seen: list[float]) -> None:
    assert ReturnStats().merge(torch.tensor(seen)).std == 1


def test_scaled_rewards_are_cut_and_those_that_are_cut_are_told() -> None:
    # Divided by 2: 1, −3, 0.5, 20. Beyond ±2: two of four.
    scaled, cut = scale_rewards(torch.tensor([[2.0, -6], [1, 40]]), 2, 2)
    assert scaled.tolist() == [[1, -2], [0.5, 2]]
    assert cut.tolist() == [[False, True], [False, True]]


def test_a_clip_of_zero_cuts_nothing() -> None:
    scaled, cut = scale_rewards(torch.tensor([[2.0, -60]]), 2, 0)
    assert (scaled.tolist(), cut.tolist()) == ([[1, -30]], [[False, False]])
