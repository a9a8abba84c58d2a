"""A decision of several policies, and what one of them thought of it, in words.

Probabilities are those after the action masks, from which training draws too. Knows no game and no
screen. Tested by `tests/trainer/test_viewer_mind.py`.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from rlbot_agent.actions import ACTION_TABLE, JUMP, NUM_GROUND_ROWS, STEER, YAW
from trainer.brain import Brain
from trainer.frames import MOST_LIKELIEST, Mind
from trainer.policy import Flags, Floats, PolicyError, not_finite_words
from trainer.sampling import masked_log_probs, probabilities, sample

_COLUMNS: Final = ("throttle", "steer", "pitch", "yaw", "roll", "jump", "boost", "handbrake")


def _words(index: int, row: list[float]) -> str:
    # Steer and yaw are always equal: the one that matters is named.
    silent = YAW if index < NUM_GROUND_ROWS else STEER
    said = [
        name if column >= JUMP else f"{name} {value:g}"
        for column, (name, value) in enumerate(zip(_COLUMNS, row, strict=True))
        if value and column != silent
    ]
    return ", ".join(said) or "nothing"


ACTION_WORDS: Final = tuple(_words(*row) for row in enumerate(ACTION_TABLE.tolist()))
"""Every row of `ACTION_TABLE` in words, such as "throttle 1, steer -1, boost"."""


class Seats(NamedTuple):
    """Who decides for which cars."""

    brain: Brain
    """The networks."""
    cars: npt.NDArray[np.int64]
    """(K,) the cars that they play."""


class Thought(NamedTuple):
    """A decision of one policy for its K cars."""

    seats: Seats
    """Who decided."""
    obs: torch.Tensor
    """(K, D)."""
    log_probs: torch.Tensor
    """(K, A)."""
    actions: npt.NDArray[np.int64]
    """(K,)."""


@torch.inference_mode()
def think(
    seats: Seats, obs: Floats, masks: Flags, rng: np.random.Generator, *, deterministic: bool
) -> Thought:
    """Decide for the cars of `seats`.

    Args:
        seats: Who decides for whom.
        obs: (P, D) of every car.
        masks: (P, A) True where the car may choose the action; at least one a car.
        rng: Gives K numbers to draw with; none when deterministic.
        deterministic: Choose the likeliest action instead of drawing one.

    Raises:
        PolicyError: When a number is not finite.
    """
    seen = torch.from_numpy(obs[seats.cars])
    logits = seats.brain.model.logits(seen)
    if not (finite := torch.isfinite(logits).all(-1)).all():
        row = int((~finite).nonzero()[0])
        car = int(seats.cars[row])
        raise PolicyError(car, not_finite_words(car, obs[car], logits[row]))
    log_probs = masked_log_probs(logits, torch.from_numpy(masks[seats.cars]))
    if deterministic:
        actions = log_probs.argmax(-1)
    else:
        actions = sample(log_probs, torch.from_numpy(rng.random(len(seen), dtype=np.float32)))
    return Thought(seats, seen, log_probs, actions.numpy())


@torch.inference_mode()
def mind_of(thought: Thought, car: int) -> Mind:
    """What `car`, one of those that were decided for, thought."""
    row = thought.seats.cars.tolist().index(car)
    value = None
    if thought.seats.brain.has_critic:
        found = float(thought.seats.brain.model.values(thought.obs[row : row + 1]))
        value = round(found, 3) if np.isfinite(found) else None
    chances, actions = probabilities(thought.log_probs[row]).topk(MOST_LIKELIEST)
    return Mind(
        car=car,
        value=value,
        action=ACTION_WORDS[int(thought.actions[row])],
        likeliest=tuple(
            (ACTION_WORDS[action], round(chance, 4))
            for action, chance in zip(actions.tolist(), chances.tolist(), strict=True)
            if chance > 0
        ),
    )
