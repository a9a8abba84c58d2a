"""Proximal policy optimisation (arXiv 1707.06347): its losses, and the update of both networks.

The losses are pure: tensors in, one number out, means over rows. Knows no environment. Tested by
`tests/trainer/test_ppo.py`; that it learns, by `tests/trainer/test_learnability.py`.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_
from torch.optim import AdamW, Optimizer

from trainer.config import PPOConfig
from trainer.networks import ActorCritic, parameter_vector
from trainer.rollout import Rollout
from trainer.sampling import chosen, entropies, masked_log_probs

Floats = npt.NDArray[np.float32]

STD_EPS = 1e-8
"""Added to the standard deviation that advantages are divided by."""
STEP_METRICS = (
    "Loss/policy",
    "Loss/value",
    "Loss/entropy",
    "Loss/approx_kl",
    "Loss/clipfrac",
    "Update/actor_grad_norm",
    "Update/critic_grad_norm",
)
"""What an optimizer step measures: the fields of `Losses`, then both norms before clipping."""


class Rows(NamedTuple):
    """M rows of a rollout on the networks' device, in any order."""

    obs: Tensor
    """(M, D) float32."""
    masks: Tensor
    """(M, A) bool."""
    actions: Tensor
    """(M,) int64."""
    log_probs: Tensor
    """(M,) of the actions, when they were chosen."""
    advantages: Tensor
    """(M,) standardised."""
    targets: Tensor
    """(M,) what the critic should say."""

    def take(self, indices: Tensor) -> "Rows":
        """The rows at (K,) `indices`."""
        return Rows(*(field[indices] for field in self))

    def split(self, most: int) -> Iterator["Rows"]:
        """Consecutive parts of about equal size, each of at most `most` rows."""
        count = math.ceil(len(self.actions) / most)
        return map(Rows._make, zip(*(field.tensor_split(count) for field in self), strict=True))


class Losses(NamedTuple):
    """Means over some rows, each a tensor of one number."""

    policy: Tensor
    """Clipped surrogate, without entropy."""
    value: Tensor
    """Squared error of the critic."""
    entropy: Tensor
    """Nats, of the masked distribution."""
    approx_kl: Tensor
    """Nats, from the policy that collected to this one."""
    clipfrac: Tensor
    """Share of rows whose ratio is outside the clip range."""


class NonFiniteError(FloatingPointError):
    """A loss or a gradient is nan or infinite; the step that it was for is not taken."""


def policy_loss(
    log_probs: Tensor, old_log_probs: Tensor, advantages: Tensor, clip_range: float
) -> Tensor:
    """PPO's clipped surrogate, negated; all (M,)."""
    # ρ = π(a|s) / π_old(a|s);  L = −mean(min(ρ·A, clip(ρ, 1−ε, 1+ε)·A))
    ratios = (log_probs - old_log_probs).exp()
    clipped = ratios.clamp(1 - clip_range, 1 + clip_range)
    return -torch.minimum(ratios * advantages, clipped * advantages).mean()


def value_loss(values: Tensor, targets: Tensor) -> Tensor:
    """Mean squared error of (M,) values. Its weight in the sum of losses is 1."""
    # L = mean((V − target)²)
    return (values - targets).square().mean()


def approx_kl(log_probs: Tensor, old_log_probs: Tensor) -> Tensor:
    """Estimate of KL(old ‖ new) in nats that is never negative; both (M,)."""
    # KL ≈ mean((ρ − 1) − ln ρ), http://joschu.net/blog/kl-approx.html
    log_ratios = log_probs - old_log_probs
    return (log_ratios.expm1() - log_ratios).mean()


def clipfrac(log_probs: Tensor, old_log_probs: Tensor, clip_range: float) -> Tensor:
    """Share of (M,) rows whose probability ratio left 1 ± `clip_range`."""
    ratios = (log_probs - old_log_probs).exp()
    return ((ratios - 1).abs() > clip_range).float().mean()


def losses(model: ActorCritic, rows: Rows, clip_range: float) -> Losses:
    """Every loss of `rows` under the model's present weights."""
    logits, values = model(rows.obs)
    all_log_probs = masked_log_probs(logits, rows.masks)
    log_probs = chosen(all_log_probs, rows.actions)
    with torch.no_grad():
        kl = approx_kl(log_probs, rows.log_probs)
        outside = clipfrac(log_probs, rows.log_probs, clip_range)
    return Losses(
        policy=policy_loss(log_probs, rows.log_probs, rows.advantages, clip_range),
        value=value_loss(values, rows.targets),
        entropy=entropies(all_log_probs).mean(),
        approx_kl=kl,
        clipfrac=outside,
    )


def accumulate_gradients(model: ActorCritic, batch: Rows, config: PPOConfig) -> Losses:
    """Add the gradient of the batch's mean loss to the model, one minibatch at a time.

    Each minibatch counts by its share of the rows, so its size changes memory and speed only.

    Returns:
        Means over the batch, detached.
    """
    sums = torch.zeros(len(Losses._fields), device=batch.obs.device)
    for part in batch.split(config.minibatch_size):
        share = len(part.actions) / len(batch.actions)
        found = losses(model, part, config.clip_range)
        total = found.policy - config.entropy_coef * found.entropy + found.value
        (share * total).backward()  # type: ignore[no-untyped-call]
        sums += share * torch.stack(found).detach()
    return Losses(*sums)


