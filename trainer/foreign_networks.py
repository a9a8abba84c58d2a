"""The network that another trainer's weights are: its layers, from their names and shapes alone.

    linear 0, (norm), activation, …, linear L      names PREFIX.INDEX.weight and PREFIX.INDEX.bias

This is how PyTorch names what is in an `nn.Sequential`, the index counting activations too. So are
named rlgym-ppo's policies (`DiscreteFF` in rlgym_ppo/ppo/discrete_policy.py: model.0, model.2, …,
the Softmax at the end has no weights), and those of RLGymPPO_CPP and GigaLearn (0, 2, …, or 0, 3, …
with a norm before each activation). A tensor of two dimensions is a linear layer; one of one
dimension a norm, with a bias a layer norm and without an RMS norm. A shared head is such a network
that ends in its activation.

Knows no file format and no observation. Tested by `tests/trainer/test_foreign_networks.py`.
"""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final, NamedTuple

import torch
from torch import Tensor

from trainer.foreign_weights import Tensors, WeightsError
from trainer.networks import MLP

_NAME: Final = re.compile(r"(?P<prefix>(?:.*\.)?)(?P<index>\d{1,9})\.(?P<kind>weight|bias)")
_NORMS: Final = {0: "none", 1: "rms_norm", 2: "layer_norm"}
"""By how many tensors it has."""


class _Layer(NamedTuple):
    """A linear layer and the norm that follows it."""

    name: str
    weight: Tensor
    """(out, in)."""
    bias: Tensor
    """(out,)."""
    norm: tuple[Tensor, ...]
    """Each (out,): none, a weight, or a weight and a bias."""

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        return (self.weight, self.bias, *self.norm)


def network_of(
    source: str, actor: Tensors, shared: Tensors | None, norm: str, activation: str
) -> MLP:
    """The network of `actor` behind the shared head `shared`, if there is one.

    Args:
        source: What it is called in sentences.
        actor: Its tensors by name, float32.
        shared: Those of the shared head.
        norm: What `transfer.teacher.norm` says; the weights must agree.
        activation: What follows each hidden layer; weights do not show it.

    Raises:
        WeightsError: When they are not the weights of such a network.
    """
    head = _layers_of(f"the shared head of {source}", shared) if shared is not None else []
    layers = [*head, *_layers_of(source, actor)]
    _require_chain(source, layers)
    if layers[-1].norm:
        raise WeightsError(f"{source} ends in a norm: it is a shared head, not an actor")
    found = {_NORMS[len(layer.norm)] for layer in layers[:-1]}
    if len(found) > 1:
        raise WeightsError(f"{source} has a norm after some of its hidden layers only")
    if found and found != {norm}:
        raise WeightsError(
            f"{source} has the weights of norm {found.pop()}, and transfer.teacher.norm is {norm}"
        )
    widths = [layer.weight.shape[0] for layer in layers]
    network = MLP(layers[0].weight.shape[1], widths[:-1], widths[-1], norm, activation)
    _fill(network, (tensor for layer in layers for tensor in layer.tensors))
    return network


def _layers_of(source: str, tensors: Tensors) -> list[_Layer]:
    """Linear layers in the order of their index, each with its norm."""
    layers: list[_Layer] = []
    for name, weight, bias in _indexed(source, tensors):
        if weight.dim() == 2 and weight.numel() and bias is not None:
            _require_bias(source, name, weight, bias)
            layers.append(_Layer(name, weight, bias, ()))
        elif weight.dim() == 1 and layers and not layers[-1].norm:
            norm = (weight,) if bias is None else (weight, bias)
            if any(tensor.shape != layers[-1].bias.shape for tensor in norm):
                raise WeightsError(f"{source}: norm {name} is not as wide as the layer before it")
            layers[-1] = layers[-1]._replace(norm=norm)
        else:
            shape = tuple(weight.shape)
            raise WeightsError(
                f"{source}: {name} is neither a linear layer with a bias nor the norm of one "
                f"(its weight is {shape})"
            )
    return layers


def _indexed(source: str, tensors: Tensors) -> list[tuple[str, Tensor, Tensor | None]]:
    """Name, weight and bias of each module by its index, all in one sequence."""
    modules: dict[int, dict[str, Tensor]] = {}
    prefixes: set[str] = set()
    for name, tensor in tensors.items():
        match = _NAME.fullmatch(name)
        if match is None:
            raise WeightsError(
                f"{source}: {name!r} is not named as in a PyTorch Sequential, such as "
                "'layers.0.weight'"
            )
        prefixes.add(match["prefix"])
        modules.setdefault(int(match["index"]), {})[match["kind"]] = tensor
    if len(prefixes) > 1:
        names = ", ".join(sorted(prefix or "no prefix" for prefix in prefixes))
        raise WeightsError(f"{source} holds several networks ({names}): save the actor alone")
    (prefix,) = prefixes
    found = []
    for index, module in sorted(modules.items()):
        if "weight" not in module:
            raise WeightsError(f"{source}: {prefix}{index} has no weight")
        found.append((f"{prefix}{index}", module["weight"], module.get("bias")))
    return found


def _require_bias(source: str, name: str, weight: Tensor, bias: Tensor) -> None:
    if bias.shape == weight.shape[:1]:
        return
    sizes = f"weight {tuple(weight.shape)} and bias {tuple(bias.shape)}"
    if bias.shape == weight.shape[1:]:
        raise WeightsError(
            f"{source}: {name} has {sizes}, its weight is (in, out) as Burn stores it: "
            "PyTorch's is (out, in)"
        )
    raise WeightsError(f"{source}: {name} has {sizes}, which do not belong together")


def _require_chain(source: str, layers: list[_Layer]) -> None:
    for before, after in pairwise(layers):
        gives, takes = before.weight.shape[0], after.weight.shape[1]
        if gives != takes:
            raise WeightsError(
                f"{source}: {before.name} gives {gives} numbers and {after.name} takes {takes}"
            )


@torch.no_grad()
def _fill(network: MLP, tensors: Iterable[Tensor]) -> None:
    for parameter, tensor in zip(network.parameters(), tensors, strict=True):
        parameter.copy_(tensor)
