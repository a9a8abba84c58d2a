"""The settings of the update: `[ppo]` of a config, and which of them cannot go together.

Loads pydantic only. Tested by `tests/trainer/test_config.py`.
"""

from typing import Literal, Self

from pydantic import model_validator

from trainer.config_section import (
    Fraction,
    Live,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    Section,
)

Estimator = Literal["truncated", "termination_time"]
Schedule = Literal["constant", "linear", "cosine"]
Precision = Literal["f32", "tf32", "bf16"]

ADAPTED_RATES = (1e-6, 1e-2)
"""Lowest and highest learning rate that `adaptive_learning_rate` sets: rl_games' bounds."""


class PPOConfig(Section):
    """How one rollout becomes a better policy."""

    steps_per_iteration: PositiveInt = 50_000
    """Agent steps collected before each update; rounded up to whole decisions of all agents."""
    overlap: bool = False
    """Play the next rollout while learning from this one: each is then one update old."""
    epochs: Live[PositiveInt] = 2
    """Passes over each rollout."""
    batch_size: Live[PositiveInt] = 2_500
    """Rows of an optimizer step, about: a rollout is cut into equal batches nearest to this."""
    minibatch_size: Live[PositiveInt] = 2_500
    """Most rows of one forward pass. Gradients add up: this changes memory and speed only."""
    optimizer: Literal["adamw", "muon"] = "adamw"
    """muon takes Muon for the hidden layers' matrices, and AdamW for all the rest."""
    learning_rate: Live[PositiveFloat] = 1e-3
    """Step size of the optimizer, for actor and critic."""
    critic_learning_rate: Live[NonNegativeFloat] = 0.0
    """The critic's own step size. 0 takes the actor's. Shared layers take the lower of both."""
    learning_rate_schedule: Live[Schedule] = "constant"
    """How both learning rates fall over schedule_steps."""
    entropy_schedule: Live[Schedule] = "constant"
    """How entropy_coef falls over schedule_steps."""
    clip_schedule: Live[Schedule] = "constant"
    """How clip_range falls over schedule_steps."""
    schedule_steps: Live[NonNegativeInt] = 0
    """Agent steps from the run's first over which schedules fall; afterwards nothing changes."""
    schedule_end: Live[Fraction] = 0.1
    """Share of its start that a schedule leaves at the end."""
    target_kl: Live[NonNegativeFloat] = 0.0
    """KL (nats) an update should move the policy, about; 0.01 is usual. 0 has no target."""
    adaptive_learning_rate: Live[bool] = False
    """Change the actor's rate by 1.5 after each iteration whose KL is far from target_kl."""
    kl_stop: Live[bool] = False
    """End an update early when an epoch's KL is above 1.5 times target_kl."""
    weight_decay: NonNegativeFloat = 0.0
    """The optimizer's decoupled weight decay."""
    regeneration: NonNegativeFloat = 0.0
    """Weight of L2 Init's pull of every parameter to its initial value. 0 does not pull."""
    gamma: Live[Fraction] = 0.99
    """Discount of a reward one decision later."""
    gae_lambda: Live[Fraction] = 0.95
    """GAE's mix of long (1) and one-step (0) advantage estimates."""
    gae_estimator: Live[Estimator] = "truncated"
    """termination_time weighs the estimates over the decisions left, rather than forever."""
    scale_rewards: Live[bool] = False
    """Divide rewards by the running standard deviation of the discounted returns."""
    reward_clip: Live[NonNegativeFloat] = 10.0
    """Largest size of a scaled reward; what is beyond is cut. 0 cuts nothing."""
    clip_range: Live[PositiveFloat] = 0.2
    """How far the new action probability may move from the old, as a ratio around 1."""
    value_clip: Live[NonNegativeFloat] = 0.0
    """How far a value may move from the old one before it stops counting. 0 sets no limit."""
    entropy_coef: Live[NonNegativeFloat] = 0.01
    """Weight of the entropy bonus (nats)."""
    max_grad_norm: Live[PositiveFloat] = 0.5
    """Global gradient norm above which a network's gradient is scaled down."""
    critic_warmup_steps: NonNegativeInt = 0
    """Agent steps, from the first or from the end of a distillation, that teach the critic only."""
    actor_precision: Precision = "f32"
    """Of the matrix products in actor and shared layers, in updates and in play."""
    critic_precision: Precision = "f32"
    """The critic's. bf16 is fast on GPUs and on CPUs with AMX or AVX512-BF16; tf32 is for GPUs."""
    cuda_graphs: bool = True
    """Record decisions and optimizer steps on a GPU once, and replay them. No effect on a CPU."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        schedules = (self.learning_rate_schedule, self.clip_schedule, self.entropy_schedule)
        scheduled = [schedule != "constant" for schedule in schedules]
        uses_kl = self.adaptive_learning_rate or self.kl_stop
        low, high = ADAPTED_RATES
        for impossible, why in (
            (any(scheduled) and not self.schedule_steps, "a schedule needs ppo.schedule_steps"),
            (
                any(scheduled[:2]) and not self.schedule_end,
                "ppo.schedule_end 0 would end in learning nothing: only entropy may fall to 0",
            ),
            (
                uses_kl and not self.target_kl,
                "ppo.adaptive_learning_rate and ppo.kl_stop need ppo.target_kl",
            ),
            (
                self.target_kl and not uses_kl,
                "ppo.target_kl does nothing without ppo.adaptive_learning_rate or ppo.kl_stop",
            ),
            (
                self.adaptive_learning_rate and scheduled[0],
                "ppo.adaptive_learning_rate and ppo.learning_rate_schedule set the same rate",
            ),
            (
                self.overlap and "tf32" in (self.actor_precision, self.critic_precision),
                "ppo.overlap plays while tf32, a switch of the whole process, is on: take f32 or "
                "bf16 for ppo.actor_precision and ppo.critic_precision",
            ),
            (
                self.adaptive_learning_rate and not low <= self.learning_rate <= high,
                f"ppo.adaptive_learning_rate needs a ppo.learning_rate from {low:g} to {high:g}",
            ),
        ):
            if impossible:
                raise ValueError(why)
        return self
