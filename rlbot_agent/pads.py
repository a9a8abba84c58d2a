"""Boost pads of the live game: which is which, and how long until each is back.

A packet lists pads in the game's order and may count seconds since a pickup; an observation wants
RLGym's order and seconds left. Needs the attributes of RLBot's BoostPad and BoostPadState, not the
types. Tested by `tests/rlbot_agent/test_pads.py`.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import (
    BIG_PAD_RECHARGE_S,
    NUM_PADS,
    PAD_POSITIONS,
    SMALL_PAD_RECHARGE_S,
    TICKS_PER_SECOND,
)
from rlbot_agent.state import Array

PAD_TOLERANCE: Final = 100.0
"""uu, along the floor, that a pad may lie from where it is in training."""
TICK_S: Final = np.float32(1 / TICKS_PER_SECOND)
LONGEST_GAP_TICKS: Final = int(BIG_PAD_RECHARGE_S * TICKS_PER_SECOND)
"""After such a gap every pad is back."""


class PadError(Exception):
    """The match's pads are not those of the standard field; one sentence."""


def match_pads(pads: Sequence[Any]) -> npt.NDArray[np.intp]:
    """Find each of the game's pads in `PAD_POSITIONS`.

    Args:
        pads: `FieldInfo.boost_pads`.

    Returns:
        (34,) the index in `PAD_POSITIONS` of each of `pads`; every index occurs once.

    Raises:
        PadError: When they are not 34, or one is missing or elsewhere.
    """
    if len(pads) != NUM_PADS:
        raise PadError(f"this map has {len(pads)} boost pads, the bot knows only fields with 34")
    places = np.array([(pad.location.x, pad.location.y) for pad in pads])
    distances = np.linalg.norm(places[:, None] - PAD_POSITIONS, axis=-1)
    nearest: npt.NDArray[np.intp] = distances.argmin(axis=1)
    lost = np.setdiff1d(np.arange(NUM_PADS), nearest)
    if lost.size or distances.min(axis=1).max() > PAD_TOLERANCE:
        where = PAD_POSITIONS[lost[0]] if lost.size else places[distances.min(axis=1).argmax()]
        raise PadError(
            f"this map is not a standard field: no boost pad matches ({where[0]:g}, {where[1]:g})"
        )
    return nearest


class PadMemory:
    """Counts every pad down from the packet in which it is first seen gone."""

    def __init__(self, pads: Sequence[Any]) -> None:
        """Learn the field from `FieldInfo.boost_pads`.

        Raises:
            PadError: As `match_pads`.
        """
        self._order = match_pads(pads)
        self._recharge = np.array(
            [BIG_PAD_RECHARGE_S if pad.is_full_boost else SMALL_PAD_RECHARGE_S for pad in pads],
            np.float32,
        )
        self.reset()

    def reset(self) -> None:
        """Forget everything: the next packet is the first."""
        self._left: Array = np.zeros(NUM_PADS, np.float32)
        self._was_active = np.ones(NUM_PADS, np.bool_)
        self._is_first = True
        self._guessed: dict[int, float] = {}

    def update(self, states: Sequence[Any], ticks: int) -> Array:
        """Take in `GamePacket.boost_pads`, `ticks` frames after the last ones.

        Returns:
            (34,) seconds until each pad is active, in the order of `PAD_POSITIONS`.

        Raises:
            PadError: When the packet has another number of pads than the field.
        """
        if len(states) != NUM_PADS:
            raise PadError(f"a packet shows {len(states)} boost pads, the field has {NUM_PADS}")
        # Tick by tick in float32, as the simulator does, for equal rounding.
        for _ in range(min(ticks, LONGEST_GAP_TICKS)):
            np.maximum(self._left - TICK_S, 0, out=self._left)
        active = np.array([state.is_active for state in states])
        self._check_guesses(states, ticks)
        for pad in np.flatnonzero(self._was_active & ~active).tolist():
            self._left[pad] = self._first_seen_gone(pad, states[pad].timer, ticks)
        for pad in np.flatnonzero(~self._was_active & ~active & (self._left == 0)).tolist():
            self._left[pad] = self._still_gone(pad, states[pad].timer, ticks)
        self._left[active] = 0
        self._was_active, self._is_first = active, False
        timers = np.empty(NUM_PADS, np.float32)
        timers[self._order] = self._left
        return timers

    def _first_seen_gone(self, pad: int, timer: float, ticks: int) -> float:
        """Seconds left; RLBot's `timer` helps only if the pickup may be older than this packet.

        RLBot documents it as seconds since the pickup.
        """
        recharge = float(self._recharge[pad])
        if self._is_first:
            self._guessed[pad] = timer
            return min(max(recharge - timer, 0.0), recharge)
        oldest = max(ticks - 1, 0) / TICKS_PER_SECOND
        return recharge - min(max(timer, 0.0), oldest)

    def _still_gone(self, pad: int, timer: float, ticks: int) -> float:
        """Seconds left of a pad that should be back and is not.

        A car that stood there took it again at once, or the game counts more slowly than we do.
        """
        if timer <= ticks / TICKS_PER_SECOND:
            return self._first_seen_gone(pad, timer, ticks)
        return float(TICK_S)

    def _check_guesses(self, states: Sequence[Any], ticks: int) -> None:
        """Believe a `timer` that has fallen since the first packet to be seconds left."""
        if ticks:
            for pad, seen in self._guessed.items():
                if states[pad].timer < seen and not states[pad].is_active:
                    self._left[pad] = states[pad].timer
            self._guessed = {}
