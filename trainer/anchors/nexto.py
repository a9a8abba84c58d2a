"""Nexto, a strong bot of the RLBot community, for whoever has its file: `nexto:PATH`.

The file nexto-model.pt is its authors' (CC BY-NC-SA): it is neither shipped nor copied. It is a
TorchScript archive, opened by PyTorch's own reader, which compiles a restricted language instead of
importing Python. That makes it no safe file: PyTorch's manual warns that a malicious one can run
code, and what a sound one computes may still read files or never end. So take it from its authors;
its SHA-256, of the very bytes that are opened, is the contestant's.

It plays as the bot does apart from its kickoffs, where the bot follows a script or draws: no action
is masked, the likeliest is taken, every 8 ticks. It computes in float32, so that a row beside
others may differ by rounding. Knows no game. Tested by `tests/trainer/anchors/test_nexto.py`.
"""

import hashlib
import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import torch

from rlbot_agent.actions import NUM_ACTIONS
from rlbot_agent.modes import teams_of
from trainer.anchors.nexto_senses import Array, NextoSenses, inputs_of, width_of
from trainer.evaluation.contestants import NEXTO, Contestant, EvaluationError, Senses
from trainer.sampling import sample

Network = Callable[[tuple[torch.Tensor, torch.Tensor, torch.Tensor]], object]

TICK_SKIP: Final = 8
LARGEST_TEAM: Final = 3
"""Cars of a team in its training."""
SOURCE: Final = "RLBot's RLBotPack, folder RLBotPack/Necto/Nexto"


class NextoChooser:
    """The network of the file, on the CPU."""

    def __init__(self, network: Network, name: str, *, sampled: bool) -> None:
        """Take over `network`; `sampled` draws (its bot's beta 0.5), or it takes the likeliest."""
        self._network, self._name, self._sampled = network, name, sampled

    @torch.inference_mode()
    def choose(
        self, obs: Array, masks: npt.NDArray[np.bool_], uniforms: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.int64]:
        """As `Chooser` says, of all actions whatever `masks` allow.

        Raises:
            EvaluationError: When the network fails, or says something that is not finite.
        """
        logits = _logits(self._network, obs, self._name)
        if not torch.isfinite(logits).all():
            raise EvaluationError(f"the network of {self._name} says a number that is not finite")
        if self._sampled:
            log_probs = logits.double().log_softmax(-1)
            actions = sample(log_probs, torch.from_numpy(uniforms))
        else:
            actions = logits.argmax(-1)
        chosen: npt.NDArray[np.int64] = actions.numpy()
        return chosen


def load_nexto(path: Path, name: str, *, sampled: bool) -> Contestant:
    """Nexto from its file.

    Raises:
        EvaluationError: When there is no such file, or it is not Nexto's network.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise EvaluationError(
            f"{path} cannot be read ({error.strerror}): nexto-model.pt is in {SOURCE}"
        ) from error
    network = _network(data, path)
    _probe(network, path)
    chooser = NextoChooser(network, name, sampled=sampled)
    digest = hashlib.sha256(data).hexdigest()
    senses = Senses(NEXTO, NextoSenses())
    return Contestant(name, digest, None, chooser, _sees(name, senses), TICK_SKIP)


def _sees(name: str, senses: Senses) -> Callable[[str], Senses]:
    def sees(mode: str) -> Senses:
        teams = teams_of(mode)
        if max(teams.count(0), teams.count(1)) > LARGEST_TEAM:
            raise EvaluationError(
                f"{name} cannot play {mode}: it was trained with at most {LARGEST_TEAM} cars a team"
            )
        return senses

    return sees


@torch.inference_mode()
def _probe(network: Network, path: Path) -> None:
    """Hold `network` to its signature, by two cars and by six."""
    for cars in (2, 2 * LARGEST_TEAM):
        _logits(network, np.zeros((3, width_of(cars)), np.float32), str(path))


def _network(data: bytes, path: Path) -> Network:
    try:
        with warnings.catch_warnings():
            # The format is one that PyTorch would rather see exported anew; the file is not ours.
            warnings.simplefilter("ignore", DeprecationWarning)
            network = torch.jit.load(io.BytesIO(data), map_location="cpu")  # type: ignore[no-untyped-call]
        return network.eval()  # type: ignore[no-any-return]
    except (RuntimeError, ValueError, LookupError) as error:
        raise EvaluationError(
            f"{path} is no TorchScript that this PyTorch can open: nexto-model.pt is in {SOURCE}"
        ) from error


def _logits(network: Network, obs: Array, name: str) -> torch.Tensor:
    """(M, A) of M flat rows.

    Raises:
        EvaluationError: When it does not take Nexto's inputs, or say Nexto's logits.
    """
    inputs = inputs_of(obs)
    query, entities, mask = (torch.from_numpy(np.ascontiguousarray(each)) for each in inputs)
    try:
        said = network((query, entities, mask))
    except (RuntimeError, LookupError) as error:
        reason = str(error).strip().splitlines()[-1]
        raise EvaluationError(
            f"{name} does not take Nexto's query, entities and mask: {reason}"
        ) from error
    # Logits and attention weights; an early bot's network says logits alone.
    logits = said[0] if isinstance(said, tuple) and said else said
    if not isinstance(logits, torch.Tensor) or logits.shape != (len(obs), NUM_ACTIONS):
        what = tuple(logits.shape) if isinstance(logits, torch.Tensor) else type(logits).__name__
        raise EvaluationError(
            f"{name} does not say {NUM_ACTIONS} logits a row as Nexto does: {len(obs)} rows gave "
            f"{what}"
        )
    return logits
