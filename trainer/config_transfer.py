"""The settings of distillation, `rlppo distill`: how a student learns from a frozen teacher.

Loads pydantic only. Tested by `tests/trainer/test_config.py`.
"""

from typing import Literal

from trainer.config_section import Live, NonNegativeInt, PositiveFloat, PositiveInt, Section

TransferLoss = Literal["mae", "kl"]


class TeacherConfig(Section):
    """What is known of a teacher whose file does not say it: weights of another trainer."""

    observation: Literal["default", "local", "rlgymppo_default", "rlgymppo_advanced"] = "default"
    """What it sees."""
    max_team_size: NonNegativeInt = 0
    """Cars of a team that its observation has places for. 0 takes the teams as they are."""
    norm: Literal["none", "layer_norm", "rms_norm"] = "none"
    """Normalisation between each of its linear layers and the activation."""
    activation: Literal["relu", "leaky_relu", "silu", "tanh"] = "relu"
    """What follows each of its hidden layers."""


class TransferConfig(Section):
    """How a student learns from a teacher. PPO's sizes say how much it plays before it learns."""

    loss: Live[TransferLoss] = "kl"
    """kl: mean KL (nats) of the student from the teacher; mae: mean absolute difference of both."""
    learning_rate: Live[PositiveFloat] = 1e-3
    """Step size of the run's optimizer, `ppo.optimizer`; it begins fresh when PPO goes on."""
    epochs: Live[PositiveInt] = 2
    """Passes over each rollout."""
    teacher: TeacherConfig = TeacherConfig()
    """What is known of a teacher whose file does not say it: weights of another trainer."""
