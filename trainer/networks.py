"""The actor and the critic: two plain multilayer perceptrons that share nothing.

Weights and biases keep PyTorch's initial distribution. Knows no policy, no loss and no environment.
Tested by `tests/trainer/test_networks.py`.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from trainer.config import NetworksConfig

NORM_EPS = 1e-5
"""Added to the variance, or the mean square, that a norm divides by."""


class MLP(nn.Module):
    """Linear, norm, ReLU for each hidden layer, then one bare Linear."""

    def __init__(self, width_in: int, layers: Sequence[int], width_out: int, norm: str) -> None:
        """Draw initial weights from PyTorch's global random state.

        Args:
            width_in: Numbers a row comes with.
            layers: Hidden widths, first to last.
            width_out: Numbers a row leaves with.
            norm: "none", "layer_norm" or "rms_norm", between each hidden Linear and its ReLU.

        Raises:
            ValueError: When `norm` is none of them.
        """
        super().__init__()
        widths = (width_in, *layers)
        hidden = (part for pair in pairwise(widths) for part in _hidden_layer(*pair, norm))
        self.layers = nn.Sequential(*hidden, nn.Linear(widths[-1], width_out))

    def forward(self, rows: Tensor) -> Tensor:
        """(M, width_in) to (M, width_out)."""
        out: Tensor = self.layers(rows)
        return out


class ActorCritic(nn.Module):
    """The two networks of a run."""

    def __init__(self, obs_width: int, num_actions: int, config: NetworksConfig) -> None:
        """Build both for observations of `obs_width` numbers; the actor's weights come first."""
        super().__init__()
        self.actor = MLP(obs_width, config.actor, num_actions, config.norm)
        """(M, D) observations to (M, A) logits."""
        self.critic = MLP(obs_width, config.critic, 1, config.norm)
        """(M, D) observations to (M, 1) values."""

    def forward(self, obs: Tensor) -> tuple[Tensor, Tensor]:
        """(M, D) observations to (M, A) unmasked logits and (M,) values."""
        return self.actor(obs), self.values(obs)

    def values(self, obs: Tensor) -> Tensor:
        """(M, D) observations to (M,) expected discounted returns."""
        values: Tensor = self.critic(obs)
        return values.squeeze(-1)


def parameter_count(network: nn.Module) -> int:
    """Numbers that training may change."""
    return sum(parameter.numel() for parameter in network.parameters())


def parameter_vector(network: nn.Module) -> Tensor:
    """(parameter_count,) a copy of all parameters in a row."""
    return torch.cat([parameter.detach().flatten() for parameter in network.parameters()])


def _hidden_layer(width_in: int, width_out: int, norm: str) -> Iterator[nn.Module]:
    yield nn.Linear(width_in, width_out)
    if norm == "layer_norm":
        yield nn.LayerNorm(width_out, eps=NORM_EPS)
    elif norm == "rms_norm":
        yield nn.RMSNorm(width_out, eps=NORM_EPS)
    elif norm != "none":
        raise ValueError(f"norm {norm!r} is not none, layer_norm or rms_norm")
    yield nn.ReLU()
