from typing import cast

import numpy as np
import pytest
from rlbot import flat

import export.client
from export.client import Client, HostError, controls_of
from export.packets import Player
from export.wire import Connection

OURS = Player("Ours", 0, -5, "x/ours")
OTHER = Player("Other", 1, 7, "x/other", is_ours=False)
NO_WIRE = cast("Connection", None)


class Clock:
    """The time that the client reads."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(export.client, "time", found)
    return found


def make_client(*cars: int, player: Player = OTHER) -> Client:
    client = Client(NO_WIRE)
    client.cars = dict.fromkeys(cars, player)
    return client


def steer(car: int = 0, throttle: float = 0.0) -> flat.PlayerInput:
    return flat.PlayerInput(car, flat.ControllerState(throttle=throttle))


def test_an_answer_in_time_is_no_miss(clock: Clock) -> None:
    client = make_client(0)
    client.asked(counts=True)
    assert client.owes
    clock.now += 0.004
    client.hear(steer())
    assert not client.owes
    client.settle()
    found = client.answers
    assert (found.packets, found.missed_frames, found.deadline_misses) == (1, 0, 0)
    assert found.reply_s == pytest.approx((0.004,))
    assert found.slow_answers == 0


def test_a_late_answer_misses_a_deadline_and_no_frame_and_counts_from_its_packet(
    clock: Clock,
) -> None:
    client = make_client(0)
    for _ in range(2):
        client.asked(counts=True)
        clock.now += 1 / 120
        if client.answers.packets == 2:
            client.hear(steer())  # to the first packet, 16.7 ms late
            client.hear(steer())  # to the second
        client.settle()
    found = client.answers
    assert (found.packets, found.missed_frames, found.deadline_misses) == (2, 0, 1)
    assert found.reply_s == pytest.approx((2 / 120,))
    assert found.slow_answers == 1


def test_a_packet_that_is_never_answered_is_a_missed_frame(clock: Clock) -> None:
    client = make_client(0)
    for packet in range(3):
        client.asked(counts=True)
        if packet != 1:
            client.hear(steer())
        client.settle()
    found = client.answers
    assert (found.packets, found.missed_frames, found.deadline_misses) == (3, 1, 1)


def test_packets_outside_of_play_do_not_count(clock: Clock) -> None:
    client = make_client(0)
    client.asked(counts=False)
    client.settle()
    assert client.silent_in_a_row == 1
    found = client.answers
    assert (found.packets, found.missed_frames, found.deadline_misses) == (0, 0, 0)


def test_a_hivemind_has_answered_when_all_its_cars_have(clock: Clock) -> None:
    client = make_client(2, 5)
    client.asked(counts=True)
    client.hear(steer(5, 0.5))
    assert client.owes
    client.hear(steer(2, 0.25))
    assert not client.owes
    client.settle()
    assert (client.answers.missed_frames, client.answers.deadline_misses) == (0, 0)
    assert {car: held[0] for car, held in client.controls.items()} == {5: 0.5, 2: 0.25}


def test_another_car_than_its_own_is_refused(clock: Clock) -> None:
    with pytest.raises(HostError, match="Other is car 0 and steered car 3"):
        make_client(0).hear(steer(3))


def test_others_controls_are_limited_as_the_game_limits_them() -> None:
    state = flat.ControllerState(throttle=2.5, steer=-0.3, yaw=-7, jump=True)
    held = controls_of(state, OTHER)
    assert np.array_equal(held, np.array([1, -0.3, 0, -1, 0, 1, 0, 0], np.float32))


@pytest.mark.parametrize("player", [OURS, OTHER])
def test_controls_that_are_no_numbers_are_refused(player: Player) -> None:
    with pytest.raises(HostError, match="controls that are no numbers"):
        controls_of(flat.ControllerState(steer=float("nan")), player)


def test_a_bundle_may_only_hold_rows_of_the_action_table() -> None:
    assert controls_of(flat.ControllerState(throttle=1, boost=True), OURS)[6] == 1
    with pytest.raises(HostError, match="no row of the action table"):
        controls_of(flat.ControllerState(throttle=0.5), OURS)
