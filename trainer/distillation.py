"""Distillation: the actor takes after a frozen teacher that is shown the states it plays through.

Only shared layers and actor learn, by the run's own optimizers at `transfer.learning_rate`; the
critic is left alone. Everything is compared at temperature 1, under the masks of the student's
environment. Knows no environment. Tested by `tests/trainer/test_distillation.py`.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_
from torch.optim import Optimizer

from trainer.checkpoint import TrainingState
from trainer.config import RunConfig
from trainer.finite import NonFiniteError, require_finite_steps, require_finite_weights
from trainer.networks import ActorCritic, parameter_vector
from trainer.optimizers import set_rate, step_unless
from trainer.plasticity import plasticity
from trainer.ppo import PLASTICITY_ROWS, shuffled_batches
from trainer.precision import tf32_allowed
from trainer.rollout_tensors import RolloutTensors
from trainer.sampling import entropies, masked_log_probs
from trainer.stopwatch import Stopwatch
from trainer.transfer_losses import LOSSES, agreement, kl

MEASURES: Final = ("loss", "accuracy", "kl", "entropy", "teacher_entropy")
"""Of `Transfer/`, in the order in which they are measured."""


class Scores(Protocol):
    """A teacher, as far as a lesson goes."""

    def log_probs(self, obs: Tensor, masks: Tensor) -> Tensor:
        """(M, A) log-probabilities of (M, D') observations among what (M, A) `masks` allow."""
        ...


class Lines(NamedTuple):
    """M rows to learn, in any order."""

    obs: Tensor
    """(M, D) what the student sees."""
    masks: Tensor
    """(M, A) what it can do."""
    teacher: Tensor
    """(M, A) log-probabilities of the teacher."""

    def take(self, indices: Tensor) -> "Lines":
        """The rows at (K,) `indices`."""
        return Lines(*(field.index_select(0, indices) for field in self))

    def split(self, most: int) -> Iterator["Lines"]:
        """Consecutive parts of about equal size, each of at most `most` rows."""
        count = math.ceil(len(self.obs) / most)
        return map(Lines._make, zip(*(field.tensor_split(count) for field in self), strict=True))


class Distillation:
    """What a student learns from each of its rollouts; a `Lesson`."""

    phases: Final = ("teacher", "steps", "measures")
    """Scoring by the teacher, rows moved to the device included; optimizer steps; measuring."""
    is_taught: Final = True
    """By the teacher."""

    def __init__(self, teacher: Scores, seen: Tensor) -> None:
        """Learn nothing yet.

        Args:
            teacher: On the networks' device.
            seen: (T, N, D') what it sees of each row, filled anew with each rollout.
        """
        self._teacher, self._seen = teacher, seen

    def learn(
        self,
        config: RunConfig,
        state: TrainingState,
        rollout: RolloutTensors,
        on_batch: Callable[[], None],
        watch: Stopwatch,
    ) -> dict[str, float]:
        """Score the rollout, and take after it; as `Lesson` says.

        Whoever acted in a row, the student learns what the teacher would do there.

        Raises:
            NonFiniteError: When the teacher or a step says a number that is not finite.
        """
        watch.start()
        device = next(state.model.parameters()).device
        obs, masks = (field.flatten(0, 1).to(device) for field in (rollout.obs, rollout.masks))
        seen = self._seen.flatten(0, 1)
        scores = score(self._teacher, seen, masks, config.ppo.minibatch_size)
        watch.lap("teacher")
        lines, rng = Lines(obs, masks, scores), state.rngs["update"]
        return teach(state.model, state.optimizers, lines, config, rng, on_batch, watch)


@torch.no_grad()
def score(teacher: Scores, seen: Tensor, masks: Tensor, most: int) -> Tensor:
    """(M, A) the teacher's log-probabilities, on the device of `masks`.

    Args:
        teacher: Is asked.
        seen: (M, D') on any device.
        masks: (M, A).
        most: Rows at once, which changes memory and speed only.

    Raises:
        NonFiniteError: When one is not a finite number.
    """
    count = math.ceil(len(seen) / most)
    parts = zip(seen.tensor_split(count), masks.tensor_split(count), strict=True)
    scores = torch.cat([teacher.log_probs(rows.to(masks.device), part) for rows, part in parts])
    if not scores.isfinite().all():
        raise NonFiniteError("the teacher says a probability that is not finite")
    return scores


def teach(
    model: ActorCritic,
    optimizers: Mapping[str, Optimizer],
    lines: Lines,
    config: RunConfig,
    rng: np.random.Generator,
    on_batch: Callable[[], None],
    watch: Stopwatch,
) -> dict[str, float]:
    """Several epochs over all rows, in shuffled batches of equal size.

    Args:
        model: Shared layers and actor change in place.
        optimizers: From `make_optimizers`; those of the critic take no step.
        lines: On the model's device.
        config: `transfer`, and the sizes, precision and norm of `ppo`.
        rng: Shuffles.
        on_batch: Called after each optimizer step.
        watch: Is told which of the phases has ended.

    Returns:
        What was measured, by metric name. `Transfer/` is of the first epoch, each row measured
        before a step learned from it.

    Raises:
        NonFiniteError: When a step would have spoiled the weights, which are then those of before
            it, or when one has.
    """
    device, pupils = lines.obs.device, pupils_of(model)
    learning = {name: each for name, each in optimizers.items() if name.split(".")[0] in pupils}
    for optimizer in learning.values():
        set_rate(optimizer, config.transfer.learning_rate)
    before = {name: parameter_vector(part) for name, part in pupils.items()}
    spoiled, found = torch.zeros((), device=device), list[Tensor]()
    rows = torch.arange(len(lines.obs), device=device)
    for _ in range(config.transfer.epochs):
        for indices in shuffled_batches(rows, config.ppo.batch_size, rng):
            found.append(take_step(model, learning, lines.take(indices), config, spoiled))
            on_batch()
    names = [f"Transfer/{name}" for name in MEASURES]
    names += [f"Update/{name}_grad_norm" for name in pupils]
    measured = torch.stack(found).cpu().double()
    watch.lap("steps")
    # As `score` has seen to.
    require_finite_steps(names, measured, lambda step: "the teacher's answers are finite")
    moved = {
        f"Update/{name}_magnitude": float((parameter_vector(part) - before[name]).norm())
        for name, part in pupils.items()
    }
    require_finite_weights(model, moved.values())
    metrics = _step_metrics(names, measured, config) | moved | _plasticity(model, lines.obs)
    watch.lap("measures")
    return metrics


def pupils_of(model: ActorCritic) -> dict[str, torch.nn.Module]:
    """The networks that learn from a teacher, by name: all but the critic."""
    return {name: part for name, part in model.parts.items() if name != "critic"}


def take_step(
    model: ActorCritic,
    optimizers: Mapping[str, Optimizer],
    batch: Lines,
    config: RunConfig,
    spoiled: Tensor,
) -> Tensor:
    """Learn from a batch, unless a number of this step or of one before was not finite.

    Args:
        model: Learns.
        optimizers: Those that take a step.
        batch: Its rows.
        config: The loss, and the minibatches, precision and norm of `ppo`.
        spoiled: Of one number: set to 1 once something was not finite.

    Returns:
        (number of MEASURES + pupils,) means over the batch before the step, then the gradient's
        norms before clipping.
    """
    for optimizer in optimizers.values():
        optimizer.zero_grad(set_to_none=False)
    sums = torch.zeros(len(MEASURES), device=batch.obs.device)
    for part in batch.split(config.ppo.minibatch_size):
        # Each counts by its share of the rows: its size changes memory and speed only.
        share = len(part.obs) / len(batch.obs)
        sums += share * _add_gradients(model, part, share, config)
    pupils = pupils_of(model).values()
    norms = [clip_grad_norm_(part.parameters(), config.ppo.max_grad_norm) for part in pupils]
    measured = torch.cat([sums, torch.stack(norms)])
    spoiled.copy_(torch.maximum(spoiled, measured.isfinite().logical_not().any().float()))
    step_unless(spoiled, spoiled, optimizers)
    return measured


def _add_gradients(model: ActorCritic, rows: Lines, share: float, config: RunConfig) -> Tensor:
    """Those of share · L; (number of MEASURES,) means over `rows`, detached."""
    with tf32_allowed(config.ppo.actor_precision):
        student = masked_log_probs(model.logits(rows.obs), rows.masks)
        loss = LOSSES[config.transfer.loss](rows.teacher, student).mean()
        (share * loss).backward()  # type: ignore[no-untyped-call]
    with torch.no_grad():
        beside = (
            agreement(rows.teacher, student),
            kl(rows.teacher, student),
            entropies(student),
            entropies(rows.teacher),
        )
        return torch.stack([loss, *(each.mean() for each in beside)])


def _step_metrics(names: list[str], measured: Tensor, config: RunConfig) -> dict[str, float]:
    """From a (steps, len(names)) tensor: `Transfer/` of the first epoch, the rest of all."""
    first = measured[: len(measured) // config.transfer.epochs].mean(0).tolist()
    means, norms = measured.mean(0).tolist(), measured[:, len(MEASURES) :]
    found = [*first[: len(MEASURES)], *means[len(MEASURES) :]]
    return dict(zip(names, found, strict=True)) | {
        "Update/grad_clip_share": float((norms > config.ppo.max_grad_norm).double().mean()),
        "Update/optimizer_steps": len(measured),
        "Update/learning_rate_actor": config.transfer.learning_rate,
    }


def _plasticity(model: ActorCritic, obs: Tensor) -> dict[str, float]:
    """Of all that learns."""
    found = plasticity(model, obs[:: max(1, len(obs) // PLASTICITY_ROWS)])
    return {name: value for name, value in found.items() if not name.startswith("Update/critic_")}