def make_optimizers(model: ActorCritic, config: PPOConfig) -> dict[str, Optimizer]:
    """One AdamW for the "actor" and one for the "critic"."""
    return {
        name: AdamW(
            network.parameters(),
            lr=config.learning_rate,
            weight_decay=config.weight_decay,
            fused=True,
        )
        for name, network in model.named_children()
    }


def update(
    model: ActorCritic,
    optimizers: Mapping[str, Optimizer],
    rollout: Rollout,
    advantages: Floats,
    targets: Floats,
    config: PPOConfig,
    rng: np.random.Generator,
    on_batch: Callable[[], None],
) -> dict[str, float]:
    """Several epochs over a whole rollout, in shuffled batches of equal size.

    Args:
        model: Is changed in place.
        optimizers: From `make_optimizers`.
        rollout: Moves to the model's device once.
        advantages: (T, N), not standardised.
        targets: (T, N).
        config: Sizes and coefficients.
        rng: Shuffles.
        on_batch: Called after each optimizer step.

    Returns:
        What was measured, by metric name.

    Raises:
        NonFiniteError: Before the first step that nan or infinity would have spoiled.
    """
    before = {name: parameter_vector(network) for name, network in model.named_children()}
    rows = _to_device(rollout, standardise(advantages), targets, next(model.parameters()).device)
    steps: list[list[float]] = []
    for _ in range(config.epochs):
        for batch in shuffled_batches(rows, config.batch_size, rng):
            steps.append(_optimizer_step(model, optimizers, batch, config))
            on_batch()
    return (
        _step_metrics(steps, rollout.masks.shape[-1], config.max_grad_norm)
        | _magnitudes(model, before)
        | _advantage_metrics(rollout.values, advantages, targets)
    )


def standardise(advantages: Floats) -> Floats:
    """Zero mean and unit (population) standard deviation over the whole rollout."""
    standard: Floats = (advantages - advantages.mean()) / (advantages.std() + STD_EPS)
    return standard


def _to_device(rollout: Rollout, advantages: Floats, targets: Floats, device: torch.device) -> Rows:
    fields = (rollout.obs, rollout.masks, rollout.actions, rollout.log_probs, advantages, targets)
    # (T, N, ...) -> (T*N, ...)
    return Rows(*(torch.from_numpy(field).flatten(0, 1).to(device) for field in fields))


def shuffled_batches(rows: Rows, batch_size: int, rng: np.random.Generator) -> Iterator[Rows]:
    """Every row once, in batches of equal size (give or take one row) nearest to `batch_size`."""
    num_rows = len(rows.actions)
    order = torch.from_numpy(rng.permutation(num_rows)).to(rows.actions.device)
    for indices in order.tensor_split(max(1, round(num_rows / batch_size))):
        yield rows.take(indices)


def _optimizer_step(
    model: ActorCritic, optimizers: Mapping[str, Optimizer], batch: Rows, config: PPOConfig
) -> list[float]:
    """Learn from one batch; the numbers that `STEP_METRICS` names."""
    model.zero_grad()
    found = accumulate_gradients(model, batch, config)
    norms = [
        clip_grad_norm_(network.parameters(), config.max_grad_norm)
        for network in (model.actor, model.critic)
    ]
    step: list[float] = torch.stack([*found, *norms]).tolist()
    for name, value in zip(STEP_METRICS, step, strict=True):
        if not math.isfinite(value):
            raise NonFiniteError(f"{name} is {value}: this optimizer step is not taken")
    for optimizer in optimizers.values():
        optimizer.step()
    return step


def _step_metrics(
    steps: list[list[float]], num_actions: int, max_grad_norm: float
) -> dict[str, float]:
    """Means over the optimizer steps."""
    table = np.array(steps)
    means = dict(zip(STEP_METRICS, table.mean(axis=0).tolist(), strict=True))
    return means | {
        "Loss/entropy_normalized": means["Loss/entropy"] / math.log(num_actions),
        "Update/grad_clip_share": float((table[:, -2:] > max_grad_norm).mean()),
        "Update/optimizer_steps": len(steps),
    }


def _magnitudes(model: ActorCritic, before: Mapping[str, Tensor]) -> dict[str, float]:
    """L2 norm of how far the parameters of each network moved."""
    return {
        f"Update/{name}_magnitude": float((parameter_vector(network) - before[name]).norm())
        for name, network in model.named_children()
    }


def _advantage_metrics(values: Floats, advantages: Floats, targets: Floats) -> dict[str, float]:
    return {
        "Loss/explained_variance": explained_variance(values, targets),
        "GAE/advantage_mean_abs": float(np.abs(advantages).mean()),
        "GAE/advantage_std": float(advantages.std()),
        "GAE/return_mean": float(targets.mean()),
        "GAE/return_std": float(targets.std()),
    }


def explained_variance(values: Floats, targets: Floats) -> float:
    """1 when the critic foresaw every target, 0 when it did no better than a constant.

    nan when all targets are equal.
    """
    # 1 − Var(target − V) / Var(target)
    variance = float(targets.var())
    return 1 - float((targets - values).var()) / variance if variance else math.nan
