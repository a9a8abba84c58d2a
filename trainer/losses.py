"""The losses of proximal policy optimisation (arXiv 1707.06347).

Pure: tensors in, one number out, means over rows. Knows no network and no optimizer. Tested by
`tests/trainer/test_losses.py`.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from trainer.sampling import chosen, entropies, masked_log_probs


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
    values: Tensor
    """(M,) what the critic said when they were collected."""
    targets: Tensor
    """(M,) what the critic should say."""

    def take(self, indices: Tensor) -> "Rows":
        """The rows at (K,) `indices`."""
        return Rows(*(field.index_select(0, indices) for field in self))

    def take_into(self, batch: "Rows", indices: Tensor) -> None:
        """Overwrite `batch`, of K rows, with the rows at (K,) `indices`."""
        for field, place in zip(self, batch, strict=True):
            torch.index_select(field, 0, indices, out=place)

    def split(self, most: int) -> Iterator["Rows"]:
        """Consecutive parts of about equal size, each of at most `most` rows."""
        count = math.ceil(len(self.actions) / most)
        return map(Rows._make, zip(*(field.tensor_split(count) for field in self), strict=True))


class PolicyLosses(NamedTuple):
    """Means over some rows, each a tensor of one number."""

    policy: Tensor
    """Clipped surrogate, without entropy."""
    entropy: Tensor
    """Nats, of the masked distribution."""
    entropy_normalized: Tensor
    """Share of what it would be if all possible actions were alike: 0 to 1."""
    approx_kl: Tensor
    """Nats, from the policy that collected to this one."""
    clipfrac: Tensor
    """Share of rows whose ratio is outside the clip range."""


def policy_loss(
    log_probs: Tensor, old_log_probs: Tensor, advantages: Tensor, clip_range: Tensor
) -> Tensor:
    """PPO's clipped surrogate, negated; all (M,) but `clip_range`, a tensor of one number."""
    # ρ = π(a|s) / π_old(a|s);  L = −mean(min(ρ·A, clip(ρ, 1−ε, 1+ε)·A))
    ratios = (log_probs - old_log_probs).exp()
    clipped = ratios.clamp(1 - clip_range, 1 + clip_range)
    return -torch.minimum(ratios * advantages, clipped * advantages).mean()


def value_loss(values: Tensor, old_values: Tensor, targets: Tensor, value_clip: float) -> Tensor:
    """Mean squared error of (M,) values. Its weight in the sum of losses is 1.

    With a `value_clip` the worse of two errors counts, as in OpenAI Baselines' PPO2: the value's,
    and that of the value held within `value_clip` of the old one.
    """
    # L = mean((V − target)²)
    errors = (values - targets).square()
    if value_clip:
        # L = mean(max((V − target)², (V_old + clip(V − V_old, ±ε) − target)²))
        held = old_values + (values - old_values).clamp(-value_clip, value_clip)
        errors = torch.maximum(errors, (held - targets).square())
    return errors.mean()


def approx_kl(log_probs: Tensor, old_log_probs: Tensor) -> Tensor:
    """Estimate of KL(old ‖ new) in nats that is never negative; both (M,)."""
    # KL ≈ mean((ρ − 1) − ln ρ), http://joschu.net/blog/kl-approx.html
    log_ratios = log_probs - old_log_probs
    return (log_ratios.expm1() - log_ratios).mean()


def clipfrac(log_probs: Tensor, old_log_probs: Tensor, clip_range: Tensor) -> Tensor:
    """Share of (M,) rows whose probability ratio left 1 ± `clip_range`."""
    ratios = (log_probs - old_log_probs).exp()
    return ((ratios - 1).abs() > clip_range).float().mean()


def policy_losses(logits: Tensor, rows: Rows, clip_range: Tensor) -> PolicyLosses:
    """What the actor's (M, A) unmasked `logits` for `rows` are worth."""
    all_log_probs = masked_log_probs(logits, rows.masks)
    log_probs = chosen(all_log_probs, rows.actions)
    entropy = entropies(all_log_probs)
    with torch.no_grad():
        # H / ln(number of possible actions); a row with one action has no choice to normalise.
        normalized = entropy / rows.masks.sum(-1).clamp(min=2).log()
        kl = approx_kl(log_probs, rows.log_probs)
        outside = clipfrac(log_probs, rows.log_probs, clip_range)
    return PolicyLosses(
        policy=policy_loss(log_probs, rows.log_probs, rows.advantages, clip_range),
        entropy=entropy.mean(),
        entropy_normalized=normalized.mean(),
        approx_kl=kl,
        clipfrac=outside,
    )
