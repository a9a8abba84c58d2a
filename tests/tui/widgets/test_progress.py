import math
from dataclasses import replace

import pytest

from trainer.run_dir import Status
from tui.widgets.progress import Progress, to_end, to_save

STATUS = Status(1, 0.0, 1000.0, "collecting", 0.0, "cpu", 12, 700_000, 1_000_000, False)


def test_a_save_is_as_near_as_the_steps_that_are_left() -> None:
    # 300,000 of 500,000 steps are left: 40 % are done; at 10,000 a second they take 30 s.
    progress = to_save(STATUS, 500_000, 10_000.0)
    assert progress.share == pytest.approx(0.4)
    assert progress.words == "in 300k steps, ~30s"


@pytest.mark.parametrize("speed", [0.0, math.nan])
def test_without_a_speed_nobody_promises_a_time(speed: float) -> None:
    assert to_save(STATUS, 500_000, speed).words == "in 300k steps"


def test_a_bar_never_leaves_its_frame() -> None:
    assert to_save(replace(STATUS, steps=2_000_000), 500_000, 1.0).share == 1.0
    assert to_save(STATUS, 100_000, 1.0).share == 0.0


def test_the_end_is_told_in_iterations_or_in_time_as_it_was_asked() -> None:
    assert to_end(replace(STATUS, last_iteration=48), 0.0) == Progress(0.25, "iteration 12 of 48")
    assert to_end(replace(STATUS, ends=1400.0), 1100.0) == Progress(0.25, "in 5m00s")


def test_a_run_without_an_end_has_no_bar() -> None:
    assert to_end(STATUS, 0.0) is None
