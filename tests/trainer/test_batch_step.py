"""The step against one that is written down plainly, and what it leaves alone."""

import math
from collections.abc import Mapping

import pytest
import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_
from torch.optim import AdamW

from tests.trainer.test_ppo import Learning
from trainer.batch_step import LOSSES, begin_update, take_step
from trainer.losses import Rows
from trainer.networks import ActorCritic, parameter_vector
from trainer.optimizers import Learnable, make_optimizers
from trainer.schedules import Coefficients

# Numbers that float32 holds exactly: whoever computes with them may do so in any precision.
NOW = Coefficients(actor_rate=2**-7, critic_rate=2**-9, entropy_coef=2**-5, clip_range=0.25)


def plain_step(model: ActorCritic, optimizers: Mapping[str, AdamW], batch: Rows) -> None:
    """PPO with a squared value error, once."""
    for optimizer in optimizers.values():
        optimizer.zero_grad()
    logits = model.actor(batch.obs) - 1e30 * (~batch.masks).float()
    log_probs = logits.log_softmax(-1)
    played = log_probs.gather(-1, batch.actions.unsqueeze(-1)).squeeze(-1)
    ratios = (played - batch.log_probs).exp()
    gains = ratios * batch.advantages, ratios.clamp(0.75, 1.25) * batch.advantages
    # The exponential, by the same rounding.
    entropy = -(log_probs.softmax(-1) * log_probs).sum(-1).mean()
    (-torch.min(*gains).mean() - 2**-5 * entropy).backward()
    values = model.critic(batch.obs).squeeze(-1)
    ((values - batch.targets) ** 2).mean().backward()
    for part in (model.actor, model.critic):
        clip_grad_norm_(part.parameters(), 0.5)
    for optimizer in optimizers.values():
        optimizer.step()


def moved_by_both(steps: int, **settings: float | str) -> tuple[Tensor, Tensor]:
    """How far the same weights move by `take_step` and by `plain_step`, batch by batch."""
    ours, plain = (Learning(weight_decay=0.0, **settings) for _ in range(2))
    start = parameter_vector(ours.model)
    rates = {"actor": NOW.actor_rate, "critic": NOW.critic_rate}
    optimizers = {
        name: AdamW(part.parameters(), lr=rates[name], weight_decay=0, fused=True)
        for name, part in plain.model.parts.items()
    }
    learnable = ours.steps.learnable
    begin_update(learnable, ours.steps.panel, NOW)
    for seed in range(steps):
        rows = torch.randperm(320, generator=torch.Generator().manual_seed(seed))[:100]
        take_step(learnable, ours.batch().take(rows), ours.config, ours.steps.panel)
        plain_step(plain.model, optimizers, plain.batch().take(rows))
    return parameter_vector(ours.model) - start, parameter_vector(plain.model) - start


def test_a_step_is_a_plain_step_to_the_bit() -> None:
    ours, plain = moved_by_both(steps=12)
    assert float(plain.norm()) > 0.1
    assert torch.equal(ours, plain)


def test_a_bf16_step_goes_where_a_plain_one_goes() -> None:
    ours, plain = moved_by_both(steps=12, actor_precision="bf16", critic_precision="bf16")
    # bfloat16 has 8 bits, and AdamW makes small gradients of any error as large as large ones.
    assert 0 < float((ours - plain).norm() / plain.norm()) < 0.15
    assert float(torch.cosine_similarity(ours, plain, dim=0)) > 0.99


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_what_is_not_finite_is_measured_and_nothing_moves_from_there_on(optimizer: str) -> None:
    learning = Learning(optimizer=optimizer)
    learnable, panel, batch = learning.steps.learnable, learning.steps.panel, learning.batch()
    begin_update(learnable, panel, NOW)
    take_step(learnable, batch, learning.config, panel)
    before = everything_of(learnable)
    spoiled = batch._replace(targets=batch.targets.clone())
    spoiled.targets[5] = math.inf
    take_step(learnable, spoiled, learning.config, panel)
    assert panel.measured[LOSSES.index("Loss/value")].item() == math.inf
    # A sound batch after it: the weights that it would move are not to be kept anyway.
    take_step(learnable, batch, learning.config, panel)
    assert panel.measured.isfinite().all()
    assert all(torch.equal(*pair) for pair in zip(everything_of(learnable), before, strict=True))
    begin_update(learnable, panel, NOW)
    take_step(learnable, batch, learning.config, panel)
    assert not torch.equal(everything_of(learnable)[0], before[0])


def everything_of(learnable: Learnable) -> list[Tensor]:
    """Copies of weights and moments, the optimizers' counts of steps among them."""
    moments = [
        moment
        for optimizer in learnable.optimizers.values()
        for found in optimizer.state.values()
        for moment in found.values()
    ]
    return [found.detach().clone() for found in (*learnable.model.parameters(), *moments)]


def test_what_schedules_change_lies_in_tensors_that_stay_in_place() -> None:
    learning = Learning()
    optimizers, panel = make_optimizers(learning.model, learning.config), learning.steps.panel
    learnable = learning.steps.learnable._replace(optimizers=optimizers)
    rates = [optimizer.param_groups[0]["lr"] for optimizer in optimizers.values()]
    places = [found.data_ptr() for found in (*rates, *panel)]
    begin_update(learnable, panel, NOW)
    assert [float(rate) for rate in rates] == [2**-7, 2**-9]
    assert (float(panel.clip_range), float(panel.entropy_coef)) == (0.25, 2**-5)
    after = [optimizer.param_groups[0]["lr"] for optimizer in optimizers.values()]
    assert [found.data_ptr() for found in (*after, *panel)] == places
