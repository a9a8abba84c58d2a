from functools import partial

import pytest
import torch
from torch import Tensor, nn

from tests.trainer.foreign import DiscreteFF, hidden
from trainer.foreign_networks import network_of
from trainer.foreign_weights import WeightsError
from trainer.networks import ACTIVATIONS

NORMS = {
    "none": None,
    "layer_norm": nn.LayerNorm,
    # Burn's ε; PyTorch's own default is 1.2e-7, which no file shows.
    "rms_norm": partial(nn.RMSNorm, eps=1e-5),
}
OBS = torch.randn(20, 6, generator=torch.Generator().manual_seed(0))


def state(module: nn.Module) -> dict[str, Tensor]:
    return dict(module.state_dict())


def test_rlgym_ppo_says_the_logits_before_its_softmax() -> None:
    theirs = DiscreteFF(6, 5, 4)
    ours = network_of("it", state(theirs), None, "none", "relu")
    torch.testing.assert_close(ours(OBS), theirs.logits(OBS), atol=1e-6, rtol=0)
    torch.testing.assert_close(ours(OBS).softmax(-1), theirs.model(OBS), atol=1e-6, rtol=0)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("prefix", ["", "layers.", "policy.model."])
def test_every_norm_and_activation_under_any_prefix(
    prefix: str, norm: str, activation: str
) -> None:
    layers = hidden(6, (8, 7), NORMS[norm], ACTIVATIONS[activation])
    theirs = nn.Sequential(*layers, nn.Linear(7, 90))
    named = {f"{prefix}{name}": tensor for name, tensor in theirs.state_dict().items()}
    ours = network_of("it", named, None, norm, activation)
    torch.testing.assert_close(ours(OBS), theirs(OBS), atol=1e-6, rtol=0)


def test_a_shared_head_comes_first() -> None:
    head = nn.Sequential(*hidden(6, (9, 8), nn.LayerNorm))
    actor = nn.Sequential(*hidden(8, (7,), nn.LayerNorm), nn.Linear(7, 90))
    ours = network_of("it", state(actor), state(head), "layer_norm", "relu")
    torch.testing.assert_close(ours(OBS), actor(head(OBS)), atol=1e-6, rtol=0)


def test_layers_are_in_the_order_of_their_number_and_not_of_their_letters() -> None:
    theirs = nn.Sequential(*hidden(6, (5,) * 6), nn.Linear(5, 90))
    backwards = dict(sorted(theirs.state_dict().items(), reverse=True))
    assert max(int(name.split(".")[0]) for name in backwards) == 12
    ours = network_of("it", backwards, None, "none", "relu")
    torch.testing.assert_close(ours(OBS), theirs(OBS), atol=1e-6, rtol=0)


def test_a_network_without_hidden_layers_is_one() -> None:
    theirs = nn.Sequential(nn.Linear(6, 90))
    ours = network_of("it", state(theirs), None, "none", "relu")
    torch.testing.assert_close(ours(OBS), theirs(OBS), atol=1e-6, rtol=0)


def test_the_norm_that_was_told_must_be_that_of_the_weights() -> None:
    plain = state(nn.Sequential(*hidden(6, (5,)), nn.Linear(5, 90)))
    normed = state(nn.Sequential(*hidden(6, (5,), nn.RMSNorm), nn.Linear(5, 90)))
    assert_refused(normed, "weights of norm rms_norm, and transfer.teacher.norm is none")
    assert_refused(plain, "of norm none, and .* is layer_norm", "layer_norm")
    assert_refused(normed, "of norm rms_norm, and .* is layer_norm", "layer_norm")
    half = nn.Sequential(*hidden(6, (5,), nn.RMSNorm), *hidden(5, (5,)), nn.Linear(5, 90))
    assert_refused(state(half), "a norm after some of its hidden layers only", "rms_norm")


def test_a_shared_head_alone_is_no_actor() -> None:
    head = nn.Sequential(*hidden(6, (9, 8), nn.LayerNorm))
    assert_refused(state(head), "it is a shared head, not an actor", "layer_norm")


@pytest.mark.parametrize(
    ("tensors", "why"),
    [
        ({"fc1.weight": (5, 6)}, "'fc1.weight' is not named as in a PyTorch Sequential"),
        ({"0.running_mean": (5,)}, "'0.running_mean' is not named as"),
        ({"a.0.weight": (5, 6), "b.0.weight": (5, 6)}, r"several networks \(a\., b\.\)"),
        ({"0.bias": (5,)}, "0 has no weight"),
        ({"0.weight": (5, 6)}, "0 is neither a linear layer with a bias nor"),
        ({"0.weight": (5,)}, r"0 is neither .*its weight is \(5,\)"),
        ({"0.weight": (5, 6, 3, 3), "0.bias": (5,)}, "0 is neither a linear layer"),
        ({"0.weight": (0, 6), "0.bias": (0,)}, "0 is neither a linear layer"),
        ({"0.weight": (6, 5), "0.bias": (5,)}, r"weight is \(in, out\) as Burn stores it"),
        ({"0.weight": (6, 5), "0.bias": (4,)}, "do not belong together"),
        (
            {"0.weight": (5, 6), "0.bias": (5,), "1.weight": (4,)},
            "norm 1 is not as wide as the layer before it",
        ),
        (
            {"0.weight": (5, 6), "0.bias": (5,), "2.weight": (4, 7), "2.bias": (4,)},
            "0 gives 5 numbers and 2 takes 7",
        ),
    ],
)
def test_what_is_no_such_network_is_refused(tensors: dict[str, tuple[int, ...]], why: str) -> None:
    assert_refused({name: torch.zeros(shape) for name, shape in tensors.items()}, why)


def assert_refused(tensors: dict[str, Tensor], why: str, norm: str = "none") -> None:
    with pytest.raises(WeightsError, match=why):
        network_of("it", tensors, None, norm, "relu")
