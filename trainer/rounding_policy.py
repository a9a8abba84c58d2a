"""What decides in a process that plays where networks round to bfloat16: PyTorch, on one thread.

CPUs that multiply bfloat16 decide faster so, by the products that the update computes. Loading
PyTorch costs a process its start and some 200 MB, so others stay with numpy. Knows no environment.
Tested by `tests/trainer/test_rounding_policy.py`.
"""

import torch
from torch.nn.utils import vector_to_parameters

from rlbot_agent.actions import NUM_ACTIONS
from trainer.collector import Floats
from trainer.config import RunConfig
from trainer.networks import ActorCritic
from trainer.policy import TorchPolicy
from trainer.precision import Precisions


def rounding_policy(vector: Floats, *, obs_width: int, config: RunConfig) -> TorchPolicy:
    """Networks of `config` whose parameters lie in `vector`, which others may overwrite."""
    torch.set_num_threads(1)
    model = ActorCritic(obs_width, NUM_ACTIONS, config.networks, Precisions.of(config.ppo))
    vector_to_parameters(torch.from_numpy(vector), model.parameters())
    return TorchPolicy(model, torch.device("cpu"))
