import numpy as np
import pytest

from rlbot_agent.field import PAD_POSITIONS
from rlbot_agent.pads import PadError, PadMemory, match_pads
from tests.rlbot_agent.game import field_pads, pad_states


def test_every_pad_is_found_although_the_order_differs() -> None:
    order = match_pads(field_pads())
    assert sorted(order.tolist()) == list(range(34))
    swapped = {index: int(place) for index, place in enumerate(order) if index != place}
    assert swapped == {13: 14, 14: 13, 19: 20, 20: 19}


def test_pads_in_any_order_are_found() -> None:
    pads = field_pads()[::-1]
    for pad, place in zip(pads, match_pads(pads), strict=True):
        x, y = PAD_POSITIONS[place]
        assert (pad.location.x, pad.location.y) == (x + 2, y - 2)


def test_a_field_with_other_pads_is_refused_by_the_missing_one() -> None:
    pads = field_pads()
    pads[0].location.x += 500
    with pytest.raises(
        PadError, match=r"not a standard field: no boost pad matches \(502, -4242\)"
    ):
        match_pads(pads)
    pads = field_pads()
    pads[1] = pads[0]  # two at one place, none at another
    with pytest.raises(PadError, match=r"no boost pad matches \(-1792, -4184\)"):
        match_pads(pads)
    with pytest.raises(PadError, match="has 33 boost pads"):
        match_pads(field_pads()[1:])


def test_a_packet_with_another_number_of_pads_is_refused() -> None:
    with pytest.raises(PadError, match="a packet shows 6 boost pads"):
        PadMemory(field_pads()).update(pad_states()[:6], 0)


def test_a_pad_counts_down_from_the_frame_in_which_it_went() -> None:
    memory = PadMemory(field_pads())
    assert not memory.update(pad_states(), 0).any()
    # RLBot's 13th pad is RLGym's 14th, a small one: 4 s.
    assert memory.update(pad_states(p13=0.0), 1)[14] == 4.0
    assert memory.update(pad_states(p13=0.5), 60)[14] == pytest.approx(3.5, abs=1e-5)
    assert memory.update(pad_states(p13=0.5), 0)[14] == pytest.approx(3.5, abs=1e-5)
    assert memory.update(pad_states(), 420)[14] == 0.0


def test_a_big_pad_takes_ten_seconds() -> None:
    memory = PadMemory(field_pads())
    memory.update(pad_states(), 0)
    assert memory.update(pad_states(p3=0.0), 1)[3] == 10.0


def test_the_timer_is_not_believed_where_the_pickup_was_seen() -> None:
    memory = PadMemory(field_pads())
    memory.update(pad_states(), 0)
    assert memory.update(pad_states(p0=3.9), 1)[0] == 4.0


def test_a_pickup_in_a_gap_is_dated_by_the_timer_within_the_gap() -> None:
    memory = PadMemory(field_pads())
    memory.update(pad_states(), 0)
    timers = memory.update(pad_states(p0=0.5, p1=3.0), 121)
    assert timers[0] == pytest.approx(3.5)
    assert timers[1] == pytest.approx(3.0)  # not before the last packet, 1 s ago


def test_a_pad_that_is_gone_at_the_start_has_the_seconds_that_its_timer_leaves() -> None:
    memory = PadMemory(field_pads())
    assert memory.update(pad_states(p0=1.0), 0)[0] == 3.0
    assert memory.update(pad_states(p0=1.5), 60)[0] == pytest.approx(2.5, abs=1e-5)


def test_a_timer_that_falls_is_taken_for_seconds_left() -> None:
    memory = PadMemory(field_pads())
    memory.update(pad_states(p0=1.0), 0)
    assert memory.update(pad_states(p0=0.9), 12)[0] == pytest.approx(0.9)
    assert memory.update(pad_states(p0=0.4), 60)[0] == pytest.approx(0.4, abs=1e-5)


def test_a_reset_forgets_the_countdown() -> None:
    memory = PadMemory(field_pads())
    memory.update(pad_states(), 0)
    memory.update(pad_states(p0=0.0), 1)
    memory.reset()
    assert np.array_equal(memory.update(pad_states(), 0), np.zeros(34, np.float32))


def test_a_pad_that_is_taken_again_in_the_frame_of_its_return_counts_anew() -> None:
    memory = PadMemory(field_pads())
    memory.update(pad_states(), 0)
    memory.update(pad_states(p13=0.0), 1)
    memory.update(pad_states(p13=470 / 120), 470)
    assert memory.update(pad_states(p13=0.0), 10)[14] == pytest.approx(4.0)
    assert memory.update(pad_states(p13=0.5), 60)[14] == pytest.approx(3.5, abs=1e-5)


def test_a_pad_that_is_late_is_not_there_before_the_game_says_so() -> None:
    memory = PadMemory(field_pads())
    memory.update(pad_states(), 0)
    memory.update(pad_states(p13=0.0), 1)
    for late in range(3):
        timers = memory.update(pad_states(p13=4 + late / 120), 480 if not late else 1)
        assert timers[14] == pytest.approx(1 / 120)
    assert memory.update(pad_states(), 1)[14] == 0
