import pytest

from benchmarks.model import (
    Line,
    Machine,
    Point,
    busy,
    collect_sps,
    errors,
    fit,
    fit_line,
    learn_sps,
    overall_sps,
    predict,
)

PHYSICS = {1: 20.0, 2: 15.0, 3: 12.5}


def point(
    curve: str, workers: int = 2, arenas: int = 128, team: int = 1, parameters: int = 500_000
) -> Point:
    """Of a machine whose costs are round numbers: see the terms below."""
    each = arenas * 2 * team / workers
    phases = {
        "physics": PHYSICS[team],
        # 640 µs a decision beside 3 µs a step, in whose middle, with 128 agents, they are 5.
        "state": 3.0 + 640.0 / each,
        **dict.fromkeys(("rewards", "resets", "observations", "storing"), 0.5),
        # 100 GFLOP/s are 100,000 FLOP a µs; half a million parameters are a million FLOP: 10 µs.
        "decisions": 1.0 + 2.0 * parameters / 100_000,
    }
    played = 0.9 * workers * 1e6 / sum(phases.values())
    # 2 µs, and three million FLOP at 200 GFLOP/s, for an epoch.
    learned = 1e6 / (2.0 + 6.0 * parameters / 200_000)
    return Point(
        *(curve, workers, arenas, team, (64, 64), parameters, played, phases, 80.0),
        learn_sps=learned if curve in ("networks", "check") else None,
    )


POINTS = [
    *(point("arenas", arenas=arenas) for arenas in (16, 64, 128, 256)),
    *(point("teams", team=team) for team in PHYSICS),
    *(point("networks", parameters=count) for count in (10_000, 500_000, 8_000_000)),
]


def test_a_line_of_least_relative_errors_goes_through_what_is_a_line() -> None:
    assert fit_line([(1, 5), (2, 7), (10, 23)]) == pytest.approx(Line(3, 2))


def test_a_line_never_says_that_something_costs_less_than_nothing() -> None:
    # y = 2x − 1 would start below 0; of y = bx the relative errors (b·1/1 − 1), (b·2/3 − 1) are
    # least for b = (1 + 2/3) / (1 + 4/9).
    assert fit_line([(1, 1), (2, 3)]) == pytest.approx(Line(0, (5 / 3) / (13 / 9)))
    # Falling from 3 to 1: of a constant c the errors (c/3 − 1) and (c − 1) give (4/3) / (10/9).
    assert fit_line([(1, 3), (2, 1)]) == pytest.approx(Line(1.2, 0))


def test_the_costs_that_made_the_points_are_found_again() -> None:
    costs = fit(POINTS)
    assert costs.physics_us == PHYSICS
    # 3 + 640 / 128 + 4 · 0.5, and with 256 and 384 agents a worker
    assert costs.reading_us == pytest.approx({1: 10.0, 2: 7.5, 3: 5.0 + 640 / 384})
    assert costs.deciding_us == pytest.approx(Line(1.0, 1 / 100_000))
    assert costs.decision_us == pytest.approx(640.0)
    assert costs.busy == pytest.approx(0.9)
    assert costs.learning_us == pytest.approx(Line(2.0, 1 / 200_000))


def test_workers_are_busy_for_the_share_of_time_that_their_steps_take() -> None:
    assert busy(point("teams")) == pytest.approx(0.9)


def test_the_model_says_what_was_measured_and_how_far_it_is_off() -> None:
    costs = fit(POINTS)
    strange = point("check", arenas=64, team=3, parameters=100_000)
    # 12.5 + 3 + 2 + 640 / 192 + 1 + 2 µs of a worker: 23.83; two of them play for 0.9 of the time.
    played = collect_sps(costs, 3, strange.flops, strange.each, 2)
    assert played == pytest.approx(1.8e6 / (20.5 + 640 / 192))
    assert learn_sps(costs, strange.flops) == pytest.approx(1e6 / (2 + 3))
    # One of 10,000 and one of 40,000 a second are 8,000 together.
    assert overall_sps(10_000, 40_000) == pytest.approx(8_000)
    assert overall_sps(10_000, 40_000, epochs=4) == pytest.approx(5_000)
    crowded = point("workers", workers=4, arenas=256)
    beyond_caches = point("arenas", arenas=1024)
    found = errors(costs, [strange, crowded, beyond_caches], cores=2)
    assert found == [(strange, pytest.approx(0.0, abs=1e-9))]


def test_another_machine_is_so_many_workers_and_another_learner() -> None:
    costs = fit(POINTS)
    # 20 + 3 + 5 + 2 + 1 + 10 = 41 µs; 20 workers at half the speed.
    playing = 20 * 0.5 * 0.9e6 / 41
    collect, learn, overall = predict(costs, Machine("a", 20, 0.5, learning=4), 1e6)
    # 2 + 15 µs here, a quarter of that there.
    assert (collect, learn) == pytest.approx((playing, 4e6 / 17))
    assert 1 / overall == pytest.approx(1 / collect + 1 / learn)
    # Three million operations take a GPU 1 µs, and the processor beside it 2 µs.
    for gpus in (1, 7.2):
        _, learn, _ = predict(costs, Machine("b", 20, 0.5, gpu_flops=3e12, gpus=gpus), 1e6)
        assert learn == pytest.approx(gpus * 1e6 / 3)


def test_a_missing_curve_is_named() -> None:
    with pytest.raises(ValueError, match="curve teams"):
        fit([found for found in POINTS if found.curve != "teams"])
