"""A new run's networks from another run's weights, layer by layer where they fit.

A layer is taken whole or not at all: half of one would be neither network. Knows no run that is
going on, and nothing of optimizers and counters, which stay fresh. Tested by
`tests/trainer/test_warm_start.py`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from safetensors.torch import load_file
from torch import Tensor, nn

from rlbot_agent.contract import Contract
from trainer.checkpoint import CheckpointError, read_contract
from trainer.checkpoint_folder import HASHES, damage, newest_valid
from trainer.networks import ActorCritic
from trainer.run_dir import RunDir

FIRST = "layers.0"
"""The layer of a network that may read the observation."""


class WarmStart(NamedTuple):
    """What became of a warm start."""

    source: Path
    """The checkpoint."""
    taken: tuple[str, ...]
    """Layers that are as they were there, such as "actor.layers.2"."""
    fresh: tuple[str, ...]
    """Those that are not, each with why, such as "actor.layers.0 (weight (8, 92) there, …)"."""

    def __str__(self) -> str:
        """For the start event."""
        words = (
            f"{len(self.taken)} of {len(self.taken) + len(self.fresh)} layers from {self.source}"
        )
        if not self.fresh:
            return words
        return f"{words}; these did not fit and begin fresh: {'; '.join(self.fresh)}"


def find_checkpoint(path: Path) -> Path:
    """The whole checkpoint that `path` is, or the newest one of the run that it is.

    Raises:
        CheckpointError: When it is neither.
    """
    if (path / HASHES).exists():
        reason = damage(path)
        if reason is not None:
            raise CheckpointError(f"{path} is no whole checkpoint: {reason}")
        return path
    newest = newest_valid(RunDir(path))
    if newest is None:
        raise CheckpointError(f"{path} is neither a checkpoint nor a run with a whole one")
    return newest


def warm_start(path: Path, model: ActorCritic, here: Contract) -> WarmStart:
    """Give `model` every layer of a checkpoint that fits by name and shapes, in place.

    Equal shapes are not enough where what they are for has changed: a layer that reads another
    observation of the same width, or one that chooses from another action table, stays fresh.

    Args:
        path: A checkpoint or run folder.
        model: Freshly drawn.
        here: What the new run's actor expects of its body.

    Raises:
        CheckpointError: When there is no such checkpoint, or nothing of it fits.
    """
    source = find_checkpoint(path)
    there = read_contract(source)
    taken: list[str] = []
    fresh: list[str] = []
    for network, child in (("actor", model.playing), ("critic", model.critic)):
        file = source / f"{network}.safetensors"
        saved = load_file(file) if file.exists() else {}
        for name, layer in _layers(child):
            reason = _misfit(layer, _tensors_of(name, saved)) or _other_meaning(
                network, name, layer, there, here
            )
            if reason:
                fresh.append(f"{network}.{name} ({reason})")
            else:
                layer.load_state_dict(_tensors_of(name, saved))
                taken.append(f"{network}.{name}")
    if not taken:
        raise CheckpointError(
            f"nothing of {source} fits the networks of this config: {'; '.join(fresh)}"
        )
    return WarmStart(source, tuple(taken), tuple(fresh))


def _layers(network: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """The modules that own parameters, by name."""
    for name, module in network.named_modules():
        if next(module.parameters(recurse=False), None) is not None:
            yield name, module


def _tensors_of(layer: str, saved: dict[str, Tensor]) -> dict[str, Tensor]:
    """The saved tensors of one layer, such as weight and bias."""
    prefix = f"{layer}."
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in saved.items()
        if name.startswith(prefix)
    }


def _misfit(layer: nn.Module, saved: dict[str, Tensor]) -> str:
    """Why `saved` is not this layer's, in words; empty when it is."""
    wanted = layer.state_dict()
    if not saved:
        return "not there"
    for name in dict.fromkeys((*wanted, *saved)):
        if name not in saved or name not in wanted:
            return f"{name} only {'here' if name in wanted else 'there'}"
        old, new = tuple(saved[name].shape), tuple(wanted[name].shape)
        if old != new:
            return f"{name} {old} there and {new} here"
    return ""


def _other_meaning(
    network: str, name: str, layer: nn.Module, there: Contract, here: Contract
) -> str:
    """Why a layer of the right shapes is still another; empty when it is not."""
    weight = layer.get_parameter("weight")
    reads_obs = name.endswith(FIRST) and weight.shape[-1] == here.obs_width
    chooses = network == "actor" and weight.shape[0] == here.num_actions
    if reads_obs and there.obs_hash != here.obs_hash:
        return "it reads another observation there"
    if chooses and there.action_hash != here.action_hash:
        return "it chooses from another action table there"
    return ""
