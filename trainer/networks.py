"""The actor and the critic: multilayer perceptrons, with the same first layers where asked for.

Weights and biases keep PyTorch's initial distribution. Knows no policy, no loss and no environment.
Tested by `tests/trainer/test_networks.py`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

import torch
from torch import Tensor, nn

from rlbot_agent.contract import Contract
from trainer.config import NetworksConfig
from trainer.precision import EXACT, Precisions, autocast

NORM_EPS: Final = 1e-5
"""Added to the variance, or the mean square, that a norm divides by."""


class LayerNorm(nn.LayerNorm):
    """PyTorch's, in float32 whatever the layers around it compute in."""

    def forward(self, rows: Tensor) -> Tensor:
        """(M, width) of any precision to (M, width) float32."""
        return super().forward(rows.float())


class RMSNorm(nn.RMSNorm):
    """PyTorch's, in float32 whatever the layers around it compute in."""

    def forward(self, rows: Tensor) -> Tensor:
        """(M, width) of any precision to (M, width) float32."""
        return super().forward(rows.float())


class ReLU(nn.ReLU):
    """PyTorch's, over what it is given: no second copy of a hidden layer's output is kept.

    What comes before it, a Linear or a norm, does not need its own output for the pass back.
    """

    def __init__(self) -> None:
        """Of any width."""
        super().__init__(inplace=True)


NORMS: Final[Mapping[str, Callable[[int], nn.Module] | None]] = {
    "none": None,
    "layer_norm": lambda width: LayerNorm(width, eps=NORM_EPS),
    "rms_norm": lambda width: RMSNorm(width, eps=NORM_EPS),
}
ACTIVATIONS: Final[Mapping[str, type[nn.Module]]] = {
    "relu": ReLU,
    "leaky_relu": nn.LeakyReLU,
    "silu": nn.SiLU,
    "tanh": nn.Tanh,
}


class MLP(nn.Module):
    """Linear, norm, activation for each hidden layer, then one bare Linear."""

    def __init__(
        self, width_in: int, layers: Sequence[int], width_out: int, norm: str, activation: str
    ) -> None:
        """Draw initial weights from PyTorch's global random state.

        Args:
            width_in: Numbers a row comes with.
            layers: Hidden widths, first to last.
            width_out: Numbers a row leaves with.
            norm: One of `NORMS`, between each hidden Linear and its activation.
            activation: One of `ACTIVATIONS`.

        Raises:
            ValueError: When norm or activation is none of them.
        """
        super().__init__()
        hidden = _hidden_layers(width_in, layers, norm, activation)
        self.layers = nn.Sequential(*hidden, nn.Linear((width_in, *layers)[-1], width_out))

    def forward(self, rows: Tensor) -> Tensor:
        """(M, width_in) to (M, width_out)."""
        out: Tensor = self.layers(rows)
        return out


class ActorCritic(nn.Module):
    """The networks of a run."""

    def __init__(
        self,
        obs_width: int,
        num_actions: int,
        config: NetworksConfig,
        precisions: Precisions = EXACT,
    ) -> None:
        """Build all for observations of `obs_width` numbers: shared head, actor, then critic.

        `precisions` are those of the methods here; who calls one of the networks chooses its own.
        """
        super().__init__()
        self.obs_width = obs_width
        """D."""
        self._precisions = precisions
        style = (config.norm, config.activation)
        self.shared = nn.Sequential(*_hidden_layers(obs_width, config.shared, *style))
        """(M, D) observations to (M, F) features, the observations themselves when it is empty."""
        features = (obs_width, *config.shared)[-1]
        self.actor = MLP(features, config.actor, num_actions, *style)
        """(M, F) features to (M, A) logits."""
        self.critic = MLP(features, config.critic, 1, *style)
        """(M, F) features to (M, 1) values."""

    def forward(self, obs: Tensor) -> tuple[Tensor, Tensor]:
        """(M, D) observations to (M, A) unmasked logits and (M,) values."""
        features = self._features(obs)
        return self._logits(features), self._values(features)

    def logits(self, obs: Tensor) -> Tensor:
        """(M, D) observations to (M, A) unmasked logits."""
        return self._logits(self._features(obs))

    def values(self, obs: Tensor) -> Tensor:
        """(M, D) observations to (M,) expected discounted returns."""
        return self._values(self._features(obs))

    def _features(self, obs: Tensor) -> Tensor:
        with autocast(self._precisions.actor, obs.device):
            features: Tensor = self.shared(obs)
        return features

    def _logits(self, features: Tensor) -> Tensor:
        with autocast(self._precisions.actor, features.device):
            logits: Tensor = self.actor(features)
        return logits.float()

    def _values(self, features: Tensor) -> Tensor:
        with autocast(self._precisions.critic, features.device):
            values: Tensor = self.critic(features)
        return values.squeeze(-1).float()

    @torch.no_grad()
    def rescale_values(self, factor: float) -> None:
        """Multiply what the critic says by `factor`, exactly, as PopArt does (arXiv 1602.07714)."""
        for parameter in self.critic.layers[-1].parameters():
            parameter.mul_(factor)

    @property
    def parts(self) -> dict[str, nn.Module]:
        """The networks that have parameters, by name: "shared" only where there is one."""
        return {name: part for name, part in self.named_children() if parameter_count(part)}

    @property
    def playing(self) -> nn.Module:
        """Shared head and actor as one `MLP` names its layers; the weights are theirs."""
        return nn.ModuleDict({"layers": nn.Sequential(*self.shared, *self.actor.layers)})


def actor_of(contract: Contract) -> MLP:
    """The network that plays under `contract`, shared head and all, with weights that mean nothing.

    Raises:
        ValueError: When the contract names a norm or an activation that is not known.
    """
    return MLP(
        contract.obs_width,
        contract.actor_layers,
        contract.num_actions,
        contract.norm,
        contract.activation,
    )


def parameter_count(network: nn.Module) -> int:
    """Numbers that training may change."""
    return sum(parameter.numel() for parameter in network.parameters())


def parameter_vector(network: nn.Module) -> Tensor:
    """(parameter_count,) a copy of all parameters in a row."""
    return torch.cat([parameter.detach().flatten() for parameter in network.parameters()])


def _hidden_layers(
    width_in: int, layers: Sequence[int], norm: str, activation: str
) -> Iterator[nn.Module]:
    for kind, name, known in (("norm", norm, NORMS), ("activation", activation, ACTIVATIONS)):
        if name not in known:
            raise ValueError(f"{kind} {name!r} is none of {', '.join(known)}")
    make_norm = NORMS[norm]
    for width, width_out in pairwise((width_in, *layers)):
        yield nn.Linear(width, width_out)
        if make_norm is not None:
            yield make_norm(width_out)
        yield ACTIVATIONS[activation]()
