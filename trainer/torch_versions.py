"""Old versions where the networks are: several of them in one pass, on a GPU too.

Always in float32, as `numpy_versions.py`, and for the same reason. Knows no run folder. Tested by
`tests/trainer/test_old_actors.py`, against one network after the other.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from trainer.networks import NORM_EPS, ActorCritic
from trainer.numpy_policy import Flags, Floats, Indices
from trainer.sampling import masked_log_probs, sample


class TorchVersions:
    """V actors that are built as that of `model`."""

    def __init__(self, vectors: Sequence[Floats], *, model: ActorCritic) -> None:
        """Copy `vectors`, each all parameters of an actor in a row, to where `model` is."""
        parameters = list(model.playing.parameters())
        self._device = parameters[0].device
        flat = torch.from_numpy(np.stack(vectors)).to(self._device)
        parts = torch.split(flat, [parameter.numel() for parameter in parameters], dim=1)
        stacked = iter(
            part.reshape(-1, *parameter.shape)
            for part, parameter in zip(parts, parameters, strict=True)
        )
        layers = model.playing.get_submodule("layers")
        assert isinstance(layers, nn.Sequential)
        self._layers = [
            (layer, [next(stacked) for _ in layer.parameters(recurse=False)]) for layer in layers
        ]

    @torch.no_grad()
    def draw(self, obs: Tensor, masks: Tensor, uniforms: Tensor) -> Tensor:
        """(V, R) actions for (V, R, D) observations, drawn with (V, R) numbers in [0, 1)."""
        rows = obs
        for layer, parameters in self._layers:
            rows = _apply(layer, parameters, rows)
        log_probs = masked_log_probs(rows.flatten(0, 1), masks.flatten(0, 1))
        return sample(log_probs, uniforms.flatten()).view(uniforms.shape)

    def choose(self, obs: Floats, masks: Flags, uniforms: Floats) -> Indices:
        """The same for arrays."""
        given = (torch.from_numpy(array).to(self._device) for array in (obs, masks, uniforms))
        actions: Indices = self.draw(*given).cpu().numpy()
        return actions


def _apply(layer: nn.Module, parameters: Sequence[Tensor], rows: Tensor) -> Tensor:
    """One layer of V networks, whose parameters are stacked, on (V, R, width) rows."""
    match layer, parameters:
        case nn.Linear(), [weight, bias]:
            return torch.baddbmm(bias[:, None], rows, weight.transpose(1, 2))
        case nn.LayerNorm(), [gain, shift]:
            normal = functional.layer_norm(rows, rows.shape[-1:], eps=NORM_EPS)
            return normal * gain[:, None] + shift[:, None]
        case nn.RMSNorm(), [gain]:
            return functional.rms_norm(rows, list(rows.shape[-1:]), eps=NORM_EPS) * gain[:, None]
    out: Tensor = layer(rows)  # an activation, which has no parameters
    return out
