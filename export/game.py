"""A game of soccar by RLBot's calendar: loading, countdown, kickoff, play, goal, replay, and again.

Plays a one-arena simulator frame by frame; knows no messages beyond the phase names, no sockets and
no bots. Tested by `tests/export/test_game.py`.
"""

from collections import deque
from typing import Final, NamedTuple

import numpy as np
from rlbot import flat

from export.packets import Moment
from export.tally import Tally
from rlbot_agent.actions import ACTION_TABLE
from rlbot_agent.field import TICKS_PER_SECOND
from rlbot_agent.state import Array
from trainer.free_sim import FreeSimulator
from trainer.resets import kickoff_starts

LOADING_PACKETS: Final = 12
"""Paused, before the first countdown, all of one frame."""
COUNTDOWN_TICKS: Final = TICKS_PER_SECOND
LONGEST_KICKOFF_TICKS: Final = 2 * TICKS_PER_SECOND
"""After that, play counts as active although nobody has touched the ball."""
GOAL_TICKS: Final = TICKS_PER_SECOND // 2
"""Frames without a ball after a goal."""
REPLAY_PACKETS: Final = TICKS_PER_SECOND // 2
"""Without a ball too, two of each frame."""
PAUSE_PACKETS: Final = TICKS_PER_SECOND // 2
"""All of one frame."""
PAUSE_CHANCE: Final = 1 / (10 * TICKS_PER_SECOND)
"""Of a pause in a frame of play, where there are pauses: one in 10 s."""
FIRST_FRAME: Final = 100_000
"""A server that has been up for a quarter of an hour."""

_Phase = flat.MatchPhase


class Played(NamedTuple):
    """A frame in which cars drove."""

    raw: Array
    """(R,) the simulator's `raw` state that the packet showed."""
    controls: Array
    """(P, 8) that acted in it, whenever they were sent."""


class Game:
    """One match; `advance` plays a frame with the controls that answer its packet."""

    def __init__(
        self,
        sim: FreeSimulator,
        seconds: float,
        rng: np.random.Generator,
        *,
        input_delay: int = 0,
        pauses: bool = False,
        tally_ticks: int = 8,
    ) -> None:
        """Load the map.

        Args:
            sim: One arena, a tick skip of 1 and no delay.
            seconds: Of kickoffs and play, after which the match ends.
            rng: Draws the kickoffs and pauses.
            input_delay: Frames from the one that controls answer to the one in which they act.
            pauses: Whether somebody pauses the game now and then.
            tally_ticks: Of a decision, by which touches are counted.
        """
        self.frame = FIRST_FRAME
        """Of the packet that is due now."""
        self.score = [0, 0]
        """Goals of blue and orange."""
        self.played: dict[int, Played] = {}
        """By frame."""
        self.rally = 0
        """Kickoffs so far."""
        self.ticks = 0
        """Of kickoffs and play so far."""
        self.tally = Tally(len(sim.state.teams), tally_ticks)
        """What the cars did."""
        self._sim, self._rng = sim, rng
        self._ticks_left = round(seconds * TICKS_PER_SECOND)
        self._input_delay, self._pauses = input_delay, pauses
        self._kick_off()
        self._enter(_Phase.Paused)
        self._after_pause = _Phase.Countdown
        self._pause_packets = LOADING_PACKETS

    @property
    def is_live(self) -> bool:
        """Whether cars drive in this phase."""
        return self.phase in (_Phase.Kickoff, _Phase.Active)

    @property
    def has_ball(self) -> bool:
        """Whether a packet shows the ball."""
        return self.phase not in (_Phase.GoalScored, _Phase.Replay)

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return bool(self.phase == _Phase.Ended)

    @property
    def moment(self) -> Moment:
        """What the packet of this frame says besides physics."""
        blue, orange = self.score
        left = self._ticks_left / TICKS_PER_SECOND
        return Moment(self.frame, self.phase, (blue, orange), left)

    def advance(self, controls: Array) -> None:
        """Play one frame; outside of kickoffs and play nothing moves.

        Args:
            controls: (P, 8) that each car's bot holds.
        """
        self._packets += 1
        if self.phase == _Phase.Paused:
            if self._packets >= self._pause_packets:
                self._enter(self._after_pause)
            return
        if self.is_live:
            self._play(controls)
        # A replay is shown faster than its frames are counted.
        self.frame += self.phase != _Phase.Replay or self._packets % 2 == 0
        self._turn_page()

    def _play(self, controls: Array) -> None:
        self._pending.append(controls.copy())
        acting = self._pending.popleft()
        self.played[self.frame] = Played(self._sim.state.raw[0].copy(), acting)
        self._sim.step_freely(acting)
        self.tally.add(self._sim.events)
        self._ticks_left -= 1
        self.ticks += 1

    def _turn_page(self) -> None:
        """Go to the next phase when this one is over."""
        if self.is_live:
            self._turn_live_page()
        elif self.phase == _Phase.Countdown and self._packets >= COUNTDOWN_TICKS:
            self._enter(_Phase.Kickoff)
        elif self.phase == _Phase.GoalScored and self._packets >= GOAL_TICKS:
            self._enter(_Phase.Replay)
        elif self.phase == _Phase.Replay and self._packets >= REPLAY_PACKETS:
            self._kick_off()

    def _turn_live_page(self) -> None:
        goal = int(self._sim.events.goal[0])
        if goal:
            self.score[0 if goal > 0 else 1] += 1
        if self._ticks_left <= 0:
            self._enter(_Phase.Ended)
        elif goal or self._sim.broken[0]:
            self._enter(_Phase.GoalScored)
        elif self.phase == _Phase.Active:
            self._maybe_pause()
        elif self._sim.events.touched.any() or self._packets >= LONGEST_KICKOFF_TICKS:
            self._enter(_Phase.Active)

    def _maybe_pause(self) -> None:
        if self._pauses and self._rng.random() < PAUSE_CHANCE:
            self._after_pause, self._pause_packets = self.phase, PAUSE_PACKETS
            self._enter(_Phase.Paused)

    def _kick_off(self) -> None:
        starts = kickoff_starts(1, self._sim.state.teams, self._rng)
        self._sim.reset(np.array([0]), starts)
        neutral = np.zeros((len(self._sim.state.teams), ACTION_TABLE.shape[1]), np.float32)
        self._pending = deque([neutral] * self._input_delay)
        self.tally.kick_off()
        self.rally += 1
        self._enter(_Phase.Countdown)

    def _enter(self, phase: flat.MatchPhase) -> None:
        self.phase = phase
        self._packets = 0
        """Of this phase so far."""
