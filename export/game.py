"""A game of soccar by RLBot's calendar: countdown, kickoff, play, goal, and again.

Plays a one-arena simulator frame by frame; knows no messages beyond the phase names, no sockets and
no bots. Tested by `tests/export/test_game.py`.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from rlbot import flat

from export.packets import Moment
from rlbot_agent.actions import ACTION_TABLE
from rlbot_agent.field import TICKS_PER_SECOND
from rlbot_agent.state import Array
from trainer.resets import kickoff_starts
from trainer.sim import Simulator

COUNTDOWN_TICKS: Final = TICKS_PER_SECOND
LONGEST_KICKOFF_TICKS: Final = 2 * TICKS_PER_SECOND
"""After that, play counts as active although nobody has touched the ball."""
GOAL_TICKS: Final = TICKS_PER_SECOND // 2
"""Frames without a ball between a goal and the next countdown."""
FIRST_FRAME: Final = 100_000
"""A server that has been up for a quarter of an hour."""
NEUTRAL: Final = int((ACTION_TABLE == 0).all(axis=1).argmax())
"""The row of the action table that touches nothing."""

_Phase = flat.MatchPhase


class Game:
    """One match; `advance` plays a frame with the controls that answer its packet."""

    def __init__(self, sim: Simulator, seconds: float, rng: np.random.Generator) -> None:
        """Start with a countdown.

        Args:
            sim: One arena, a tick skip of 1 and no delay.
            seconds: Of kickoffs and play, after which the match ends.
            rng: Draws the kickoffs.
        """
        self.frame = FIRST_FRAME
        """Of the packet that is due now."""
        self.phase = _Phase.Countdown
        self.score = [0, 0]
        """Goals of blue and orange."""
        self.played: dict[int, Array] = {}
        """Of each frame in which cars drive: (R,) the simulator's `raw` state."""
        self._sim, self._rng = sim, rng
        self._ticks_left = round(seconds * TICKS_PER_SECOND)
        self._kick_off()

    @property
    def is_live(self) -> bool:
        """Whether cars drive in this phase."""
        return self.phase in (_Phase.Kickoff, _Phase.Active)

    @property
    def moment(self) -> Moment:
        """What the packet of this frame says besides physics."""
        blue, orange = self.score
        left = self._ticks_left / TICKS_PER_SECOND
        return Moment(self.frame, self.phase, (blue, orange), left)

    def advance(self, rows: Sequence[int]) -> None:
        """Play one frame; outside of kickoffs and play nothing moves.

        Args:
            rows: (P,) the row of the action table that each car's bot holds.
        """
        if self.is_live:
            self.played[self.frame] = self._sim.state.raw[0].copy()
            self._sim.step(np.array([rows]))
            self._ticks_left -= 1
        self.frame += 1
        self._phase_ticks += 1
        self._turn_page()

    def _turn_page(self) -> None:
        """Go to the next phase when this one is over."""
        goal = int(self._sim.events.goal[0])
        touched = bool(self._sim.events.touched.any())
        if self.phase == _Phase.Countdown:
            if self._phase_ticks >= COUNTDOWN_TICKS:
                self._enter(_Phase.Kickoff)
        elif self.phase == _Phase.GoalScored:
            if self._phase_ticks >= GOAL_TICKS:
                self._kick_off()
        elif self._ticks_left <= 0:
            self._count(goal)
            self._enter(_Phase.Ended)
        elif goal or self._sim.broken[0]:
            self._count(goal)
            self._enter(_Phase.GoalScored)
        elif self.phase == _Phase.Kickoff and (
            touched or self._phase_ticks >= LONGEST_KICKOFF_TICKS
        ):
            self._enter(_Phase.Active)

    def _count(self, goal: int) -> None:
        if goal:
            self.score[0 if goal > 0 else 1] += 1

    def _kick_off(self) -> None:
        starts = kickoff_starts(1, self._sim.state.teams, self._rng)
        self._sim.reset(np.array([0]), starts)
        self._enter(_Phase.Countdown)

    def _enter(self, phase: flat.MatchPhase) -> None:
        self.phase = phase
        self._phase_ticks = 0
