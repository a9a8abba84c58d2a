"""One optimizer step of both networks, as a function of tensors only.

Nothing here reads a number back or branches on one, so a GPU can record the whole step and replay
it (`graphs.py`); what schedules change comes in tensors. Knows no environment; the losses are in
`losses.py`. Tested by `tests/trainer/test_batch_step.py`, against a plain step.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from trainer.config_ppo import PPOConfig
from trainer.losses import PolicyLosses, Rows, policy_losses, value_loss
from trainer.networks import ActorCritic
from trainer.optimizers import Learnable, finish_gradients, set_rates, step_unless
from trainer.precision import autocast, tf32_allowed
from trainer.schedules import Coefficients

LOSSES = (*(f"Loss/{name}" for name in PolicyLosses._fields), "Loss/value")
"""What `accumulate_gradients` measures, in order."""


def step_names(model: ActorCritic) -> list[str]:
    """What a step measures: the losses, then the norms before clipping."""
    return [*LOSSES, *(f"Update/{name}_grad_norm" for name in model.parts)]


class Panel(NamedTuple):
    """What a step reads and writes beside rows, weights and moments: tensors that stay in place."""

    clip_range: Tensor
    """Of one number: how far a probability ratio may leave 1."""
    entropy_coef: Tensor
    """Of one number: weight of the entropy bonus (nats)."""
    spoiled: Tensor
    """Of one number: 1 once something was not finite; no step is taken any more."""
    critic_only: Tensor
    """Of one number: 1 while actor and shared layers are to stay as they are."""
    held: Tensor
    """Of one number: 1 where they do, for either reason."""
    measured: Tensor
    """(len(step_names),) of the latest step."""

    @classmethod
    def of(cls, model: ActorCritic) -> "Panel":
        """One on the model's device."""
        device = next(model.parameters()).device
        clip_range, entropy_coef, spoiled, critic_only, held = torch.zeros(5, device=device)
        measured = torch.zeros(len(step_names(model)), device=device)
        return cls(clip_range, entropy_coef, spoiled, critic_only, held, measured)

    def reset(self, now: Coefficients) -> None:
        """For an update by these coefficients."""
        self.clip_range.fill_(now.clip_range)
        self.entropy_coef.fill_(now.entropy_coef)
        self.spoiled.zero_()
        self.critic_only.fill_(now.critic_only)


def begin_update(learnable: Learnable, panel: Panel, now: Coefficients) -> None:
    """Bring `now` to where steps read it."""
    set_rates(learnable.optimizers, now)
    panel.reset(now)


def take_step(learnable: Learnable, batch: Rows, config: PPOConfig, panel: Panel) -> None:
    """Learn from a batch, unless a number of this step or of one before was not finite."""
    for optimizer in learnable.optimizers.values():
        # In place: a recorded step finds gradients where they were.
        optimizer.zero_grad(set_to_none=False)
    found = accumulate_gradients(learnable.model, batch, config, panel)
    norms = finish_gradients(learnable, config)
    panel.measured.copy_(torch.cat([found, torch.stack(norms)]))
    wrong = panel.measured.isfinite().logical_not().any()
    panel.spoiled.copy_(torch.maximum(panel.spoiled, wrong.float()))
    panel.held.copy_(torch.maximum(panel.spoiled, panel.critic_only))
    step_unless(panel.spoiled, panel.held, learnable.optimizers)


def accumulate_gradients(
    model: ActorCritic, batch: Rows, config: PPOConfig, panel: Panel
) -> Tensor:
    """Add the gradient of the batch's mean loss to the model, one minibatch at a time.

    Each minibatch counts by its share of the rows, so its size changes memory and speed only.

    Returns:
        (len(LOSSES),) means over the batch, detached.
    """
    sums = torch.zeros(len(LOSSES), device=batch.obs.device)
    for part in batch.split(config.minibatch_size):
        share = len(part.actions) / len(batch.actions)
        sums += share * _add_gradients(model, part, share, config, panel)
    return sums


def _add_gradients(
    model: ActorCritic, rows: Rows, share: float, config: PPOConfig, panel: Panel
) -> Tensor:
    """The actor, then the critic, each in its own precision; shared layers get both gradients.

    L = share · (L_policy − c · H + L_value)
    """
    device = rows.obs.device
    with tf32_allowed(config.actor_precision):
        with autocast(config.actor_precision, device):
            features = model.shared(rows.obs)
            # Both networks start from here, so that their passes back are apart as well.
            seen = features.detach().requires_grad_(features.requires_grad)
            logits = model.actor(seen)
        found = policy_losses(logits.float(), rows, panel.clip_range)
        loss = found.policy - panel.entropy_coef * found.entropy
        (share * loss).backward()  # type: ignore[no-untyped-call]
    with tf32_allowed(config.critic_precision):
        with autocast(config.critic_precision, device):
            values = model.critic(seen).squeeze(-1)
        value = value_loss(values.float(), rows.values, rows.targets, config.value_clip)
        (share * value).backward()  # type: ignore[no-untyped-call]
    if features.requires_grad:
        with tf32_allowed(config.actor_precision):
            features.backward(seen.grad)
    return torch.stack([*found, value]).detach()
