"""Whether networks can still learn: how large, how rich and how awake they are.

Three numbers a network, once an iteration: all are read back from its device at once. Knows no
loss. Tested by `tests/trainer/test_plasticity.py` and `test_elsewhere.py`.
"""

from typing import Final

import torch
from torch import Tensor, nn

from trainer.networks import ACTIVATIONS, ActorCritic

DORMANT_BELOW: Final = 0.025
"""Share of its layer's mean activity below which a unit sleeps (arXiv 2302.12902)."""
POWER_ITERATIONS: Final = 30
MEASURES: Final = ("weight_norm", "stable_rank", "dormant_fraction")


@torch.no_grad()
def plasticity(model: ActorCritic, obs: Tensor) -> dict[str, float]:
    """Every measure of every network, as metrics such as `Update/actor_stable_rank`.

    Args:
        model: Its present weights.
        obs: (M, D) observations by which units are called dormant.
    """
    features = model.shared(obs)
    names: list[str] = []
    found: list[Tensor] = []
    for name, part in model.parts.items():
        layers = part if name == "shared" else part.get_submodule("layers")
        assert isinstance(layers, nn.Sequential)
        matrices = [layer.weight for layer in layers if isinstance(layer, nn.Linear)]
        names += [f"Update/{name}_{measure}" for measure in MEASURES]
        found += [
            weight_norm(matrices),
            torch.stack([stable_rank(matrix) for matrix in matrices]).mean(),
            dormant_fraction(layers, obs if name == "shared" else features),
        ]
    return dict(zip(names, torch.stack(found).tolist(), strict=True))


def weight_norm(matrices: list[Tensor]) -> Tensor:
    """Root of the sum of all squared weights, biases and gains left out."""
    return torch.stack([matrix.square().sum() for matrix in matrices]).sum().sqrt()


def stable_rank(matrix: Tensor) -> Tensor:
    """Between 1 and the rank: in how many directions a matrix (rows, columns) really acts.

    Its largest singular value comes from a fixed number of power iterations, which find it to
    within a few percent from below.
    """
    # srank = ‖W‖_F² / σ_max²
    # Chosen where the matrix is: as a plain index, the number would be read back first.
    vector = matrix[matrix.square().sum(1).argmax(0, keepdim=True)][0]
    for _ in range(POWER_ITERATIONS):
        vector = matrix.T @ (matrix @ vector)
        vector = vector / vector.norm().clamp(min=torch.finfo(vector.dtype).tiny)
    largest = (matrix @ vector).square().sum()
    return matrix.square().sum() / largest.clamp(min=torch.finfo(vector.dtype).tiny)


def dormant_fraction(layers: nn.Sequential, rows: Tensor) -> Tensor:
    """Share of hidden units that hardly react to (M, width) `rows`, over all hidden layers.

    A unit sleeps when the mean size of its output is at most `DORMANT_BELOW` of the mean over its
    layer.
    """
    activations = tuple(ACTIVATIONS.values())
    asleep: list[Tensor] = []
    for layer in layers:
        rows = layer(rows)
        if isinstance(layer, activations):
            activity = rows.abs().mean(0)
            asleep.append(activity <= DORMANT_BELOW * activity.mean())
    return torch.cat(asleep).float().mean()
