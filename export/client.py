"""A connected bot: which cars it drives, what it holds, how fast it answers.

Knows no socket's server, no simulator and no rules. Tested by `tests/export/test_client.py` and,
with real processes, by `tests/export/test_match.py`.
"""

import math
import time
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from rlbot import flat

from export.packets import Player
from export.wire import Connection
from rlbot_agent.actions import ACTION_TABLE
from rlbot_agent.field import TICKS_PER_SECOND
from rlbot_agent.state import Array

_ROWS: Final = {tuple(row) for row in ACTION_TABLE.tolist()}


class HostError(Exception):
    """The match cannot go on; one sentence says why."""


@dataclass(frozen=True)
class Answers:
    """How a bot's process answered the packets of kickoffs and play."""

    names: tuple[str, ...]
    """Of its cars."""
    packets: int
    """That it was sent."""
    missed_frames: int
    """Packets that it never answered."""
    deadline_misses: int
    """Packets whose answer was not there when the next was due, for whatever reason."""
    reply_s: tuple[float, ...]
    """Seconds to each answer; a late one counts from the oldest packet that had none."""

    @property
    def slow_answers(self) -> int:
        """That took longer than a tick."""
        return sum(reply > 1 / TICKS_PER_SECOND for reply in self.reply_s)


class Client:
    """Its cars are `assign`ed; each packet is `asked`, `hear` takes answers, `settle` counts."""

    def __init__(self, connection: Connection) -> None:
        """A bot that has not said who it is."""
        self.connection = connection
        self.cars: dict[int, Player] = {}
        """By index in the packets."""
        self.is_ready = False
        """Whether it may be sent packets."""
        self.wants_predictions = False
        """Whether a ball prediction is sent before each packet."""
        self.controls: dict[int, Array] = {}
        """By car, (8,): what it holds; nothing before its first answer."""
        self.silent_in_a_row = 0
        """Packets since its last answer that had none in time."""
        self._owed: set[int] = set()
        self._asked_at: float | None = None
        self._counts = False
        self._packets = self._inputs = self._misses = 0
        self._reply_s: list[float] = []

    @property
    def name(self) -> str:
        """Of its cars, for a sentence."""
        return " and ".join(player.name for player in self.cars.values()) or "a bot"

    @property
    def is_ours(self) -> bool:
        """Whether it is a bundle's, and must do exactly what was trained."""
        return all(player.is_ours for player in self.cars.values())

    @property
    def owes(self) -> bool:
        """Whether a packet is unanswered."""
        return self._asked_at is not None

    @property
    def answers(self) -> Answers:
        """All there were so far."""
        heard = self._inputs // max(len(self.cars), 1)
        return Answers(
            names=tuple(player.name for player in self.cars.values()),
            packets=self._packets,
            missed_frames=max(self._packets - heard, 0),
            deadline_misses=self._misses,
            reply_s=tuple(self._reply_s),
        )

    def asked(self, counts: bool) -> None:
        """A packet was sent; `counts` when it is one of kickoffs or play."""
        self._counts = counts
        self._packets += counts
        self._owed = set(self.cars)
        if self._asked_at is None:
            self._asked_at = time.monotonic()

    def hear(self, message: Any) -> None:  # noqa: ANN401
        """Take in a message in the middle of a match.

        Raises:
            HostError: When it cannot be what a bot may say.
        """
        if isinstance(message, flat.DisconnectSignal):
            raise HostError(f"{self.name} left the match")
        if not isinstance(message, flat.PlayerInput):
            return
        car = message.player_index
        if car not in self.cars:
            driven = " and ".join(map(str, self.cars))
            raise HostError(f"{self.name} is car {driven} and steered car {car}")
        player = self.cars[car]
        self.controls[car] = controls_of(message.controller_state, player)
        self._inputs += self._counts
        self._owed.discard(car)
        if self._asked_at is not None and not self._owed:
            if self._counts:
                self._reply_s.append(time.monotonic() - self._asked_at)
            self._asked_at = None

    def settle(self) -> None:
        """The next packet is due: what is not there now is late."""
        self.silent_in_a_row = self.silent_in_a_row + 1 if self.owes else 0
        self._misses += self.owes and self._counts


def controls_of(state: flat.ControllerState, player: Player) -> Array:
    """The (8,) controls that a bot holds, in the columns of the action table.

    The game takes sticks from -1 to 1, so others' are limited to that.

    Raises:
        HostError: When one is not finite, or a bundle's are no row of the action table.
    """
    sticks = (state.throttle, state.steer, state.pitch, state.yaw, state.roll)
    held = (*sticks, float(state.jump), float(state.boost), float(state.handbrake))
    if not all(map(math.isfinite, sticks)):
        raise HostError(f"{player.name} sent controls that are no numbers: {held}")
    if player.is_ours and held not in _ROWS:
        raise HostError(f"{player.name} sent controls that are no row of the action table: {held}")
    limited: Array = np.clip(np.array(held, np.float32), -1, 1)
    return limited
