"""The networks of a run as somebody who only watches loads them: actor and critic, on the CPU.

The trainer publishes both in one file while a viewer wants them; a checkpoint has them in two.
Knows no game and no screen. Tested by `tests/trainer/test_brain.py`.
"""

import json
from pathlib import Path
from typing import NamedTuple

from safetensors.torch import load_file
from safetensors.torch import save as serialize

from rlbot_agent.contract import Contract
from trainer.checkpoint import CheckpointError, Tensors, read_contract
from trainer.checkpoint_folder import damage
from trainer.config import NetworksConfig
from trainer.networks import ActorCritic

CRITIC = "critic."
"""What the names of the critic's tensors begin with in a published file."""


class Brain(NamedTuple):
    """Networks that somebody trained."""

    model: ActorCritic
    """On the CPU."""
    has_critic: bool
    """Whether the critic's weights mean anything."""
    steps: int
    """Agent steps of training behind them."""


def published_bytes(model: ActorCritic) -> bytes:
    """What plays and the critic, as a safetensors file, for whoever watches the newest policy."""
    critic = {f"{CRITIC}{name}": tensor for name, tensor in model.critic.state_dict().items()}
    tensors = model.playing.state_dict() | critic
    return serialize({name: tensor.contiguous() for name, tensor in tensors.items()})


def load_published(path: Path, contract: Contract, networks: NetworksConfig, steps: int) -> Brain:
    """The networks of a published file.

    Args:
        path: What `published_bytes` gave.
        contract: What an actor of the run expects.
        networks: Sizes of the run's networks.
        steps: Agent steps of training behind them, which the file does not say.

    Raises:
        OSError, SafetensorError, RuntimeError: When it cannot be read or has other sizes.
    """
    tensors = load_file(path)
    critic = {
        name.removeprefix(CRITIC): tensors.pop(name)
        for name in list(tensors)
        if name.startswith(CRITIC)
    }
    return _brain(contract, networks, tensors, critic, steps)


def load_brain(folder: Path, wanted: Contract) -> Brain:
    """The networks of a checkpoint, which may have other sizes than the run has.

    Args:
        folder: The checkpoint.
        wanted: What the one who plays them offers: observation and actions must be these.

    Raises:
        CheckpointError: When it is damaged, of another version, or its words and weights disagree.
        ContractError: When its actor expects another observation or other actions.
    """
    reason = damage(folder)
    if reason is not None:
        raise CheckpointError(f"{folder} is no whole checkpoint: {reason}")
    contract = read_contract(folder)
    names = ("obs_hash", "action_hash", "obs_width", "num_actions")
    contract.require(str(folder), "this viewer", **{n: getattr(wanted, n) for n in names})
    try:
        actor = load_file(folder / "actor.safetensors")
        critic = load_file(folder / "critic.safetensors")
        return _brain(contract, _networks(folder, contract), actor, critic, contract.steps)
    except (KeyError, RuntimeError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"{folder}: the weights are not the networks of its contract"
        ) from error


def _networks(folder: Path, contract: Contract) -> NetworksConfig:
    """The sizes that a checkpoint was trained with."""
    saved = json.loads((folder / "state.json").read_text())
    shared = tuple(saved["shared_layers"])
    return NetworksConfig.model_validate(
        {
            "shared": shared,
            "actor": contract.actor_layers[len(shared) :],
            "critic": tuple(saved["critic_layers"]),
            "norm": contract.norm,
            "activation": contract.activation,
        }
    )


def _brain(
    contract: Contract, networks: NetworksConfig, actor: Tensors, critic: Tensors, steps: int
) -> Brain:
    model = ActorCritic(contract.obs_width, contract.num_actions, networks)
    model.playing.load_state_dict(actor)
    if critic:
        model.critic.load_state_dict(critic)
    return Brain(model, bool(critic), steps)
