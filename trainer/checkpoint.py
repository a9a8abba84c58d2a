"""What a checkpoint holds: weights, optimizer and random states, counters, config and contract.

Weights and optimizer state are safetensors, everything else is JSON or TOML: nothing is pickled, so
a checkpoint from a stranger is safe to open. Knows no simulator: its hidden state is not saved, and
a resumed run draws fresh starts from the restored random state. `checkpoint_folder.py` says which
checkpoint is whole. Tested by `tests/trainer/test_checkpoint.py`.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from safetensors.torch import save as serialize

from rlbot_agent.actions import NUM_ACTIONS, TABLE_HASH
from rlbot_agent.contract import Contract, ContractError
from rlbot_agent.observation import make_observation
from trainer.checkpoint_folder import checkpoint_path, damage, sha256, write_hashes
from trainer.config import RunConfig
from trainer.config_file import config_text
from trainer.files import write_folder_atomic
from trainer.networks import MLP, ActorCritic
from trainer.revision import source_revision
from trainer.run_dir import RunDir

Tensors = dict[str, torch.Tensor]


class CheckpointError(Exception):
    """A checkpoint cannot be used here; the message is one sentence for a person."""


@dataclass(frozen=True)
class Counters:
    """How far a run is, over all its sessions."""

    iteration: int = 0
    """Finished iterations."""
    steps: int = 0
    """Agent steps learned from."""
    updates: int = 0
    """Optimizer steps of each network."""
    episodes: int = 0
    """Episodes that ended."""
    seconds: float = 0.0
    """Time spent in finished iterations."""


@dataclass
class TrainingState:
    """Everything that changes while a run trains and that a resume brings back."""

    model: ActorCritic
    """Both networks."""
    optimizers: Mapping[str, torch.optim.Optimizer]
    """AdamW of the "actor" and of the "critic"."""
    rngs: Mapping[str, np.random.Generator]
    """Every source of randomness, by name."""
    counters: Counters
    """How far it is."""


def contract_of(config: RunConfig, steps: int) -> Contract:
    """What an actor trained under `config` expects of its body; the file hashes are left empty."""
    sim = config.sim
    obs = make_observation(sim.observation, sim.teams, sim.max_team_size)
    return Contract(
        obs_name=obs.name,
        obs_hash=obs.layout_hash,
        obs_width=obs.width,
        num_actions=NUM_ACTIONS,
        action_hash=TABLE_HASH,
        action_masks=sim.action_masks,
        tick_skip=sim.tick_skip,
        action_delay=sim.action_delay,
        team_sizes=(sim.team_size, sim.team_size),
        max_team_size=sim.max_team_size,
        actor_layers=config.networks.actor,
        norm=config.networks.norm,
        steps=steps,
        checkpoint_hash="",
        config_hash="",
        source_revision=source_revision(),
    )


def save(run: RunDir, config: RunConfig, state: TrainingState) -> Path:
    """Write the checkpoint of this moment, whole or not at all; one that is there already stays.

    Raises:
        OSError: When the disk refuses; earlier checkpoints are as they were.
    """
    path = checkpoint_path(run, state.counters.steps)
    if path.exists():
        if damage(path) is None:
            return path
        path.rename(path.with_name(f"{path.name}.damaged"))
    write_folder_atomic(path, lambda folder: _fill(folder, config, state))
    return path


def load(folder: Path, config: RunConfig, state: TrainingState) -> None:
    """Bring a whole checkpoint back into `state`, in place, all of it or nothing.

    Learning rate and every other setting come from `config`, never from the checkpoint.

    Raises:
        CheckpointError: When networks, observation or actions have other sizes than `config`,
            or another version wrote it.
    """
    saved = json.loads((folder / "state.json").read_text())
    _require_fit(folder, config, tuple(saved["critic_layers"]))
    state.model.actor.load_state_dict(load_file(folder / "actor.safetensors"))
    state.model.critic.load_state_dict(load_file(folder / "critic.safetensors"))
    moments = load_file(folder / "optimizer.safetensors")
    for name, optimizer in state.optimizers.items():
        _restore_optimizer(optimizer, _parameter_names(state.model, name), moments)
    for name, rng in state.rngs.items():
        rng.bit_generator.state = saved["rng"][name]
    state.counters = Counters(**saved["counters"])


def actor_bytes(model: ActorCritic) -> bytes:
    """The actor's weights as a safetensors file, for whoever plays the newest policy."""
    return serialize(_weights(model.actor))


