"""How exactly matrices are multiplied: f32, tf32 or bf16, network by network.

Weights, norms, losses and optimizer stay float32 in all of them: only the products inside Linear
layers are coarser, in the pass back too. What learns in bf16 plays in bf16, so that an update meets
the probabilities that were played; tf32 is of updates only. Knows no network.
Tested by `tests/trainer/test_precision.py`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

import torch

from trainer.config_ppo import PPOConfig, Precision


class Precisions(NamedTuple):
    """How exactly the networks of a run are computed while they play."""

    actor: Precision = "f32"
    """Of the shared layers too."""
    critic: Precision = "f32"

    @classmethod
    def of(cls, config: PPOConfig) -> "Precisions":
        """As the update computes them."""
        return cls(config.actor_precision, config.critic_precision)


EXACT: Final = Precisions()
"""Float32."""


def autocast(precision: Precision, device: torch.device) -> torch.autocast:
    """For a forward pass: Linear layers take and give bfloat16 where `precision` says so."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bf16")


@contextmanager
def tf32_allowed(precision: Precision) -> Iterator[None]:
    """For a pass forth and back: a GPU rounds what it multiplies to 10 bits where asked.

    It is so for all threads meanwhile, but not for what was recorded before. On a CPU it changes
    nothing.
    """
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before
