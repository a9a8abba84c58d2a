"""When an episode ends: a goal terminates it, a time limit or neglect of the ball truncates it.

Clocks count decisions. Knows no simulator, rewards or observations. Tested by
`tests/trainer/test_episodes.py`. Axes: B arenas, P cars of an arena.
"""

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import TICKS_PER_SECOND
from trainer.config import EpisodesConfig

Flags = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]

NEVER: Final = 2**62
"""Decisions that no clock reaches."""


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


def is_terminated(goal: npt.NDArray[np.int8]) -> Flags:
    """(B,) whether `goal` (B,) is one."""
    scored: Flags = goal != 0
    return scored


def is_truncated(clocks: Clocks, limits: Limits, terminated: Flags) -> Flags:
    """(B,) whether a limit is reached; a goal in the same decision counts instead."""
    reached = (clocks.untouched >= limits.untouched) | (clocks.age >= limits.age)
    truncated: Flags = reached & ~terminated
    return truncated
