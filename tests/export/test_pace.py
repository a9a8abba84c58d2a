import numpy as np
import pytest

from export.pace import Pace
from export.terms import Fps

TICK = 1 / 120


class Clock:
    def __init__(self) -> None:
        self.now = 5.0

    def __call__(self) -> float:
        return self.now


def make_pace(clock: Clock, fps: Fps = "120", realtime: bool = True) -> Pace:
    return Pace(fps, realtime, np.random.default_rng(0), clock)


def test_lockstep_waits_for_ever() -> None:
    assert make_pace(Clock(), realtime=False).due(1) is None


def test_packets_are_due_on_a_grid_that_small_delays_do_not_move() -> None:
    clock = Clock()
    pace = make_pace(clock)
    assert pace.due(1) == pytest.approx(5 + TICK)
    clock.now = 5 + TICK + 0.001
    assert pace.due(1) == pytest.approx(5 + 2 * TICK)
    clock.now = 5 + 2 * TICK + 0.004  # not yet half a tick, which is 4.17 ms
    assert pace.due(2) == pytest.approx(5 + 4 * TICK)
    assert pace.stalls == 0


def test_a_late_host_moves_the_grid_and_says_so() -> None:
    clock = Clock()
    pace = make_pace(clock)
    pace.due(1)
    clock.now = 5 + TICK + 0.005
    assert pace.due(1) == pytest.approx(5 + TICK + 0.005 + TICK)
    assert pace.stalls == 1


@pytest.mark.parametrize(("fps", "mean"), [("120", 1.0), ("60", 2.0), ("irregular", 1.6)])
def test_ticks_between_packets(fps: Fps, mean: float) -> None:
    pace = make_pace(Clock(), fps)
    gaps = [pace.gap() for _ in range(5000)]
    # 0.6 · 1 + 0.25 · 2 + 0.1 · 3 + 0.05 · 4 = 1.6
    assert np.mean(gaps) == pytest.approx(mean, abs=0.05)
    assert set(gaps) == ({1, 2, 3, 4} if fps == "irregular" else {int(mean)})
