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
from torch.nn.utils import clip_grad_norm_
from torch.optim import AdamW, Optimizer

from trainer.config_ppo import PPOConfig
from trainer.finite import NonFiniteError as NonFiniteError
from trainer.finite import require_finite_weights, rows_words
from trainer.losses import Losses, Rows, losses
from trainer.networks import ActorCritic, parameter_vector
from trainer.rollout import Rollout
from trainer.schedules import Coefficients, kl_exceeded

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
KL_INDEX = STEP_METRICS.index("Loss/approx_kl")


def accumulate_gradients(
    model: ActorCritic, batch: Rows, config: PPOConfig, now: Coefficients
) -> Losses:
    """Add the gradient of the batch's mean loss to the model, one minibatch at a time.

    Each minibatch counts by its share of the rows, so its size changes memory and speed only.

    Returns:
        Means over the batch, detached.
    """
    sums = torch.zeros(len(Losses._fields), device=batch.obs.device)
    for part in batch.split(config.minibatch_size):
        share = len(part.actions) / len(batch.actions)
        found = losses(model, part, now.clip_range, config.value_clip)
        total = found.policy - now.entropy_coef * found.entropy + found.value
        (share * total).backward()  # type: ignore[no-untyped-call]
        sums += share * torch.stack(found).detach()
    return Losses(*sums)


def make_optimizers(model: ActorCritic, config: PPOConfig) -> dict[str, Optimizer]:
    """One AdamW for the "actor" and one for the "critic"; `update` sets their learning rates."""
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
    now: Coefficients,
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
        config: Sizes and limits.
        now: Learning rates and coefficients of this iteration.
        rng: Shuffles.
        on_batch: Called after each optimizer step.

    Returns:
        What was measured, by metric name.

    Raises:
        NonFiniteError: Before the first step that nan or infinity would have spoiled, or when a
            step has spoiled the weights.
    """
    before = {name: parameter_vector(network) for name, network in model.named_children()}
    rows = _to_device(rollout, standardise(advantages), targets, next(model.parameters()).device)
    _set_rates(optimizers, now)
    steps: list[list[float]] = []
    kls: list[float] = []
    stopped = False
    for is_first, batch in _epochs(rows, config, rng):
        stopped = kl_exceeded(config, kls)
        if stopped:
            break
        steps.append(_optimizer_step(model, optimizers, batch, config, now))
        kls = ([] if is_first else kls) + [steps[-1][KL_INDEX]]
        on_batch()
    moved = _magnitudes(model, before)
    require_finite_weights(model, moved.values())
    return (
        _step_metrics(steps, rollout.masks.shape[-1], config.max_grad_norm)
        | {"Update/stopped_early": float(stopped)}
        | now.metrics
        | moved
        | _advantage_metrics(rollout.values, advantages, targets)
    )


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


def _set_rates(optimizers: Mapping[str, Optimizer], now: Coefficients) -> None:
    for name, rate in (("actor", now.actor_rate), ("critic", now.critic_rate)):
        for group in optimizers[name].param_groups:
            group["lr"] = rate


def _optimizer_step(
    model: ActorCritic,
    optimizers: Mapping[str, Optimizer],
    batch: Rows,
    config: PPOConfig,
    now: Coefficients,
) -> list[float]:
    """Learn from one batch; the numbers that `STEP_METRICS` names."""
    model.zero_grad()
    found = accumulate_gradients(model, batch, config, now)
    norms = [
        clip_grad_norm_(network.parameters(), config.max_grad_norm)
        for network in (model.actor, model.critic)
    ]
    step: list[float] = torch.stack([*found, *norms]).tolist()
    for name, value in zip(STEP_METRICS, step, strict=True):
        if not math.isfinite(value):
            raise NonFiniteError(
                f"{name} is {value} ({rows_words(batch)}): this optimizer step is not taken"
            )
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
