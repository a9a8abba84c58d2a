"""One decision of many agents where the networks are: fixed sizes, fixed places, one launch.

On a GPU the step is recorded once and replayed, since launching its kernels one by one takes longer
than they do. Knows no environment and no process. Tested by
`tests/trainer/test_act_step.py`.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from trainer.networks import ActorCritic
from trainer.recorder import Recorder, RecordingError, Work
from trainer.sampling import chosen, masked_log_probs, sample
from trainer.shared_weights import WrongWeightsError


class Acted(NamedTuple):
    """What the networks say to M observations."""

    actions: Tensor
    """(M,) int64 rows of the action table."""
    log_probs: Tensor
    """(M,) natural log of the probability that each had."""
    values: Tensor
    """(M,) critic's value of each observation."""


@torch.no_grad()
def act(model: ActorCritic, obs: Tensor, masks: Tensor, uniforms: Tensor) -> Acted:
    """Draw an action for each observation, as `TorchPolicy` does, and ask the device nothing.

    What is not finite, and a mask without any action, shows in log-probabilities, values and masks:
    some possible or impossible action is drawn all the same.

    Args:
        model: Decides and values.
        obs: (M, D).
        masks: (M, A) True where the action may be chosen.
        uniforms: (M,) uniform in [0, 1) to draw with.
    """
    logits, values = model(obs)
    log_probs = masked_log_probs(logits, masks)
    actions = sample(log_probs, uniforms)
    return Acted(actions, chosen(log_probs, actions), values)


class ActStep:
    """`act` from tensors that stay in their places to tensors that do.

    A recorded step reads the parameters where they lay when it was recorded. Optimizers, rescaling
    and loading write into them, so it plays the newest weights; giving a parameter other memory
    (`parameter.data = ...`, `load_state_dict(assign=True)`, `model.to(...)`) would leave it behind,
    and `require_in_place` tells.
    """

    def __init__(
        self,
        model: ActorCritic,
        num_agents: int,
        obs_width: int,
        num_actions: int,
        recorder: Recorder | None,
    ) -> None:
        """Make room beside the model's parameters, and record the step.

        Args:
            model: Decides and values.
            num_agents: M.
            obs_width: D.
            num_actions: A.
            recorder: Of the GPU that the model is on; None runs every step plainly.
        """
        device = next(model.parameters()).device
        self.obs = torch.zeros((num_agents, obs_width), device=device)
        """(M, D) float32: to be filled, as the next two."""
        self.masks = torch.ones((num_agents, num_actions), dtype=torch.bool, device=device)
        """(M, A) bool."""
        self.uniforms = torch.zeros(num_agents, device=device)
        """(M,) float32 in [0, 1)."""
        actions = torch.zeros(num_agents, dtype=torch.int64, device=device)
        self.acted = Acted(
            actions, torch.zeros_like(self.uniforms), torch.zeros_like(self.uniforms)
        )
        """What came of the last run."""
        self.warning = ""
        """Why the step is slower than it could be, for a person; empty when it is not."""
        self._model = model
        self._recorder = recorder
        self._places: list[int] = []
        self._run: Work = self._act
        if recorder is not None:
            try:
                self._run = recorder(self._act)
                self._places = _places(model)
            except RecordingError as error:
                self.warning = f"decisions are made one kernel at a time: {error}"

    def run(self) -> None:
        """Decide by what the inputs hold now, on the current stream."""
        self._run()

    def require_in_place(self) -> None:
        """Make sure that weights are where a recorded step reads them.

        Raises:
            WrongWeightsError: When they are not.
        """
        if self._places and self._places != _places(self._model):
            raise WrongWeightsError("the recorded step decides by weights that were put elsewhere")

    def _act(self) -> None:
        found = act(self._model, self.obs, self.masks, self.uniforms)
        for place, tensor in zip(self.acted, found, strict=True):
            place.copy_(tensor)


def _places(model: ActorCritic) -> list[int]:
    return [parameter.data_ptr() for parameter in model.parameters()]
