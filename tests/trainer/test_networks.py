from copy import deepcopy

import pytest
import torch

from trainer.config import NetworksConfig
from trainer.networks import MLP, ActorCritic, parameter_count, parameter_vector
from trainer.precision import Precision, Precisions


def test_parameters_are_counted_as_by_hand() -> None:
    # 92·256 + 256, twice 256·256 + 256, 256·90 + 90
    assert (
        parameter_count(MLP(92, (256, 256, 256), 90, "none", "relu"))
        == 23_808 + 2 * 65_792 + 23_130
    )
    # Three times 256·256 + 256 + 256 gains, 256·90 + 90
    assert parameter_count(MLP(256, (256, 256, 256), 90, "rms_norm", "relu")) == 221_274
    # A gain and a bias for each hidden unit, 256·1 + 1
    assert parameter_count(MLP(256, (256, 256, 256), 1, "layer_norm", "relu")) == 198_401 + 3 * 256


@pytest.mark.parametrize(
    ("norm", "names"),
    [
        ("none", ["0.weight", "0.bias", "2.weight", "2.bias"]),
        ("layer_norm", ["0.weight", "0.bias", "1.weight", "1.bias", "3.weight", "3.bias"]),
        ("rms_norm", ["0.weight", "0.bias", "1.weight", "3.weight", "3.bias"]),
    ],
)
def test_weights_are_named_by_their_place_in_the_row_of_layers(norm: str, names: list[str]) -> None:
    found = list(MLP(3, (4,), 2, norm, "relu").state_dict())
    assert found == [f"layers.{name}" for name in names]


def identity_network(norm: str, activation: str = "relu") -> MLP:
    network = MLP(2, (2,), 2, norm, activation)
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


def test_unknown_norms_and_activations_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'batch_norm' is none of none, layer_norm, rms_norm"):
        MLP(3, (4,), 2, "batch_norm", "relu")
    with pytest.raises(ValueError, match=r"'gelu' is none of relu, leaky_relu, silu, tanh"):
        MLP(3, (4,), 2, "none", "gelu")


def test_initial_weights_and_biases_are_uniform_within_one_over_the_root_of_the_inputs() -> None:
    torch.manual_seed(0)
    layer = MLP(64, (512,), 2, "none", "relu").layers[0]
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


@pytest.mark.parametrize(
    ("activation", "expected"),
    # Of 1 and −1: x where positive, else 0, or a hundredth; x / (1 + e^−x); tanh x.
    [
        ("relu", (1, 0)),
        ("leaky_relu", (1, -0.01)),
        ("silu", (0.731059, -0.268941)),
        ("tanh", (0.761594, -0.761594)),
    ],
)
def test_the_activation_is_the_one_asked_for(
    activation: str, expected: tuple[float, float]
) -> None:
    found = identity_network("none", activation)(torch.tensor([[1.0, -1.0]]))
    assert found.tolist()[0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("norm", ["none", "layer_norm", "rms_norm"])
@pytest.mark.parametrize("precision", ["f32", "bf16"])
def test_a_relu_in_place_learns_what_one_beside_it_does(norm: str, precision: Precision) -> None:
    config = NetworksConfig(shared=(6, 4), actor=(8, 8), critic=(9,), norm=norm)
    model = ActorCritic(5, 7, config, Precisions(precision, precision))
    slow, obs = deepcopy(model), torch.randn(16, 5)
    for layer in slow.modules():
        if isinstance(layer, torch.nn.ReLU):
            layer.inplace = False
    given = obs.clone()
    for each in (model, slow):
        logits, values = each(obs)
        (logits.square().sum() + values.sin().sum()).backward()
    torch.testing.assert_close(obs, given, rtol=0, atol=0)
    for quick, plain in zip(model.parameters(), slow.parameters(), strict=True):
        assert quick.grad is not None
        torch.testing.assert_close(quick.grad, plain.grad, rtol=0, atol=0)


SHARED = NetworksConfig(shared=(6, 4), actor=(8,), critic=(9, 3), norm="layer_norm")


def test_a_shared_head_learns_from_both_losses() -> None:
    gradients = []
    for output in range(2):
        torch.manual_seed(0)
        model = ActorCritic(5, 7, SHARED)
        model(torch.ones(4, 5))[output].sum().backward()
        gradients.append([parameter.grad for parameter in model.shared.parameters()])
    for of_logits, of_values in zip(*gradients, strict=True):
        assert of_logits.abs().sum() > 0
        assert of_values.abs().sum() > 0
        assert not torch.equal(of_logits, of_values)


def test_the_parts_have_the_sizes_counted_by_hand() -> None:
    counts = {name: parameter_count(part) for name, part in ActorCritic(5, 7, SHARED).parts.items()}
    # 5·6 + 6 + 2·6, 6·4 + 4 + 2·4; 4·8 + 8 + 2·8, 8·7 + 7; 4·9 + 9 + 2·9, 9·3 + 3 + 2·3, 3 + 1
    assert counts == {"shared": 48 + 36, "actor": 56 + 63, "critic": 63 + 36 + 4}
    assert list(ActorCritic(5, 7, NetworksConfig()).parts) == ["actor", "critic"]


def test_the_seed_s_networks_have_the_millions_of_parameters_they_are_known_for() -> None:
    sizes = (2048, 2048, 1024, 1024)
    # 92·2048 + 2048² + 2048·1024 + 1024² and the biases, then 1024·90 + 90, or 1024 + 1.
    hidden = 188_416 + 4_194_304 + 2_097_152 + 1_048_576 + 6_144
    assert parameter_count(MLP(92, sizes, 90, "none", "relu")) == hidden + 92_250 == 7_626_842
    assert parameter_count(MLP(92, sizes, 1, "none", "relu")) == hidden + 1_025 == 7_535_617


def test_shared_head_and_actor_play_as_one_network() -> None:
    model = ActorCritic(5, 7, SHARED)
    whole = MLP(5, (6, 4, 8), 7, "layer_norm", "relu")
    whole.load_state_dict(model.playing.state_dict())
    obs = torch.linspace(-2, 2, 15).reshape(3, 5)
    assert torch.equal(whole(obs), model(obs)[0])
    other = ActorCritic(5, 7, SHARED)
    other.playing.load_state_dict(whole.state_dict())
    assert torch.equal(other(obs)[0], whole(obs))


def test_a_parameter_vector_is_a_copy() -> None:
    network = MLP(3, (4,), 2, "none", "relu")
    before = parameter_vector(network)
    with torch.no_grad():
        network.layers[0].bias.add_(1)  # type: ignore[operator]
    assert before.numel() == parameter_count(network)
    # Four biases moved by 1.
    assert float((parameter_vector(network) - before).abs().sum()) == pytest.approx(4, abs=1e-5)
