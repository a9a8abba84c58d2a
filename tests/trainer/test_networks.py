import pytest
import torch

from trainer.config import NetworksConfig
from trainer.networks import MLP, ActorCritic, parameter_count, parameter_vector


def test_parameters_are_counted_as_by_hand() -> None:
    # 92·256 + 256, twice 256·256 + 256, 256·90 + 90
    assert parameter_count(MLP(92, (256, 256, 256), 90, "none")) == 23_808 + 2 * 65_792 + 23_130
    # Three times 256·256 + 256 + 256 gains, 256·90 + 90
    assert parameter_count(MLP(256, (256, 256, 256), 90, "rms_norm")) == 221_274
    # A gain and a bias for each hidden unit, 256·1 + 1
    assert parameter_count(MLP(256, (256, 256, 256), 1, "layer_norm")) == 198_401 + 3 * 256


@pytest.mark.parametrize(
    ("norm", "names"),
    [
        ("none", ["0.weight", "0.bias", "2.weight", "2.bias"]),
        ("layer_norm", ["0.weight", "0.bias", "1.weight", "1.bias", "3.weight", "3.bias"]),
        ("rms_norm", ["0.weight", "0.bias", "1.weight", "3.weight", "3.bias"]),
    ],
)
def test_weights_are_named_by_their_place_in_the_row_of_layers(norm: str, names: list[str]) -> None:
    found = list(MLP(3, (4,), 2, norm).state_dict())
    assert found == [f"layers.{name}" for name in names]


def identity_network(norm: str) -> MLP:
    network = MLP(2, (2,), 2, norm)
    for layer in (network.layers[0], network.layers[-1]):
        assert isinstance(layer, torch.nn.Linear)
        torch.nn.init.eye_(layer.weight)
        torch.nn.init.zeros_(layer.bias)
    return network


@pytest.mark.parametrize(
    ("norm", "row", "expected"),
    [
        ("none", (3.0, -4.0), (3.0, 0.0)),
        # mean 1, variance 4: (3 − 1) / 2 and (−1 − 1) / 2, then the negative is cut off
        ("layer_norm", (3.0, -1.0), (1.0, 0.0)),
        # root of the mean square is √12.5 = 3.5355: 3 / 3.5355
        ("rms_norm", (3.0, -4.0), (0.84853, 0.0)),
    ],
)
def test_the_norm_comes_before_the_relu(
    norm: str, row: tuple[float, float], expected: tuple[float, float]
) -> None:
    found = identity_network(norm)(torch.tensor([row]))
    torch.testing.assert_close(found, torch.tensor([expected]), rtol=0, atol=1e-5)


def test_the_output_layer_is_bare() -> None:
    network = identity_network("layer_norm")
    assert isinstance(network.layers[-1], torch.nn.Linear)
    with torch.no_grad():
        network.layers[-1].bias.fill_(-5.0)
    assert network(torch.tensor([[3.0, -1.0]])).tolist()[0] == pytest.approx([-4, -5], abs=1e-4)


def test_an_unknown_norm_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'batch_norm' is not none, layer_norm or rms_norm"):
        MLP(3, (4,), 2, "batch_norm")


def test_initial_weights_and_biases_are_uniform_within_one_over_the_root_of_the_inputs() -> None:
    torch.manual_seed(0)
    layer = MLP(64, (512,), 2, "none").layers[0]
    assert isinstance(layer, torch.nn.Linear)
    for numbers in (layer.weight, layer.bias):
        assert numbers.abs().max() <= 1 / 8
        # A uniform distribution on ±1/8 has standard deviation 1 / (8·√3) = 0.0722.
        assert float(numbers.detach().std()) == pytest.approx(0.0722, abs=0.004)


def test_actor_and_critic_share_nothing() -> None:
    model = ActorCritic(5, 7, NetworksConfig(actor=(8,), critic=(9, 3), norm="rms_norm"))
    logits, values = model(torch.ones(4, 5))
    assert (logits.shape, values.shape) == ((4, 7), (4,))
    values.sum().backward()
    assert all(parameter.grad is None for parameter in model.actor.parameters())
    assert all(parameter.grad is not None for parameter in model.critic.parameters())


def test_a_parameter_vector_is_a_copy() -> None:
    network = MLP(3, (4,), 2, "none")
    before = parameter_vector(network)
    with torch.no_grad():
        network.layers[0].bias.add_(1)  # type: ignore[operator]
    assert before.numel() == parameter_count(network)
    # Four biases moved by 1.
    assert float((parameter_vector(network) - before).abs().sum()) == pytest.approx(4, abs=1e-5)
