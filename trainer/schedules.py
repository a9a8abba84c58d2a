"""What the update's coefficients are now: schedules over the run's steps, and the KL's own rule.

On a resume, schedules are computed anew from the run's steps and the config in force; how far the
KL has moved the actor's rate from `ppo.learning_rate` is one factor, which comes from the
checkpoint. Pure numbers. Tested by `tests/trainer/test_schedules.py`.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from trainer.config_ppo import ADAPTED_RATES, PPOConfig, Schedule

RATE_STEP = 1.5
"""What a learning rate is divided or multiplied by at once: rsl_rl's and rl_games' rule."""
KL_BAND = 2.0
"""A KL within this factor of its target leaves the rate alone: rsl_rl's and rl_games' rule."""
KL_STOP = 1.5
"""An update ends above this many targets: Stable-Baselines3's rule."""


class Coefficients(NamedTuple):
    """What one iteration's update uses."""

    actor_rate: float
    """Learning rate of the actor."""
    critic_rate: float
    """Learning rate of the critic."""
    entropy_coef: float
    """Weight of the entropy bonus (nats)."""
    clip_range: float
    """How far a probability ratio may leave 1."""
    critic_only: bool = False
    """Whether actor and shared layers stay as they are, while the critic warms up."""

    @property
    def metrics(self) -> dict[str, float]:
        """By metric name."""
        return {
            "Update/learning_rate_actor": self.actor_rate,
            "Update/learning_rate_critic": self.critic_rate,
            "Update/entropy_coef": self.entropy_coef,
            "Update/clip_range": self.clip_range,
            "Update/critic_only": float(self.critic_only),
        }


def share_left(schedule: Schedule, steps: int, over: int, end: float) -> float:
    """What a schedule leaves of its start after `steps` of `over` agent steps.

    From 1 at the first step to `end` at the last; there it stays.
    """
    if schedule == "constant":
        return 1.0
    passed = min(1.0, steps / over)
    # linear: s = 1 − p;  cosine: s = (1 + cos πp) / 2;  share = end + (1 − end) · s
    left = 1 - passed if schedule == "linear" else (1 + math.cos(math.pi * passed)) / 2
    return end + (1 - end) * left


def is_warmup(config: PPOConfig, steps: int, taught: int) -> bool:
    """Whether only the critic learns after `steps` agent steps; a teacher had those to `taught`."""
    return steps - taught < config.critic_warmup_steps


def coefficients(
    config: PPOConfig, steps: int, rate_factor: float, taught: int = 0
) -> Coefficients:
    """What the update after `steps` agent steps of the run uses.

    Args:
        config: The settings in force, whatever those of the checkpoint were.
        steps: Agent steps of the run before this iteration.
        rate_factor: Where the KL has moved the actor's rate; counts only while
            `config.adaptive_learning_rate` is on.
        taught: Agent steps of the run at the end of its last distillation; 0 without one.
    """

    def left(schedule: Schedule) -> float:
        return share_left(schedule, steps, config.schedule_steps, config.schedule_end)

    actor_rate = config.learning_rate * left(config.learning_rate_schedule)
    if config.adaptive_learning_rate:
        actor_rate = _bounded(config.learning_rate * rate_factor)
    own_rate = config.critic_learning_rate * left(config.learning_rate_schedule)
    return Coefficients(
        actor_rate=actor_rate,
        # The KL says nothing about a critic with a rate of its own.
        critic_rate=own_rate or actor_rate,
        entropy_coef=config.entropy_coef * left(config.entropy_schedule),
        clip_range=config.clip_range * left(config.clip_schedule),
        critic_only=is_warmup(config, steps, taught),
    )


def next_rate_factor(config: PPOConfig, rate_factor: float, kl: float) -> float:
    """The factor after an iteration whose optimizer steps met a mean KL of `kl` nats.

    A KL of 0 was not measured: it says nothing.
    """
    if not config.adaptive_learning_rate:
        return rate_factor
    rate = config.learning_rate * rate_factor
    if kl > KL_BAND * config.target_kl:
        rate /= RATE_STEP
    elif 0 < kl < config.target_kl / KL_BAND:
        rate *= RATE_STEP
    else:
        return rate_factor
    return _bounded(rate) / config.learning_rate


def kl_exceeded(config: PPOConfig, kls: Sequence[float]) -> bool:
    """Whether an update ends, `kls` (nats) being those of its latest epoch's batches so far."""
    if not config.kl_stop or not kls:
        return False
    return sum(kls) / len(kls) > KL_STOP * config.target_kl


def rate_words(config: PPOConfig, steps: int, rate_factor: float) -> str:
    """Which learning rate holds after a resume, and by which rule, for the start event."""
    words = f"the learning rate {config.learning_rate:g} too"
    now = coefficients(config, steps, rate_factor)
    if config.learning_rate_schedule != "constant":
        words += (
            f", which the {config.learning_rate_schedule} schedule has brought to "
            f"{now.actor_rate:g} by these steps"
        )
    if config.adaptive_learning_rate:
        words += f", which the KL had brought to {now.actor_rate:g} by the checkpoint"
    return words


def _bounded(rate: float) -> float:
    low, high = ADAPTED_RATES
    return min(high, max(low, rate))
