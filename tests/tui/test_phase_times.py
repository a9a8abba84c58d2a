import math

import pytest

from trainer.metrics import IterationMetrics
from tui.phase_times import AVERAGED, Bar, Times, bars

SECONDS = {
    "physics": 4.0,
    "state": 1.0,
    "observations": 0.5,
    "decisions": 2.0,
    "rewards": 0.25,
    "resets": 0.125,
    "storing": 0.125,
    "waiting": 1.0,
    "rollout": 9.0,
    "collect": 9.25,
    "advantages": 0.25,
    "steps": 6.0,
    "measures": 0.25,
    "update": 6.5,
    "save": 0.125,
    "publish": 0.125,
    "iteration": 16.0,
}


def timed(**changed: float) -> IterationMetrics:
    values = {f"Timing/{name}_s": seconds for name, seconds in (SECONDS | changed).items()}
    return IterationMetrics(1, 1, 0.0, values | {"Loss/value": 1.0})


def parts(bar: Bar) -> dict[str, tuple[str, float]]:
    return {part.name: (part.kind, part.seconds) for part in bar.parts}


def test_the_phases_of_an_iteration_add_up_to_it() -> None:
    (bar,) = bars(Times([timed()]), overlap=False)
    assert bar.seconds == pytest.approx(16.0)
    assert parts(bar) == {
        "physics": ("playing", 4.0),
        "state": ("playing", 1.0),
        "observations": ("playing", 0.5),
        "decisions": ("playing", 2.0),
        "rewards": ("playing", 0.25),
        "resets": ("playing", 0.125),
        "storing": ("playing", 0.125),
        "waiting for each other": ("waiting", 1.0),
        "edits, copies": ("playing", 0.25),
        "advantages": ("learning", 0.25),
        "optimizer steps": ("learning", 6.0),
        "measures": ("learning", 0.25),
        "saving": ("saving", 0.125),
        "publishing": ("saving", 0.125),
    }
    assert bar.share("playing") == pytest.approx(8.25 / 16)
    assert bar.share("waiting") == pytest.approx(1 / 16)


def test_what_is_played_beside_the_update_is_no_part_of_the_iteration() -> None:
    # 9 s of playing of which the update hid 7: the learner waited 2 s for the rest.
    times = Times([timed(collect=2.0, iteration=8.75)])
    iteration, beside = bars(times, overlap=True)
    assert iteration.seconds == pytest.approx(8.75)
    assert parts(iteration)["waiting for the rollout"] == ("waiting", 2.0)
    assert "physics" not in parts(iteration)
    assert beside.seconds == pytest.approx(9.0)
    assert parts(beside)["physics"] == ("playing", 4.0)


def test_the_last_iterations_are_averaged_and_no_more_of_them() -> None:
    window = [timed(save=100.0), *[timed(save=0.0)] * (AVERAGED - 1), timed(save=2.0)]
    assert Times(window)["save"] == pytest.approx(2.0 / AVERAGED)


def test_what_was_not_measured_takes_no_time_and_spoils_no_mean() -> None:
    times = Times([timed(save=math.nan), timed(save=0.5)])
    assert times["save"] == 0.5
    assert times["unheard_of"] == 0.0
    assert Times([])["iteration"] == 0.0


def test_metrics_of_a_trainer_that_knew_no_phases_still_give_a_bar() -> None:
    values = {"Timing/collect_s": 3.0, "Timing/update_s": 1.0, "Timing/iteration_s": 4.0}
    (bar,) = bars(Times([IterationMetrics(1, 1, 0.0, values)]), overlap=False)
    assert parts(bar) == {"playing": ("playing", 3.0), "learning": ("learning", 1.0)}


def test_a_bar_without_any_time_has_no_shares() -> None:
    (bar,) = bars(Times([]), overlap=False)
    assert bar.parts == ()
    assert bar.share("playing") == 0.0


TAUGHT = {f"Timing/{name}_s": value for name, value in SECONDS.items() if name != "advantages"}
TAUGHT |= {"Timing/teacher_s": 0.25, "Transfer/loss": 0.5}


def test_a_distillation_adds_up_too_and_nothing_is_played_beside_it() -> None:
    times = Times([IterationMetrics(1, 1, 0.0, TAUGHT)])
    (bar,) = bars(times, overlap=True)
    assert bar.seconds == pytest.approx(16.0)
    assert parts(bar)["the teacher"] == ("learning", 0.25)
    assert "other learning" not in parts(bar)


def test_iterations_of_another_lesson_are_not_averaged() -> None:
    long = timed(update=100.0, steps=100.0)
    (bar,) = bars(Times([long, IterationMetrics(2, 2, 0.0, TAUGHT)]), overlap=False)
    assert bar.seconds == pytest.approx(16.0)
