"""A packet of the live game as the `GameState` the bot was trained on, with one arena.

What a packet does not show is remembered (`memory.py`, `pads.py`); `reconstruction.py` says how
well. Needs the attributes of RLBot's types, not the types: a test may pass any object that has
them. Tested by `tests/rlbot_agent/test_packet.py` and, against the simulator, by
`tests/test_parity.py`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rlbot_agent.field import DOUBLE_JUMP_WINDOW_S, FLIP_TORQUE_S
from rlbot_agent.memory import JUMPING, NOT_DEMOLISHED, CarMemory, remember
from rlbot_agent.pads import PadMemory
from rlbot_agent.rotation import axes_from_angles
from rlbot_agent.state import GameState


class PacketReader:
    """Turns the packets of a match, in the order of their frames, into states."""

    def __init__(self, pads: Sequence[Any], teams: tuple[int, ...]) -> None:
        """Read packets of a match on a field with `pads` and cars of `teams`.

        Args:
            pads: `FieldInfo.boost_pads`.
            teams: Team of each of a packet's players.

        Raises:
            PadError: When the pads are not the standard field's.
        """
        self.state = GameState(1, teams)
        """The newest packet's, updated in place; cars in the packet's order."""
        self._pads = PadMemory(pads)
        self.reset()

    def reset(self) -> None:
        """Forget the past, as at a kickoff."""
        self._cars: dict[int, CarMemory] = {}
        self._last_frame: int | None = None
        self.skipped = 0
        """Frames since the last reset that came without a packet."""
        self._pads.reset()

    def read(self, packet: Any) -> GameState:  # noqa: ANN401
        """Update `state` from `packet`; a frame older than the last one forgets the past.

        Args:
            packet: A GamePacket with a ball and with one player for each of `teams`.

        Raises:
            PadError: When the packet has another number of pads than the field.
        """
        ticks = self._advance(packet.match_info.frame_num)
        _read_ball(self.state, packet.balls[0].physics)
        self.state.pad_timers[0] = self._pads.update(packet.boost_pads, ticks)
        players = packet.players
        angles = np.array([_angles(player.physics.rotation) for player in players])
        self.state.forward[0], _, self.state.up[0] = axes_from_angles(angles)
        self._cars = {
            player.player_id: remember(self._cars.get(player.player_id), player, ticks)
            for player in players
        }
        for car, player in enumerate(players):
            _read_car(self.state, car, player, self._cars[player.player_id])
        return self.state

    def _advance(self, frame: int) -> int:
        """Frames since the last packet."""
        if self._last_frame is not None and frame < self._last_frame:
            self.reset()
        ticks = 0 if self._last_frame is None else frame - self._last_frame
        self._last_frame = frame
        self.skipped += max(ticks - 1, 0)
        return ticks


def _read_ball(state: GameState, physics: Any) -> None:  # noqa: ANN401
    state.ball_position[0] = _xyz(physics.location)
    state.ball_velocity[0] = _xyz(physics.velocity)
    state.ball_angular_velocity[0] = _xyz(physics.angular_velocity)


def _read_car(state: GameState, car: int, player: Any, memory: CarMemory) -> None:  # noqa: ANN401
    state.position[0, car] = _xyz(player.physics.location)
    state.velocity[0, car] = _xyz(player.physics.velocity)
    state.angular_velocity[0, car] = _xyz(player.physics.angular_velocity)
    state.boost[0, car] = player.boost
    demolished = player.demolished_timeout != NOT_DEMOLISHED
    state.demo_timer[0, car] = player.demolished_timeout if demolished else 0
    state.is_supersonic[0, car] = player.is_supersonic
    state.is_holding_jump[0, car] = player.last_input.jump
    state.has_jumped[0, car] = player.has_jumped
    state.is_jumping[0, car] = player.air_state == JUMPING
    state.has_flipped[0, car] = player.has_dodged
    state.is_flipping[0, car] = player.has_dodged and player.dodge_elapsed < FLIP_TORQUE_S
    state.has_double_jumped[0, car] = player.has_double_jumped
    state.on_ground[0, car] = memory.on_ground
    state.is_boosting[0, car] = memory.boost_ticks > 0
    state.handbrake[0, car] = memory.handbrake
    state.air_time_since_jump[0, car] = memory.air_time_since_jump
    state.is_auto_flipping[0, car] = memory.roof_turn_ticks > 0
    state.can_flip[0, car] = _can_flip(player, memory)


def _can_flip(player: Any, memory: CarMemory) -> bool:  # noqa: ANN401
    """Whether a press of jump would flip or double jump."""
    used = player.has_dodged or player.has_double_jumped
    expired = memory.air_time_since_jump >= DOUBLE_JUMP_WINDOW_S
    return not (memory.on_ground or player.last_input.jump or used or expired)


def _xyz(vector: Any) -> tuple[float, float, float]:  # noqa: ANN401
    return vector.x, vector.y, vector.z


def _angles(rotation: Any) -> tuple[float, float, float]:  # noqa: ANN401
    return rotation.pitch, rotation.yaw, rotation.roll
