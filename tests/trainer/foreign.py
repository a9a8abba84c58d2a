"""Policies as other trainers build and save them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn

from rlbot_agent.actions import NUM_ACTIONS


class DiscreteFF(nn.Module):
    """rlgym-ppo's policy: what its names and shapes are, with a Softmax at the end."""

    def __init__(self, width: int, *layers: int, actions: int = NUM_ACTIONS) -> None:
        super().__init__()
        self.model = nn.Sequential(*hidden(width, layers), nn.Linear(layers[-1], actions))
        self.model.append(nn.Softmax(dim=-1))

    def logits(self, obs: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.model[:-1](obs)
        return logits


def hidden(
    width: int,
    layers: tuple[int, ...],
    norm: Callable[[int], nn.Module] | None = None,
    activation: type[nn.Module] = nn.ReLU,
) -> Iterator[nn.Module]:
    """Linear, norm, activation for each of `layers`, none of them as it was drawn."""
    for before, after in zip((width, *layers), layers, strict=False):
        yield nn.Linear(before, after)
        if norm is not None:
            yield shaken(norm(after))
        yield activation()


def shaken(module: nn.Module) -> nn.Module:
    """`module` with parameters that no other has: norms begin as ones and zeros."""
    for parameter in module.parameters():
        nn.init.uniform_(parameter, 0.5, 1.5)
    return module


def save_weights(module: nn.Module, file: Path) -> Path:
    """Its `state_dict` as safetensors."""
    save_file({name: tensor.contiguous() for name, tensor in module.state_dict().items()}, file)
    return file


def save_pickled(module: nn.Module, file: Path) -> Path:
    """Its `state_dict` as rlgym-ppo saves it."""
    torch.save(module.state_dict(), file)
    return file
