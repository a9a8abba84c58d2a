import math

import pytest

from trainer.config_ppo import PPOConfig, Schedule
from trainer.schedules import coefficients, kl_exceeded, next_rate_factor, rate_words, share_left


@pytest.mark.parametrize(
    ("schedule", "shares"),
    [
        ("constant", [1, 1, 1, 1]),
        # From 1 to 0.2: a quarter of the way is 0.8, half 0.6.
        ("linear", [1, 0.8, 0.6, 0.2]),
        # (1 + cos π/4) / 2 = 0.853553 of the fall of 0.8 is left, then a half, then nothing.
        ("cosine", [1, 0.2 + 0.8 * 0.853553, 0.6, 0.2]),
    ],
)
def test_a_schedule_falls_from_its_start_to_its_end_and_stays(
    schedule: Schedule, shares: list[float]
) -> None:
    found = [share_left(schedule, steps, 1000, 0.2) for steps in (0, 250, 500, 1000)]
    assert found == pytest.approx(shares, abs=1e-6)
    assert share_left(schedule, 5000, 1000, 0.2) == share_left(schedule, 1000, 1000, 0.2)


def test_each_coefficient_follows_its_own_schedule() -> None:
    config = PPOConfig(
        learning_rate=0.01,
        critic_learning_rate=0.002,
        entropy_coef=0.5,
        clip_range=0.4,
        learning_rate_schedule="linear",
        clip_schedule="cosine",
        schedule_steps=100,
        schedule_end=0.5,
    )
    now = coefficients(config, 50, rate_factor=7)
    assert now[:4] == pytest.approx((0.0075, 0.0015, 0.5, 0.3))


def test_a_critic_without_a_rate_of_its_own_follows_the_actor() -> None:
    config = PPOConfig(learning_rate=0.001, target_kl=0.01, adaptive_learning_rate=True)
    assert coefficients(config, 0, rate_factor=1.5)[:2] == pytest.approx((0.0015, 0.0015))
    own = config.model_copy(update={"critic_learning_rate": 0.004})
    assert coefficients(own, 0, rate_factor=1.5)[:2] == pytest.approx((0.0015, 0.004))


ADAPTIVE = PPOConfig(learning_rate=0.001, target_kl=0.01, adaptive_learning_rate=True)


@pytest.mark.parametrize(
    ("kl", "factor"),
    # Within 0.005 to 0.02 nothing happens; a KL of 0 was not measured.
    [(0.021, 1 / 1.5), (0.02, 1), (0.01, 1), (0.005, 1), (0.0049, 1.5), (0, 1)],
)
def test_the_rate_falls_when_the_kl_is_far_above_its_target_and_rises_far_below(
    kl: float, factor: float
) -> None:
    assert next_rate_factor(ADAPTIVE, 1, kl) == pytest.approx(factor)


def test_an_adapted_rate_stays_within_its_bounds() -> None:
    factor = 1.0
    for _ in range(100):
        factor = next_rate_factor(ADAPTIVE, factor, 1.0)
    assert coefficients(ADAPTIVE, 0, factor).actor_rate == pytest.approx(1e-6)
    for _ in range(100):
        factor = next_rate_factor(ADAPTIVE, factor, 1e-9)
    assert coefficients(ADAPTIVE, 0, factor).actor_rate == pytest.approx(1e-2)


def test_without_adaption_the_kl_moves_nothing() -> None:
    config = PPOConfig(learning_rate=0.001)
    assert next_rate_factor(config, 1, 5.0) == 1
    assert coefficients(config, 0, rate_factor=1.5).actor_rate == 0.001


def test_an_update_ends_above_one_and_a_half_targets_on_average() -> None:
    config = PPOConfig(target_kl=0.01, kl_stop=True)
    assert kl_exceeded(config, [0.0, 0.032])
    assert not kl_exceeded(config, [0.0, 0.028])
    assert not kl_exceeded(config, [])
    assert not kl_exceeded(PPOConfig(), [9.0])


def test_a_resume_says_which_learning_rate_holds_and_why() -> None:
    assert rate_words(PPOConfig(learning_rate=3e-4), 10, 1) == "the learning rate 0.0003 too"
    falling = PPOConfig(learning_rate=0.001, learning_rate_schedule="linear", schedule_steps=100)
    assert rate_words(falling, 50, 1).endswith(
        "linear schedule has brought to 0.00055 by these steps"
    )
    assert "KL had brought to 0.0015" in rate_words(ADAPTIVE, 10, 1.5)
    assert math.isclose(coefficients(falling, 50, 1).actor_rate, 0.00055)
