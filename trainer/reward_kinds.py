"""What the weight of each reward is the price of: an event, or time that passes.

Loads neither numpy nor a reward function, so a screen may ask it too. Tested by
`tests/trainer/test_rewards.py`.
"""

from typing import Final

USUAL_TICK_SKIP: Final = 8
"""Ticks of the decision that the weight of a continuous reward is for."""

EVENTS: Final = frozenset(
    (
        "goal",
        "concede",
        "touch",
        "boost_pickup",
        "demo",
        "bump",
        "bumped",
        "demoed",
        "wavedash",
        "touch_accel",
        "strong_touch",
    )
)
"""Rewards for a decision in which something happened: paid in full however long it is. All others,
the user's own too, are continuous: paid for `USUAL_TICK_SKIP` ticks in a condition, less for a
shorter decision and more for a longer one, so that a second is worth the same."""


def weight_of_decision(name: str, weight: float, tick_skip: int) -> float:
    """What the values of reward `name` are multiplied by in a decision of `tick_skip` ticks."""
    return weight if name in EVENTS else weight * tick_skip / USUAL_TICK_SKIP
