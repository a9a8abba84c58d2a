"""How exactly the update multiplies matrices: f32, tf32 or bf16, network by network.

Weights, norms, losses and optimizer stay float32 in all of them: only the products inside Linear
layers are coarser, in the pass back too. Collection always plays in float32. Knows no network.
Tested by `tests/trainer/test_precision.py`.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from trainer.config_ppo import Precision


def autocast(precision: Precision, device: torch.device) -> torch.autocast:
    """For a forward pass: Linear layers take and give bfloat16 where `precision` says so."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bf16")


@contextmanager
def tf32_allowed(precision: Precision) -> Iterator[None]:
    """For a pass forth and back: a GPU rounds what it multiplies to 10 bits where asked.

    On a CPU it changes nothing.
    """
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before
