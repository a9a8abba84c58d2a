"""The update of both networks by proximal policy optimisation (arXiv 1707.06347).

Knows no environment; the losses are in `losses.py`. Tested by `tests/trainer/test_ppo.py`; that it
learns, by `tests/trainer/test_learnability.py`.
"""

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from trainer.config_ppo import PPOConfig
from trainer.finite import NonFiniteError, require_finite_weights, rows_words
from trainer.losses import PolicyLosses, Rows, policy_losses, value_loss
from trainer.networks import ActorCritic, parameter_vector
from trainer.optimizers import Learnable, finish_gradients, set_rates
from trainer.plasticity import plasticity
from trainer.precision import autocast, tf32_allowed
from trainer.rollout import Rollout
from trainer.schedules import Coefficients, kl_exceeded
from trainer.stopwatch import UPDATE_PHASES, Stopwatch

Floats = npt.NDArray[np.float32]

STD_EPS = 1e-8
"""Added to the standard deviation that advantages are divided by."""
LOSSES = (*(f"Loss/{name}" for name in PolicyLosses._fields), "Loss/value")
"""What `accumulate_gradients` measures, in order."""
KL_INDEX = LOSSES.index("Loss/approx_kl")
PLASTICITY_ROWS = 1024
"""Observations by which units are called dormant, spread evenly over the rollout."""


def accumulate_gradients(
    model: ActorCritic, batch: Rows, config: PPOConfig, now: Coefficients
) -> Tensor:
    """Add the gradient of the batch's mean loss to the model, one minibatch at a time.

    Each minibatch counts by its share of the rows, so its size changes memory and speed only.

    Returns:
        (len(LOSSES),) means over the batch, detached.
    """
    sums = torch.zeros(len(LOSSES), device=batch.obs.device)
    for part in batch.split(config.minibatch_size):
        share = len(part.actions) / len(batch.actions)
        sums += share * _add_gradients(model, part, share, config, now)
    return sums


def _add_gradients(
    model: ActorCritic, rows: Rows, share: float, config: PPOConfig, now: Coefficients
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
        found = policy_losses(logits.float(), rows, now.clip_range)
        loss = found.policy - now.entropy_coef * found.entropy
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


def update(
    learnable: Learnable,
    rollout: Rollout,
    advantages: Floats,
    targets: Floats,
    config: PPOConfig,
    now: Coefficients,
    rng: np.random.Generator,
    on_batch: Callable[[], None],
    watch: Stopwatch | None = None,
) -> dict[str, float]:
    """Several epochs over a whole rollout, in shuffled batches of equal size.

    Args:
        learnable: Is changed in place.
        rollout: Moves to the model's device once.
        advantages: (T, N), not standardised.
        targets: (T, N).
        config: Sizes and limits.
        now: Learning rates and coefficients of this iteration.
        rng: Shuffles.
        on_batch: Called after each optimizer step.
        watch: Is told which of `UPDATE_PHASES` has ended.

    Returns:
        What was measured, by metric name.

    Raises:
        NonFiniteError: Before the first step that nan or infinity would have spoiled, or when a
            step has spoiled the weights.
    """
    watch = watch or Stopwatch(phases=UPDATE_PHASES)
    model = learnable.model
    before = {name: parameter_vector(part) for name, part in model.parts.items()}
    standard = standardise(advantages)
    watch.lap("advantages")
    rows = _to_device(rollout, standard, targets, next(model.parameters()).device)
    set_rates(learnable.optimizers, now)
    steps: list[list[float]] = []
    kls: list[float] = []
    stopped = False
    for is_first, batch in _epochs(rows, config, rng):
        stopped = kl_exceeded(config, kls)
        if stopped:
            break
        watch.lap("rows")
        steps.append(_optimizer_step(learnable, batch, config, now, watch))
        kls = ([] if is_first else kls) + [steps[-1][KL_INDEX]]
        on_batch()
        watch.lap("steps")
    moved = _magnitudes(model, before)
    require_finite_weights(model, moved.values())
    measured = (
        _step_metrics(steps, _step_names(model), config.max_grad_norm)
        | {"Update/stopped_early": float(stopped)}
        | now.metrics
        | moved
        | plasticity(model, rows.obs[:: max(1, len(rows.obs) // PLASTICITY_ROWS)])
        | _advantage_metrics(rollout.values, advantages, targets)
    )
    watch.lap("measures")
    return measured


def standardise(advantages: Floats) -> Floats:
    """Zero mean and unit (population) standard deviation over the whole rollout."""
    standard: Floats = (advantages - advantages.mean()) / (advantages.std() + STD_EPS)
    return standard


def _to_device(rollout: Rollout, advantages: Floats, targets: Floats, device: torch.device) -> Rows:
    played = (rollout.obs, rollout.masks, rollout.actions, rollout.log_probs)
    fields = (*played, advantages, rollout.values, targets)
    # (T, N, ...) -> (T*N, ...)
    return Rows(*(torch.from_numpy(field).flatten(0, 1).to(device) for field in fields))


def shuffled_batches(rows: Rows, batch_size: int, rng: np.random.Generator) -> Iterator[Rows]:
    """Every row once, in batches of equal size (give or take one row) nearest to `batch_size`."""
    num_rows = len(rows.actions)
    order = torch.from_numpy(rng.permutation(num_rows)).to(rows.actions.device)
    for indices in order.tensor_split(max(1, round(num_rows / batch_size))):
        yield rows.take(indices)


def _epochs(rows: Rows, config: PPOConfig, rng: np.random.Generator) -> Iterator[tuple[bool, Rows]]:
    """Every batch of every epoch, and whether it is its epoch's first."""
    for _ in range(config.epochs):
        for index, batch in enumerate(shuffled_batches(rows, config.batch_size, rng)):
            yield index == 0, batch


def _step_names(model: ActorCritic) -> list[str]:
    """What an optimizer step measures: the losses, then the norms before clipping."""
    return [*LOSSES, *(f"Update/{name}_grad_norm" for name in model.parts)]


def _optimizer_step(
    learnable: Learnable, batch: Rows, config: PPOConfig, now: Coefficients, watch: Stopwatch
) -> list[float]:
    """Learn from one batch; the numbers that `_step_names` names."""
    learnable.model.zero_grad()
    found = accumulate_gradients(learnable.model, batch, config, now)
    watch.lap("gradients")
    norms = finish_gradients(learnable, config)
    step: list[float] = torch.cat([found, torch.stack(norms)]).tolist()
    for name, value in zip(_step_names(learnable.model), step, strict=True):
        if not math.isfinite(value):
            raise NonFiniteError(
                f"{name} is {value} ({rows_words(batch)}): this optimizer step is not taken"
            )
    for optimizer in learnable.optimizers.values():
        optimizer.step()
    return step


def _step_metrics(
    steps: list[list[float]], names: list[str], max_grad_norm: float
) -> dict[str, float]:
    """Means over the optimizer steps."""
    table = np.array(steps)
    means = dict(zip(names, table.mean(axis=0).tolist(), strict=True))
    return means | {
        "Update/grad_clip_share": float((table[:, len(LOSSES) :] > max_grad_norm).mean()),
        "Update/optimizer_steps": len(steps),
    }


def _magnitudes(model: ActorCritic, before: Mapping[str, Tensor]) -> dict[str, float]:
    """L2 norm of how far the parameters of each network moved, read back at once."""
    moved = [(parameter_vector(part) - before[name]).norm() for name, part in model.parts.items()]
    names = [f"Update/{name}_magnitude" for name in model.parts]
    return dict(zip(names, torch.stack(moved).tolist(), strict=True))


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
