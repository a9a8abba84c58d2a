"""The networks as the collector and the viewer call them: numpy in, numpy out, no gradients.

Knows no environment. Tested by `tests/trainer/test_policy.py`.
"""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from trainer.collector import AgentError, Decision
from trainer.networks import ActorCritic
from trainer.sampling import chosen, masked_log_probs, sample

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int64]


class PolicyError(AgentError):
    """A policy cannot decide; the message names the agent and why."""


class TorchPolicy:
    """An `ActorCritic` that acts; it always plays the weights that the model has at the moment."""

    def __init__(
        self, model: ActorCritic, device: torch.device, deterministic: bool = False
    ) -> None:
        """Wrap `model`, which must be on `device`."""
        self.model = model
        self.device = device
        self.deterministic = deterministic
        """Choose the likeliest action instead of drawing one; may be changed at any time."""

    @property
    def parameters(self) -> list[Floats]:
        """All that it decides by, where that lies; copies of it where that is a GPU."""
        return [parameter.detach().cpu().numpy() for parameter in self.model.parameters()]

    def act(self, obs: Floats, masks: Flags, rng: np.random.Generator) -> Decision:
        """Decide for every agent at once.

        Args:
            obs: (N, D).
            masks: (N, A) True where the agent may choose the action.
            rng: Gives N numbers to draw with; none when deterministic.

        Raises:
            PolicyError: When an agent has no possible action, or a number is not finite.
        """
        uniforms = None if self.deterministic else rng.random(len(obs), dtype=np.float32)
        return self.decide(obs, masks, uniforms, np.arange(len(obs)))

    @torch.inference_mode()
    def decide(
        self, obs: Floats, masks: Flags, uniforms: Floats | None, agents: Indices
    ) -> Decision:
        """The same with (N,) `uniforms` to draw with, or the likeliest without, for (N,) `agents`.

        Raises:
            PolicyError: As `act`.
        """
        if not (possible := masks.any(-1)).all():
            agent = int(agents[~possible][0])
            raise PolicyError(agent, no_action_words(agent))
        logits, values = self.model(self._tensor(obs))
        # A sum is as finite as its parts.
        if not (finite := torch.isfinite(logits.sum(-1) + values)).all():
            row = int((~finite).nonzero()[0])
            agent = int(agents[row])
            raise PolicyError(agent, not_finite_words(agent, obs[row], logits[row]))
        log_probs = masked_log_probs(logits, self._tensor(masks))
        if uniforms is None:
            actions = log_probs.argmax(-1)
        else:
            actions = sample(log_probs, self._tensor(uniforms))
        return Decision(
            actions.cpu().numpy(),
            chosen(log_probs, actions).cpu().numpy(),
            values.cpu().numpy(),
        )

    @torch.inference_mode()
    def values(self, obs: Floats) -> Floats:
        """(M,) critic's values of (M, D) observations."""
        values: Floats = self.model.values(self._tensor(obs)).cpu().numpy()
        return values

    def _tensor(self, array: Floats | Flags) -> Tensor:
        return torch.from_numpy(array).to(self.device)


def no_action_words(agent: int) -> str:
    """Why `agent` cannot decide when its mask allows nothing."""
    return f"agent {agent} has no possible action: its mask is all False"


def not_finite_words(agent: int, obs: Floats, logits: Tensor) -> str:
    """Which of (D,) `obs`, (A,) `logits` and the critic's value is not finite; one of them is."""
    wrong = np.flatnonzero(~np.isfinite(obs))
    if wrong.size:
        return f"the observation of agent {agent} is {obs[wrong[0]]} in column {wrong[0]}"
    network = "critic" if logits.isfinite().all() else "actor"
    return f"the {network}'s output for agent {agent} is not finite, its observation is"
