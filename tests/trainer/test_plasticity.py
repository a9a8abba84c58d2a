import pytest
import torch
from torch import nn

from trainer.config import NetworksConfig
from trainer.networks import ActorCritic, ReLU
from trainer.plasticity import dormant_fraction, plasticity, stable_rank, weight_norm


def test_the_weight_norm_is_that_of_all_matrices_together() -> None:
    # 3² + 4² + 12² = 13²
    matrices = [torch.tensor([[3.0, 4.0]]), torch.tensor([[12.0]])]
    assert float(weight_norm(matrices)) == pytest.approx(13)


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        ([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]], 3),
        # One direction only.
        ([[1.0, 2], [2, 4], [3, 6]], 1),
        # Singular values 2 and 1: (4 + 1) / 4.
        ([[0.0, 2], [1, 0]], 1.25),
        ([[0.0, 0], [0, 0]], 0),
    ],
)
def test_the_stable_rank_counts_the_directions_a_matrix_acts_in(
    matrix: list[list[float]], expected: float
) -> None:
    assert float(stable_rank(torch.tensor(matrix))) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("shape", [(256, 92), (256, 256), (90, 256)])
def test_the_stable_rank_is_within_a_few_percent_of_the_exact_one(shape: tuple[int, int]) -> None:
    torch.manual_seed(0)
    matrix = nn.Linear(shape[1], shape[0]).weight.detach()
    exact = matrix.square().sum() / torch.linalg.matrix_norm(matrix, 2) ** 2
    found = stable_rank(matrix)
    assert exact * 0.999 <= found <= exact * 1.05


def test_units_that_hardly_react_are_dormant() -> None:
    linear = nn.Linear(1, 4)
    with torch.no_grad():
        linear.weight.copy_(torch.tensor([[1.0], [-1.0], [0.02], [2.0]]))
        linear.bias.zero_()
    # Of inputs 1 and 3, ReLU leaves mean outputs of 2, 0, 0.04 and 4: their mean is 1.51, and
    # 0.025 · 1.51 = 0.03775 is above 0 and below 0.04.
    layers = nn.Sequential(linear, ReLU())
    assert float(dormant_fraction(layers, torch.tensor([[1.0], [3.0]])).detach()) == 0.25


def test_every_network_is_measured_in_every_way() -> None:
    model = ActorCritic(
        3, 4, NetworksConfig(shared=(6,), actor=(8, 8), critic=(5,), norm="rms_norm")
    )
    found = plasticity(model, torch.randn(16, 3))
    assert list(found) == [
        f"Update/{network}_{measure}"
        for network in ("shared", "actor", "critic")
        for measure in ("weight_norm", "stable_rank", "dormant_fraction")
    ]
    assert all(0 <= found[f"Update/{name}_dormant_fraction"] <= 1 for name in model.parts)
    assert all(found[f"Update/{name}_stable_rank"] >= 1 for name in model.parts)
