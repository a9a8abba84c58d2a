"""Who may play: the actor of a checkpoint, of a run's newest one or of a bundle, or chance itself.

An actor decides in float64: what it says of a row then depends on the rows beside it by 1e-16 at
most, so that a game is the same alone and among others. A bundle is played by the weights that it
carries beside its ONNX graph, which `rlppo verify` holds equal to it: nothing here loads
onnxruntime. Knows no game. Tested by `tests/trainer/evaluation/test_contestants.py`.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from rlbot_agent.actions import NUM_ACTIONS, TABLE_HASH
from rlbot_agent.contract import Contract, ContractError
from rlbot_agent.manifest import (
    MANIFEST,
    WEIGHTS,
    BundleError,
    read_manifest,
    require_chain,
    sha256,
)
from rlbot_agent.modes import teams_of
from rlbot_agent.observation import ObservationError, make_observation
from rlbot_agent.state import GameState
from trainer.checkpoint import load_actor
from trainer.networks import MLP, actor_of
from trainer.sampling import masked_log_probs, sample
from trainer.versions import VersionError, load_version
from trainer.warm_start import find_checkpoint

Array = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]
Uniforms = npt.NDArray[np.float64]
Actions = npt.NDArray[np.int64]

RANDOM: Final = "random"
"""The name of the control: an equal chance for every action that is possible."""


class EvaluationError(Exception):
    """These cannot play these games; the message is one sentence for a person."""


class Chooser(Protocol):
    """Decides for any number of cars at once."""

    def choose(self, obs: Array, masks: Flags, uniforms: Uniforms) -> Actions:
        """Choose for M cars, each by its own row alone.

        Args:
            obs: (M, D) by the contract; (M, 0) without one.
            masks: (M, A) the possible actions.
            uniforms: (M,) in [0, 1), the only chance that may enter.

        Returns:
            (M,) rows of the action table.
        """
        ...


class Builder(Protocol):
    """Builds what cars see; every `Observation` is one."""

    def build(self, state: GameState) -> Array:
        """(B, P, D) float32 of every car."""
        ...


class Senses(NamedTuple):
    """What a contestant sees in games of one mode."""

    key: Hashable
    """Equal keys build equal arrays, so that one array serves all who share it."""
    builder: Builder
    """Builds it."""


@dataclass(frozen=True)
class Contestant:
    """Somebody who plays."""

    name: str
    """What a report calls it."""
    sha256: str
    """Of the weights; empty where there are none."""
    contract: Contract | None
    """What it expects of its body; None fits any."""
    chooser: Chooser
    """Decides for it."""
    sees: Callable[[str], Senses] | None = None
    """Without a contract: its senses in a mode; None sees nothing."""


class RandomChooser:
    """The control."""

    def choose(self, obs: Array, masks: Flags, uniforms: Uniforms) -> Actions:
        """The k-th possible action of K, k = ⌊u · K⌋."""
        ranks = np.floor(uniforms * masks.sum(-1)).astype(np.int64)
        # The first action up to which more than k are possible.
        chosen: Actions = (masks.cumsum(-1) > ranks[:, None]).argmax(-1)
        return chosen


class ActorChooser:
    """A trained actor, on the CPU."""

    def __init__(self, actor: MLP, name: str, *, sampled: bool) -> None:
        """Take over `actor`, which turns to float64; `sampled` draws, or it takes the likeliest."""
        self._actor, self._name, self._sampled = actor.double(), name, sampled

    @torch.inference_mode()
    def choose(self, obs: Array, masks: Flags, uniforms: Uniforms) -> Actions:
        """As `Chooser` says.

        Raises:
            EvaluationError: When the network says something that is not finite.
        """
        logits = self._actor(torch.from_numpy(obs).double())
        if not torch.isfinite(logits).all():
            raise EvaluationError(f"the network of {self._name} says a number that is not finite")
        log_probs = masked_log_probs(logits, torch.from_numpy(masks))
        if self._sampled:
            actions = sample(log_probs, torch.from_numpy(uniforms))
        else:
            actions = log_probs.argmax(-1)
        chosen: Actions = actions.numpy()
        return chosen


def random_contestant() -> Contestant:
    """The control."""
    return Contestant(RANDOM, "", None, RandomChooser())


def load_contestant(word: str, name: str, *, sampled: bool) -> Contestant:
    """Who is meant by `word`.

    Args:
        word: "random", or the folder of a checkpoint, of a run (its newest), of a version or of a
            bundle.
        name: What to call it.
        sampled: Whether it draws its actions, or takes the likeliest.

    Raises:
        EvaluationError: When a bundle or a version is damaged, or the actor does not fit this
            program.
        CheckpointError: When there is no whole checkpoint.
    """
    if word == RANDOM:
        return random_contestant()
    actor, contract = _trained_actor(Path(word))
    _require_actions(contract, word)
    chooser = ActorChooser(actor, name, sampled=sampled)
    return Contestant(name, contract.checkpoint_hash, contract, chooser)


def senses_of(contestant: Contestant, mode: str) -> Senses | None:
    """What `contestant` sees in `mode`; None for one that sees nothing.

    Raises:
        EvaluationError: When it was not trained to see so many cars.
    """
    contract = contestant.contract
    if contract is None:
        return contestant.sees(mode) if contestant.sees else None
    try:
        obs = make_observation(contract.obs_name, teams_of(mode), contract.max_team_size)
    except ObservationError as error:
        raise EvaluationError(f"{contestant.name} cannot play here: {error}") from error
    except ValueError:
        obs = None
    if obs is None or (obs.width, obs.layout_hash) != (contract.obs_width, contract.obs_hash):
        raise EvaluationError(
            f"{contestant.name} cannot play {mode}: it sees {contract.obs_width} numbers of "
            f"{' and '.join(contract.modes)}, those of {mode} do not fit"
        )
    return Senses((contract.obs_name, contract.max_team_size), obs)


def _require_actions(contract: Contract, word: str) -> None:
    try:
        contract.require(word, "this version", action_hash=TABLE_HASH, num_actions=NUM_ACTIONS)
    except ContractError as error:
        raise EvaluationError(str(error)) from error


def _trained_actor(folder: Path) -> tuple[MLP, Contract]:
    if (folder / MANIFEST).exists():
        return bundled_actor(folder)
    # A checkpoint has a contract too, but lies elsewhere.
    if folder.parent.name == "policy_versions":
        try:
            return load_version(folder)
        except VersionError as error:
            raise EvaluationError(str(error)) from error
    return load_actor(find_checkpoint(folder))


def bundled_actor(bundle: Path) -> tuple[MLP, Contract]:
    """The actor of a bundle, on the CPU, and what it expects of its body.

    Raises:
        EvaluationError: When its weights are not those that were exported.
    """
    try:
        manifest = read_manifest(bundle)
        require_chain(manifest)
        contract = manifest.contract
        if sha256(bundle / WEIGHTS) != contract.checkpoint_hash:
            raise EvaluationError(f"{bundle}: {WEIGHTS} is not what was exported")
        actor = actor_of(contract)
        actor.load_state_dict(load_file(bundle / WEIGHTS))
    except (OSError, ValueError, KeyError, TypeError, BundleError) as error:
        raise EvaluationError(f"{bundle} is no whole bundle: {error}") from error
    except (RuntimeError, SafetensorError) as error:
        raise EvaluationError(
            f"{bundle}: the weights are not the network of its contract"
        ) from error
    return actor, contract
