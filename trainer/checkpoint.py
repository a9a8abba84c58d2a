"""What a checkpoint holds: weights, optimizer and random states, counters, config and contract.

Weights and optimizer state are safetensors, everything else is JSON or TOML: nothing is pickled, so
a checkpoint from a stranger is safe to open. Knows no simulator: its hidden state is not saved, and
a resumed run draws fresh starts from the restored random state. `checkpoint_folder.py` says which
checkpoint is whole. Tested by `tests/trainer/test_checkpoint.py`.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
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
from trainer.graphs import Steps
from trainer.networks import MLP, ActorCritic, actor_of
from trainer.optimizers import Learnable
from trainer.recorder import GpuRecorder, new_stream
from trainer.revision import source_revision
from trainer.reward_scale import ReturnStats
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
    """Agent steps that were played."""
    updates: int = 0
    """Optimizer steps of each network; of some alone while it warms up or a teacher teaches."""
    episodes: int = 0
    """Episodes that ended."""
    seconds: float = 0.0
    """Time spent in finished iterations."""
    taught: int = 0
    """`steps` at the end of the last distillation; 0 without one."""


@dataclass
class TrainingState:
    """Everything that changes while a run trains and that a resume brings back."""

    model: ActorCritic
    """Both networks."""
    optimizers: Mapping[str, torch.optim.Optimizer]
    """From `make_optimizers`."""
    rngs: Mapping[str, np.random.Generator]
    """Every source of randomness, by name."""
    counters: Counters
    """How far it is."""
    returns: ReturnStats = field(default_factory=ReturnStats)
    """How much returns vary, while rewards are scaled by it."""
    reward_scale: float = 1.0
    """What rewards are divided by: the critic speaks in units of it."""
    anchors: Mapping[str, torch.Tensor] = field(default_factory=dict)
    """Initial parameters that regeneration pulls toward, by name; none without it."""
    rate_factor: float = 1.0
    """How far the KL has moved the actor's learning rate from `ppo.learning_rate`."""

    @cached_property
    def steps(self) -> Steps:
        """Takes the optimizer steps, on a GPU by replaying recorded ones; no checkpoint has it."""
        device = next(self.model.parameters()).device
        learnable = Learnable(self.model, self.optimizers, self.anchors)
        on_gpu = device.type == "cuda"
        return Steps(learnable, partial(GpuRecorder, new_stream(device)) if on_gpu else None)


