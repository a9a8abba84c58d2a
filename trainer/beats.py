"""A decision in steps of the physics: arithmetic on ticks of 1/120 s and beats of one or more.

A tick is 1/120 s everywhere, whatever the rate of the physics; a *beat* is one step of the physics.
Only the simulator thinks in beats. Tested by `tests/trainer/test_beats.py`.
"""

import math
from typing import NamedTuple

from rlbot_agent.clock import segments
from rlbot_agent.field import TICKS_PER_SECOND


class Beats(NamedTuple):
    """A decision."""

    held: int
    """Beats in which the action before it still acts."""
    new: int
    """Beats in which its own does."""
    seconds: float
    """Of one beat."""

    @property
    def total(self) -> int:
        """Beats of the decision."""
        return self.held + self.new


def beats_of(physics_hz: int, tick_skip: int, action_delay: int) -> Beats:
    """The beats of a decision of `tick_skip` ticks whose action acts after `action_delay` of them.

    A decision lasts as long at any rate. A delay is rounded up to whole beats: a bot that learns to
    count on being a little late can act so in the game, one that learns to be early cannot.

    Raises:
        ValueError: When a beat is no whole number of ticks, a decision no whole number of beats, or
            the delay fills the decision.
    """
    ticks, left = divmod(TICKS_PER_SECOND, physics_hz)
    if left or tick_skip % ticks:
        raise ValueError(f"physics at {physics_hz} Hz cannot play decisions of {tick_skip} ticks")
    held, new = segments(tick_skip // ticks, math.ceil(action_delay / ticks))
    return Beats(held, new, 1 / physics_hz)
