"""What a game packet does not show of a car, remembered from one packet to the next.

Handbrake, boost flame, wheel contact, time since the jump, a turn off the roof. Time is counted in
frames of 1/120 s, never in calls; what happened in a gap is taken to be what the packet after it
shows. Needs the attributes of RLBot's PlayerInfo, not the type. Tested by
`tests/rlbot_agent/test_memory.py`.
"""

import math
from typing import Any, Final

import numpy as np

from rlbot_agent.field import DOUBLE_JUMP_WINDOW_S, TICKS_PER_SECOND

ON_GROUND, JUMPING = 0, 1
"""Values of RLBot's AirState."""
NOT_DEMOLISHED: Final = -1.0
"""RLBot's `demolished_timeout` of a car that drives."""

TICK_S: Final = np.float32(1 / TICKS_PER_SECOND)
LONGEST_GAP_TICKS: Final = 1200
"""No jump lasts longer than such a gap."""
HANDBRAKE_RISE: Final = 5 / TICKS_PER_SECOND
HANDBRAKE_FALL: Final = 2 / TICKS_PER_SECOND
"""A tick."""
SHORTEST_BOOST_TICKS: Final = 12
"""Ticks a flame burns at least (0.1 s)."""
WHEELS_LEAVE_TICKS: Final = 5
"""Ticks into a jump in which the wheels still touch what they stood on."""
THREE_WHEELS_TICKS: Final = 5
"""Ticks a car that has just lost, or not yet found, its fourth wheel counts as on the ground."""
ROOF_ROLL: Final = 2.8
"""rad of roll, either way, from which a car on its roof is turned over by a press of jump."""
ROOF_PUSH: Final = 100.0
"""uu/s upward in a packet: such a press gives 200, and in the air nothing."""
ROOF_TURN_S: Final = 0.4
"""For half a turn."""


class CarMemory:
    """One car's past since it last appeared; the attributes are what no packet says."""

    def __init__(self) -> None:
        """A car without a past, as at a kickoff or after a demolition."""
        self.handbrake = 0.0
        """0 to 1."""
        self.boost_ticks = 0
        """Ticks since the flame was lit, 0 when it is out."""
        self.air_time_since_jump = 0.0
        """Seconds since the jump's force ended, 0 without a jump."""
        self.on_ground = False
        """Whether three wheels touch something."""
        self.roof_turn_ticks = 0
        """Ticks left of a turn off the roof."""
        self.demolished = False
        """Whether its past ended."""
        self._jump_ticks = 0
        self._shaky_ticks = THREE_WHEELS_TICKS + 1
        self._had_jumped = False
        self._had_boost = True
        self._held_jump = True
        self._had_flipped = False
        self._velocity_z = 0.0

    def update(self, player: Any, ticks: int) -> None:  # noqa: ANN401
        """Take in the `player` of a packet that is `ticks` frames newer than the one before."""
        held = player.last_input
        self.handbrake = next_handbrake(self.handbrake, held.handbrake, ticks)
        if ticks:
            self.boost_ticks = (
                next_boost_ticks(self.boost_ticks, held.boost, ticks) if self._had_boost else 0
            )
        self._had_boost = player.boost > 0
        self._find_ground(player, ticks)
        self.air_time_since_jump = self._air_time(player, ticks)
        self._find_roof_turn(player, ticks)

    def _find_roof_turn(self, player: Any, ticks: int) -> None:  # noqa: ANN401
        has_flipped = player.has_dodged or player.has_double_jumped
        pressed = player.last_input.jump and not self._held_jump
        flips = has_flipped and not self._had_flipped
        pushed = player.physics.velocity.z - self._velocity_z > ROOF_PUSH
        roll = abs(player.physics.rotation.roll)
        if pressed and not flips and pushed and roll > ROOF_ROLL:
            self.roof_turn_ticks = math.ceil(ROOF_TURN_S * TICKS_PER_SECOND * roll / math.pi)
        else:
            self.roof_turn_ticks = max(self.roof_turn_ticks - ticks, 0)
        self._held_jump, self._had_flipped = player.last_input.jump, has_flipped
        self._velocity_z = player.physics.velocity.z

    def _find_ground(self, player: Any, ticks: int) -> None:  # noqa: ANN401
        """RLBot says OnGround of four wheels and keeps silent about three."""
        is_jumping = player.air_state == JUMPING
        has_jumped = player.has_jumped or player.has_dodged or player.has_double_jumped
        self._jump_ticks = (self._jump_ticks + ticks or 1) if is_jumping else 0
        # Only the ground takes a used jump or flip back.
        if player.air_state == ON_GROUND or (self._had_jumped and not has_jumped):
            self._shaky_ticks = 0
        elif has_jumped:
            self._shaky_ticks = THREE_WHEELS_TICKS + 1
        else:
            self._shaky_ticks += ticks
        self._had_jumped = has_jumped
        self.on_ground = (
            self._jump_ticks <= WHEELS_LEAVE_TICKS
            if is_jumping
            else self._shaky_ticks <= THREE_WHEELS_TICKS
        )

    def _air_time(self, player: Any, ticks: int) -> float:  # noqa: ANN401
        if not player.has_jumped or player.air_state == JUMPING:
            return 0.0
        if player.dodge_timeout != -1:
            return float(DOUBLE_JUMP_WINDOW_S - player.dodge_timeout)
        # The flip is used or has expired, and the simulator counts on: in float32, tick by tick.
        seconds = np.float32(self.air_time_since_jump)
        for _ in range(min(ticks, LONGEST_GAP_TICKS)):
            seconds += TICK_S
        return float(seconds)


def remember(memory: CarMemory | None, player: Any, ticks: int) -> CarMemory:  # noqa: ANN401
    """The memory of `player` with its newest packet, `ticks` frames after the one before.

    Args:
        memory: What was remembered so far; None for a newcomer.
        player: A PlayerInfo.
        ticks: Frames since the last packet.

    Returns:
        `memory`, which stands still while the car is demolished; a new one when it comes back.
    """
    demolished = player.demolished_timeout != NOT_DEMOLISHED
    if memory is None or (memory.demolished and not demolished):
        memory = CarMemory()
    if not memory.demolished:  # a car still drives in the tick that demolishes it
        memory.update(player, ticks)
    memory.demolished = demolished
    return memory


def next_handbrake(handbrake: float, pressed: bool, ticks: int) -> float:
    """The handbrake (0 to 1) after `ticks` in which its button was `pressed` or not."""
    if pressed:
        return min(handbrake + HANDBRAKE_RISE * ticks, 1.0)
    return max(handbrake - HANDBRAKE_FALL * ticks, 0.0)


def next_boost_ticks(burnt: int, pressed: bool, ticks: int) -> int:
    """How long a flame burns that burnt for `burnt` ticks (0: was out), `ticks` ticks later."""
    if pressed:
        return burnt + ticks
    goes_on = burnt > 0 and burnt + ticks <= SHORTEST_BOOST_TICKS
    return burnt + ticks if goes_on else 0
