import numpy as np
import pytest

from export.tally import Tally, result_of
from trainer.events import Events


def tick(tally: Tally, *touched: bool, demos: int = 0, pickups: int = 0) -> None:
    events = Events.none(1, 2)
    if touched:
        events.touched[0] = touched
    events.demos[0, 0], events.pickups[0, 1] = demos, pickups
    tally.add(events)


def test_touches_in_one_decision_are_one_and_in_two_are_two() -> None:
    tally = Tally(2, ticks=4)
    tick(tally)
    tick(tally, True, False)
    tick(tally, True, True)
    tick(tally, True, False)
    assert tally.touches.tolist() == [1, 1]
    tick(tally, True, False)  # the next decision
    assert tally.touches.tolist() == [2, 1]


def test_decisions_begin_anew_at_a_kickoff() -> None:
    tally = Tally(2, ticks=4)
    tick(tally, True, False)
    tally.kick_off()
    tick(tally, True, False)
    assert tally.touches.tolist() == [2, 0]


def test_demolitions_and_pickups_count_every_time() -> None:
    tally = Tally(2, ticks=4)
    tick(tally, demos=1)
    tick(tally, demos=1, pickups=2)
    assert (tally.demos.tolist(), tally.pickups.tolist()) == ([2, 0], [0, 2])


def test_rates_are_a_minute_and_of_each_car() -> None:
    tally = Tally(3, ticks=8)
    tally.touches[:] = [6, 8, 10]
    tally.demos[:] = [0, 3, 0]
    tally.pickups[:] = np.array([2, 4, 6])
    # Cars 0 and 2 are blue; 14,400 ticks are 2 minutes.
    result = result_of(tally, (0, 1, 0), (5, 1), 14_400)
    assert (result.mode, result.minutes) == ("2v1", 2)
    assert (result.blue.goals, result.blue.touches, result.orange.touches) == (5, 16, 8)
    assert result.rates(result.blue) == pytest.approx(
        {"goals": 2.5, "touches": 4, "demos": 0, "pickups": 2}
    )
    assert result.rates(result.orange) == pytest.approx(
        {"goals": 0.5, "touches": 4, "demos": 1.5, "pickups": 2}
    )
