"""The settings of the dashboard's warnings: `[health]` of a config. Training reads none of them.

`docs/health.md` says of each rule where its threshold comes from. Loads pydantic only. Tested by
`tests/trainer/test_config.py` and, rule by rule, `tests/tui/test_health.py`.
"""

from typing import Annotated, Self

from pydantic import Field, model_validator

from trainer.config_section import (
    Fraction,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    Section,
)

MOST_QUIET = 20
"""Most iterations that warnings keep quiet: what the dashboard remembers has room for no more."""


class HealthConfig(Section):
    """When the dashboard warns. None of it changes how the run learns."""

    quiet_iterations: Annotated[int, Field(ge=0, le=MOST_QUIET)] = 10
    """Iterations after a start, a resume or an edit of which most warnings take no notice."""
    max_kl: PositiveFloat = 0.03
    """KL of an update (nats) above which the policy moves too fast."""
    min_kl: NonNegativeFloat = 5e-4
    """KL of an update (nats) below which the policy barely moves."""
    max_clip_fraction: Fraction = 0.25
    """Share of clipped rows above which updates go too far."""
    min_clip_fraction: Fraction = 0.01
    """Share of clipped rows below which updates could go further."""
    min_entropy: Fraction = 0.15
    """Entropy, 1 being no preference, below which the bot has stopped to explore too early."""
    min_entropy_until_steps: NonNegativeInt = 100_000_000
    """Agent steps from which an entropy below min_entropy is no longer early."""
    max_entropy: Fraction = 0.98
    """Entropy, 1 being no preference, above which the bot has not begun to prefer anything."""
    max_entropy_from_steps: NonNegativeInt = 20_000_000
    """Agent steps by which it should have begun to."""
    min_explained_variance: Annotated[float, Field(le=1, allow_inf_nan=False)] = 0.0
    """Explained variance below which the critic is worse than a constant."""
    max_value_loss_growth: PositiveFloat = 3.0
    """Value loss, as a multiple of its own recent median, above which it has jumped."""
    min_throughput: Fraction = 0.6
    """Steps/s, as a share of their own recent median, below which the run has become slow."""
    min_disk_gb: NonNegativeFloat = 2.0
    """Free disk space of the run folder (GB) below which saving is in danger."""
    reward_share: Fraction = 0.8
    """Share of all that is paid and fined above which one reward drowns the others."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        for name in ("kl", "clip_fraction", "entropy"):
            least, most = getattr(self, f"min_{name}"), getattr(self, f"max_{name}")
            if least >= most:
                raise ValueError(f"health.min_{name} {least:g} must be below max_{name} {most:g}")
        return self
