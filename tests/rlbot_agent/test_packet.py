import math

import numpy as np
import pytest

from rlbot_agent.packet import PacketReader
from tests.rlbot_agent.game import (
    IN_AIR,
    JUMPING,
    field_pads,
    held,
    packet,
    pad_states,
    physics,
    player,
    vector,
)


@pytest.fixture
def reader() -> PacketReader:
    return PacketReader(field_pads(), (0, 1))


def other() -> object:
    return player(team=1, player_id=7)


def test_what_a_packet_shows_is_taken_as_it_is(reader: PacketReader) -> None:
    car = player(
        physics=physics(
            location=vector(1, 2, 3), velocity=vector(4, 5, 6), angular_velocity=vector(7, 8, 9)
        ),
        boost=33.0,
        is_supersonic=True,
        has_double_jumped=True,
        last_input=held(jump=True),
    )
    shown = packet(100, car, other())
    shown.balls[0].physics = physics(
        location=vector(10, 11, 12), velocity=vector(13, 14, 15), angular_velocity=vector(16)
    )
    state = reader.read(shown)
    assert state.position[0].tolist() == [[1, 2, 3], [0, 0, 0]]
    assert state.velocity[0, 0].tolist() == [4, 5, 6]
    assert state.angular_velocity[0, 0].tolist() == [7, 8, 9]
    assert state.boost[0].tolist() == [33, 100]
    assert state.is_supersonic[0].tolist() == [1, 0]
    assert state.has_double_jumped[0].tolist() == [1, 0]
    assert state.is_holding_jump[0].tolist() == [1, 0]
    assert state.ball_position[0].tolist() == [10, 11, 12]
    assert state.ball_velocity[0].tolist() == [13, 14, 15]
    assert state.ball_angular_velocity[0].tolist() == [16, 0, 0]


def test_a_nose_up_and_a_roll_to_the_right_turn_the_axes(reader: PacketReader) -> None:
    nose_up, rolled = physics(), physics()
    nose_up.rotation.pitch = math.pi / 2
    rolled.rotation.roll = math.pi / 2
    state = reader.read(packet(1, player(physics=nose_up), player(physics=rolled, player_id=7)))
    # The right side of a car that looks along x lies at +y, so that is where its roof falls.
    np.testing.assert_allclose(state.forward[0], [[0, 0, 1], [1, 0, 0]], atol=1e-6)
    np.testing.assert_allclose(state.up[0], [[-1, 0, 0], [0, 1, 0]], atol=1e-6)


def test_a_demolished_car_counts_down_and_a_driving_one_is_at_zero(reader: PacketReader) -> None:
    state = reader.read(packet(1, player(demolished_timeout=2.5), other()))
    assert state.demo_timer[0].tolist() == [2.5, 0]
    assert reader.read(packet(2, player(demolished_timeout=0.0), other())).demo_timer[0, 0] == 0


def test_a_flip_is_over_after_its_torque_and_used_until_the_landing(reader: PacketReader) -> None:
    def flags(elapsed: float) -> tuple[float, float, float]:
        car = player(air_state=IN_AIR, has_jumped=True, has_dodged=True, dodge_elapsed=elapsed)
        state = reader.read(packet(1, car, other()))
        return state.is_flipping[0, 0], state.has_flipped[0, 0], state.can_flip[0, 0]

    assert flags(0.64) == (1, 1, 0)
    assert flags(0.66) == (0, 1, 0)
    assert reader.read(packet(2, player(), other())).is_flipping[0, 0] == 0


@pytest.mark.parametrize(
    ("car", "can_flip"),
    [
        ({"air_state": IN_AIR, "has_jumped": True, "dodge_timeout": 0.5}, True),
        ({"air_state": IN_AIR}, True),  # fallen, or a flip reset: no time limit
        ({"air_state": IN_AIR, "has_jumped": True, "has_dodged": True}, False),
        ({"air_state": IN_AIR, "has_jumped": True, "has_double_jumped": True}, False),
        ({"air_state": IN_AIR, "last_input": held(jump=True)}, False),
        ({"air_state": JUMPING, "has_jumped": True, "dodge_timeout": 1.25}, False),
        ({}, False),  # on the ground
    ],
)
def test_a_flip_is_left_in_the_air_with_jump_released(
    reader: PacketReader, car: dict[str, object], can_flip: bool
) -> None:
    assert reader.read(packet(1, player(**car), other())).can_flip[0, 0] == can_flip


def test_a_flip_expires_with_the_dodge_timeout(reader: PacketReader) -> None:
    car = {"air_state": IN_AIR, "has_jumped": True}
    reader.read(packet(1, player(**car, dodge_timeout=1 / 120), other()))
    assert reader.read(packet(2, player(**car, dodge_timeout=1 / 240), other())).can_flip[0, 0]
    assert not reader.read(packet(3, player(**car), other())).can_flip[0, 0]


def test_pads_stand_in_rlgyms_order(reader: PacketReader) -> None:
    reader.read(packet(1))
    state = reader.read(packet(2, pads=pad_states(p13=0.0, p3=0.0)))
    assert {int(pad): state.pad_timers[0, pad] for pad in np.flatnonzero(state.pad_timers[0])} == {
        3: 10.0,
        14: 4.0,
    }


def test_each_player_has_a_memory_of_its_own_wherever_it_stands(reader: PacketReader) -> None:
    braking = player(last_input=held(handbrake=True))
    reader.read(packet(1, braking, other()))
    state = reader.read(packet(13, braking, other()))
    np.testing.assert_allclose(state.handbrake[0], [0.5, 0])
    state = reader.read(packet(13, other(), braking))
    np.testing.assert_allclose(state.handbrake[0], [0, 0.5])


def test_frames_that_go_backwards_and_a_reset_forget(reader: PacketReader) -> None:
    braking = player(last_input=held(handbrake=True))
    reader.read(packet(100, braking, other()))
    assert reader.read(packet(112, braking, other())).handbrake[0, 0] == 0.5
    assert reader.read(packet(50, braking, other())).handbrake[0, 0] == 0
    assert reader.read(packet(62, braking, other())).handbrake[0, 0] == 0.5
    reader.reset()
    assert reader.read(packet(74, braking, other())).handbrake[0, 0] == 0


def test_skipped_frames_are_counted_and_repeated_ones_are_not(reader: PacketReader) -> None:
    for frame in (10, 11, 11, 14, 15):
        reader.read(packet(frame))
    assert reader.skipped == 2  # 12 and 13
    reader.reset()
    assert reader.skipped == 0
