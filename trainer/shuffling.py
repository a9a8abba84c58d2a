"""Teammates and opponents trade their places in an observation, so that no place is special.

Only for training: a bot sees them in one order. Knows no observation but where its places are.
Tested by `tests/trainer/test_shuffling.py`.
"""

import numpy as np

from rlbot_agent.places import Places
from rlbot_agent.state import Array


def shuffle_players(
    seen: Array, places: tuple[tuple[Places, ...], ...], rng: np.random.Generator
) -> None:
    """Shuffle the cars, and the empty places with them, of every kind on its own.

    Args:
        seen: (B, P, D) observations, changed in place.
        places: Of each of the P cars: where mates and where opponents stand.
        rng: Draws an order for each arena, car and kind.
    """
    for agent, kinds in enumerate(places):
        for start, number, width in kinds:
            if number < 2:
                continue
            columns = seen[:, agent, start : start + number * width]
            blocks = columns.reshape(len(seen), number, width)
            order = rng.random((len(seen), number)).argsort(axis=1)
            columns[:] = np.take_along_axis(blocks, order[..., None], axis=1).reshape(columns.shape)