def contract_of(config: RunConfig, steps: int) -> Contract:
    """What an actor trained under `config` expects of its body; the file hashes are left empty."""
    sim = config.sim
    obs = make_observation(sim.observation, sim.teams, sim.padding)
    return Contract(
        obs_name=obs.name,
        obs_hash=obs.layout_hash,
        obs_width=obs.width,
        num_actions=NUM_ACTIONS,
        action_hash=TABLE_HASH,
        action_masks=sim.action_masks,
        tick_skip=sim.tick_skip,
        action_delay=sim.action_delay,
        modes=sim.played,
        max_team_size=sim.padding,
        actor_layers=config.networks.shared + config.networks.actor,
        norm=config.networks.norm,
        activation=config.networks.activation,
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


def load(
    folder: Path, config: RunConfig, state: TrainingState, *, reset_optimizer: bool = False
) -> None:
    """Bring a whole checkpoint back into `state`, in place, all of it or nothing.

    Learning rate and every other setting come from `config`, never from the checkpoint. Of the
    rate, `schedules.py` computes the rest from the counters and the factor that come back. With
    `reset_optimizer`, its moments and that factor stay as they are in `state`.

    Raises:
        CheckpointError: When networks, observation or actions have other sizes than `config`,
            or another version wrote it.
    """
    saved = json.loads((folder / "state.json").read_text())
    _require_fit(folder, config, saved, reset_optimizer=reset_optimizer)
    state.model.playing.load_state_dict(load_file(folder / "actor.safetensors"))
    state.model.critic.load_state_dict(load_file(folder / "critic.safetensors"))
    if not reset_optimizer:
        moments = load_file(folder / "optimizer.safetensors")
        for optimizer in state.optimizers.values():
            _restore_optimizer(optimizer, _parameter_names(state.model, optimizer), moments)
        state.rate_factor = saved["rate_factor"]
    # A run that was not pulled before has no anchors: those of its seed stand for them.
    for name, anchor in load_file(folder / "anchors.safetensors").items():
        if name in state.anchors:
            state.anchors[name].copy_(anchor)
    _restore_rngs(state.rngs, saved["rng"])
    state.counters = Counters(**saved["counters"])
    state.returns = ReturnStats(**saved["returns"])
    state.reward_scale = saved["reward_scale"]


def _restore_rngs(rngs: Mapping[str, np.random.Generator], saved: Mapping[str, Any]) -> None:
    """Bring states back by name; other workers than there were get fresh ones, drawn from them.

    A checkpoint of before there were "opponents" leaves those as the seed made them, so that all
    others go on as they would have then.
    """
    rngs["update"].bit_generator.state = saved["update"]
    for name, rng in rngs.items():
        if name in saved:
            rng.bit_generator.state = saved[name]
        elif name != "opponents":
            seed = int(rngs["update"].integers(2**63))
            rng.bit_generator.state = np.random.PCG64(seed).state


def load_actor(folder: Path) -> tuple[MLP, Contract]:
    """The actor of a checkpoint, on the CPU, and what it expects of its body.

    Raises:
        CheckpointError: When the checkpoint is damaged, or its words and its weights disagree.
    """
    reason = damage(folder)
    if reason is not None:
        raise CheckpointError(f"{folder} is no whole checkpoint: {reason}")
    contract = read_contract(folder)
    try:
        actor = actor_of(contract)
        actor.load_state_dict(load_file(folder / "actor.safetensors"))
    except (RuntimeError, ValueError) as error:
        raise CheckpointError(
            f"{folder}: the weights are not the network of its contract"
        ) from error
    return actor, contract


def read_contract(folder: Path) -> Contract:
    """What the actor of a whole checkpoint expects of its body.

    Raises:
        CheckpointError: When another version wrote it.
    """
    try:
        return Contract.from_json((folder / "contract.json").read_text())
    except ContractError as error:
        raise CheckpointError(f"{folder} is of another version: {error}") from error


def _fill(folder: Path, config: RunConfig, state: TrainingState) -> None:
    for name, tensors in (
        ("actor", _weights(state.model.playing)),
        ("critic", _weights(state.model.critic)),
        ("optimizer", _optimizer_tensors(state)),
        ("anchors", dict(state.anchors)),
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
        "shared_layers": config.networks.shared,
        "critic_layers": config.networks.critic,
        "optimizer": config.ppo.optimizer,
        "returns": asdict(state.returns),
        "reward_scale": state.reward_scale,
        "rate_factor": state.rate_factor,
        "rng": {name: rng.bit_generator.state for name, rng in state.rngs.items()},
    }
    (folder / "state.json").write_text(json.dumps(record, indent=2) + "\n")
    write_hashes(folder)


def _weights(network: torch.nn.Module) -> Tensors:
    return {name: tensor.contiguous() for name, tensor in network.state_dict().items()}


def _parameter_names(model: ActorCritic, optimizer: torch.optim.Optimizer) -> list[str]:
    """Such as `actor.layers.0.weight`, in the order in which the optimizer numbers them."""
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    return [names[id(found)] for group in optimizer.param_groups for found in group["params"]]


def _optimizer_tensors(state: TrainingState) -> Tensors:
    """Each moment of each parameter, as "<parameter>.<moment>": AdamW's step, exp_avg and so on."""
    tensors: Tensors = {}
    for optimizer in state.optimizers.values():
        names = _parameter_names(state.model, optimizer)
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


def _require_fit(
    folder: Path, config: RunConfig, saved: Mapping[str, Any], *, reset_optimizer: bool
) -> None:
    there, here = read_contract(folder), contract_of(config, 0)
    names = (
        *("obs_name", "obs_width", "max_team_size", "obs_hash", "num_actions", "action_hash"),
        *("actor_layers", "norm", "activation"),
    )
    pairs = [(name, getattr(there, name), getattr(here, name)) for name in names]
    pairs += [
        ("shared_layers", tuple(saved["shared_layers"]), config.networks.shared),
        ("critic_layers", tuple(saved["critic_layers"]), config.networks.critic),
    ]
    if not reset_optimizer:
        pairs.append(("optimizer", saved["optimizer"], config.ppo.optimizer))
    wrong = [f"{name} is {old} there and {new} here" for name, old, new in pairs if old != new]
    if wrong:
        raise CheckpointError(
            f"{folder} does not fit this config: {'; '.join(wrong)}. Give another --run folder, "
            f"the sizes it was trained with, or both --run NEW and --warm-start {folder}, which "
            "begins a new run from what fits of its weights"
        )