def load_actor(folder: Path) -> tuple[MLP, Contract]:
    """The actor of a checkpoint, on the CPU, and what it expects of its body.

    Raises:
        CheckpointError: When the checkpoint is damaged, or its words and its weights disagree.
    """
    reason = damage(folder)
    if reason is not None:
        raise CheckpointError(f"{folder} is no whole checkpoint: {reason}")
    contract = _read_contract(folder)
    actor = MLP(contract.obs_width, contract.actor_layers, contract.num_actions, contract.norm)
    try:
        actor.load_state_dict(load_file(folder / "actor.safetensors"))
    except RuntimeError as error:
        raise CheckpointError(
            f"{folder}: the weights are not the network of its contract"
        ) from error
    return actor, contract


def _read_contract(folder: Path) -> Contract:
    try:
        return Contract.from_json((folder / "contract.json").read_text())
    except ContractError as error:
        raise CheckpointError(f"{folder} is of another version: {error}") from error


def _fill(folder: Path, config: RunConfig, state: TrainingState) -> None:
    for name, tensors in (
        ("actor", _weights(state.model.actor)),
        ("critic", _weights(state.model.critic)),
        ("optimizer", _optimizer_tensors(state)),
    ):
        # Not safetensors' own file writing, whose error for a full disk is no OSError.
        (folder / f"{name}.safetensors").write_bytes(serialize(tensors))
    text = config_text(config).encode()
    (folder / "config.toml").write_bytes(text)
    contract = replace(
        contract_of(config, state.counters.steps),
        checkpoint_hash=sha256(folder / "actor.safetensors"),
        config_hash=hashlib.sha256(text).hexdigest(),
    )
    (folder / "contract.json").write_text(contract.to_json() + "\n")
    record = {
        "counters": asdict(state.counters),
        "critic_layers": config.networks.critic,
        "rng": {name: rng.bit_generator.state for name, rng in state.rngs.items()},
    }
    (folder / "state.json").write_text(json.dumps(record, indent=2) + "\n")
    write_hashes(folder)


def _weights(network: torch.nn.Module) -> Tensors:
    return {name: tensor.contiguous() for name, tensor in network.state_dict().items()}


def _parameter_names(model: ActorCritic, network: str) -> list[str]:
    """Such as `actor.layers.0.weight`, in the order of the network's optimizer."""
    return [f"{network}.{name}" for name, _ in getattr(model, network).named_parameters()]


def _optimizer_tensors(state: TrainingState) -> Tensors:
    """AdamW's step, exp_avg and exp_avg_sq of each parameter, as "<parameter>.<moment>"."""
    tensors: Tensors = {}
    for network, optimizer in state.optimizers.items():
        names = _parameter_names(state.model, network)
        for index, moments in optimizer.state_dict()["state"].items():
            for moment, tensor in moments.items():
                tensors[f"{names[index]}.{moment}"] = tensor.contiguous()
    return tensors


def _restore_optimizer(
    optimizer: torch.optim.Optimizer, names: list[str], tensors: Tensors
) -> None:
    moments: dict[int, dict[str, Any]] = {}
    for key, tensor in tensors.items():
        parameter, _, moment = key.rpartition(".")
        if parameter in names:
            moments.setdefault(names.index(parameter), {})[moment] = tensor
    # The groups, with the learning rate, stay those of the config in force.
    optimizer.load_state_dict(optimizer.state_dict() | {"state": moments})


def _require_fit(folder: Path, config: RunConfig, critic_layers: tuple[int, ...]) -> None:
    saved = _read_contract(folder)
    wanted = contract_of(config, 0)
    sizes = ("num_actions", "action_hash", "actor_layers", "norm")
    names = ("obs_name", "obs_width", "obs_hash", *sizes)
    pairs = [(name, getattr(saved, name), getattr(wanted, name)) for name in names]
    pairs.append(("critic_layers", critic_layers, config.networks.critic))
    wrong = [f"{name} is {old} there and {new} here" for name, old, new in pairs if old != new]
    if wrong:
        raise CheckpointError(
            f"{folder} does not fit this config: {'; '.join(wrong)}. Give another --run folder, "
            "or the sizes it was trained with"
        )
