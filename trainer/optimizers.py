"""What changes the weights: AdamW or Muon for each network, gradient clipping, regeneration.

AdamW's learning rates are tensors on its networks' device: a step that was recorded there
(`graphs.py`) reads what they hold at the time. Knows no loss. Tested by
`tests/trainer/test_optimizers.py`.
"""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_
from torch.optim import AdamW, Muon, Optimizer

from trainer.config_ppo import PPOConfig
from trainer.networks import MLP, ActorCritic
from trainer.schedules import Coefficients


class Learnable(NamedTuple):
    """What an update changes, and what it pulls toward."""

    model: ActorCritic
    """The networks."""
    optimizers: Mapping[str, Optimizer]
    """From `make_optimizers`."""
    anchors: Mapping[str, Tensor]
    """From `make_anchors`."""


def make_optimizers(model: ActorCritic, config: PPOConfig) -> dict[str, Optimizer]:
    """An AdamW for each network, by its name; with Muon another, as "actor.muon".

    `set_rates` gives them their learning rates before each update.
    """
    made: dict[str, Optimizer] = {}
    for name, part in model.parts.items():
        matrices = hidden_matrices(part) if config.optimizer == "muon" else []
        hidden = {id(matrix) for matrix in matrices}
        rest = [parameter for parameter in part.parameters() if id(parameter) not in hidden]
        decay, device = config.weight_decay, rest[0].device
        made[name] = AdamW(
            rest,
            lr=torch.tensor(config.learning_rate, device=device),
            weight_decay=decay,
            fused=True,
            capturable=device.type == "cuda",
        )
        if matrices:
            made[f"{name}.muon"] = Muon(
                matrices,
                lr=config.learning_rate,
                weight_decay=decay,
                # Steps of AdamW's size, so that one learning rate means the same to both.
                adjust_lr_fn="match_rms_adamw",
            )
    return made


def make_anchors(model: ActorCritic, config: PPOConfig) -> dict[str, Tensor]:
    """A copy of every parameter by name, while `config.regeneration` pulls toward it; else none."""
    if not config.regeneration:
        return {}
    return {name: parameter.detach().clone() for name, parameter in model.named_parameters()}


def hidden_matrices(part: nn.Module) -> list[Tensor]:
    """The weights of its Linear layers, but for the output layer of an actor or a critic."""
    layers = list(part.layers)[:-1] if isinstance(part, MLP) else list(part.children())
    return [layer.weight for layer in layers if isinstance(layer, nn.Linear)]


def set_rates(optimizers: Mapping[str, Optimizer], now: Coefficients) -> None:
    """Give every optimizer its network's learning rate; a shared head takes the lower of both."""
    rates = {
        "actor": now.actor_rate,
        "critic": now.critic_rate,
        "shared": min(now.actor_rate, now.critic_rate),
    }
    for name, optimizer in optimizers.items():
        rate = rates[name.partition(".")[0]]
        for group in optimizer.param_groups:
            if isinstance(optimizer, AdamW):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate


def finish_gradients(learnable: Learnable, config: PPOConfig) -> list[Tensor]:
    """Add the pull of regeneration, then scale each network's gradient to the norm allowed.

    Returns:
        The global norm of each network's gradient before it was scaled, in the order of its parts.
    """
    model, _, anchors = learnable
    # L2 Init (arXiv 2308.11958): L = λ · Σ (θ − θ_0)², so ∇L = 2 λ (θ − θ_0)
    with torch.no_grad():
        for name, anchor in anchors.items():
            parameter = model.get_parameter(name)
            assert parameter.grad is not None
            parameter.grad.add_(parameter - anchor, alpha=2 * config.regeneration)
    return [
        clip_grad_norm_(part.parameters(), config.max_grad_norm) for part in model.parts.values()
    ]


def step_unless(spoiled: Tensor, held: Tensor, optimizers: Mapping[str, Optimizer]) -> None:
    """Take a step of all of them, unless a tensor of one number is 1 and not 0.

    AdamW's kernels look at it themselves. Muon's do not: for it, the number is read back.

    Args:
        spoiled: Where it is 1, nothing changes.
        held: Where it is 1, only the critic may change, weights and moments.
        optimizers: From `make_optimizers`.
    """
    for name, optimizer in optimizers.items():
        stays = spoiled if name.partition(".")[0] == "critic" else held
        if isinstance(optimizer, AdamW):
            optimizer.found_inf = stays  # type: ignore[attr-defined]
            optimizer.step()
        elif not stays:
            optimizer.step()
