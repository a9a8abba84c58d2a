"""When an episode ends and why: a goal terminates it, all other causes truncate it.

Those are neglect of the ball, a time limit, and physics that broke. Clocks count decisions. Knows
no simulator, rewards or observations. Tested by
`tests/trainer/test_episodes.py`. Axes: B arenas, P cars of an arena.
"""

from enum import IntEnum
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import TICKS_PER_SECOND
from trainer.config import EpisodesConfig

Flags = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]
Causes = npt.NDArray[np.int8]

NEVER: Final = 2**62
"""Decisions that no clock reaches."""


class Cause(IntEnum):
    """Why an episode ended; the one of several in a decision is said by `end_causes`."""

    NONE = 0
    """It goes on."""
    GOAL = 1
    """Somebody scored."""
    NO_TOUCH = 2
    """Nobody touched the ball for too long."""
    TIME_LIMIT = 3
    """It lasted long enough."""
    BROKEN = 4
    """Its physics broke."""


class Limits(NamedTuple):
    """Decisions after which an episode is cut."""

    untouched: int
    """Without a touch."""
    age: int
    """In all."""


class Clocks:
    """How long each arena's episode lasts, in decisions."""

    def __init__(self, num_arenas: int) -> None:
        """All of them at 0."""
        self.age: Counts = np.zeros(num_arenas, np.int64)
        """(B,) since the episode started."""
        self.untouched: Counts = np.zeros(num_arenas, np.int64)
        """(B,) since any car touched the ball, or since the start."""

    def advance(self, touched: Flags) -> None:
        """One decision more, in which the cars `touched` (B, P) the ball."""
        self.age += 1
        self.untouched += 1
        self.untouched[touched.any(axis=1)] = 0

    def restart(self, arenas: npt.NDArray[np.integer[Any]]) -> None:
        """Back to 0 in `arenas` (M,)."""
        self.age[arenas] = 0
        self.untouched[arenas] = 0


def make_limits(config: EpisodesConfig, tick_skip: int) -> Limits:
    """The limits of `config` for decisions of `tick_skip` ticks."""
    return Limits(
        untouched=decisions(config.no_touch_s, tick_skip),
        age=decisions(config.time_limit_s, tick_skip),
    )


def decisions(seconds: float, tick_skip: int) -> int:
    """The decision at whose end `seconds` have passed.

    Seconds are rounded to the nearest tick, and ticks up to whole decisions: an episode is never
    cut early, and less than one decision late. 0 seconds mean `NEVER`.
    """
    if seconds == 0:
        return NEVER
    ticks = round(seconds * TICKS_PER_SECOND)
    return max(1, -(-ticks // tick_skip))


def end_causes(clocks: Clocks, limits: Limits, goal: Flags, broken: Flags) -> Causes:
    """(B,) the `Cause` of each arena's end in this decision.

    When several hold: a broken state says nothing of the game, so it comes first. A goal at a limit
    is a goal. At both limits it is the time limit, which a touch could not have put off.

    Args:
        clocks: Advanced by this decision.
        limits: Where they cut.
        goal: (B,) whether somebody scored.
        broken: (B,) whether the physics broke.
    """
    causes = np.full(len(clocks.age), Cause.NONE, np.int8)
    # The later of two overwrites the earlier.
    causes[clocks.untouched >= limits.untouched] = Cause.NO_TOUCH
    causes[clocks.age >= limits.age] = Cause.TIME_LIMIT
    causes[goal] = Cause.GOAL
    causes[broken] = Cause.BROKEN
    return causes


def is_terminated(causes: Causes) -> Flags:
    """(B,) which of `causes` (B,) end the game itself: a goal."""
    terminated: Flags = causes == Cause.GOAL
    return terminated


def is_truncated(causes: Causes) -> Flags:
    """(B,) which of `causes` (B,) only cut the episode."""
    truncated: Flags = (causes != Cause.NONE) & (causes != Cause.GOAL)
    return truncated
