"""The same seconds of play at 60 Hz as at 120: tolerances are what was measured, and a half more.

A beat of 60 Hz is 1/60 s: what it quantises may come that much earlier or later.
"""

from pathlib import Path

import numpy as np
import pytest

from rlbot_agent.actions import ACTION_TABLE
from tests.trainer.tiny import tiny_config
from trainer.env import Env
from trainer.meshes import find_meshes
from trainer.resets import kickoff_starts
from trainer.sim import Simulator

ROW = {tuple(row): index for index, row in enumerate(ACTION_TABLE.astype(int).tolist())}
REST = ROW[0, 0, 0, 0, 0, 0, 0, 0]
DRIVE = ROW[1, 0, 0, 0, 0, 0, 0, 0]
BOOST = ROW[1, 0, 0, 0, 0, 0, 1, 0]
JUMP = ROW[0, 0, 0, 0, 0, 1, 0, 0]
BEAT_S = 1 / 60
NORTH = np.pi / 2


def both(
    car: tuple[float, float, float] = (-500, -4000, 17),
    ball: tuple[float, float, float] = (3000, 0, 93.15),
    ball_velocity: tuple[float, float, float] = (0, 0, 0),
) -> tuple[Simulator, Simulator]:
    """One arena of 1v1 at 120 and one at 60 Hz, whose first car looks north."""
    sims = []
    for hz in (120, 60):
        sim = Simulator(1, (0, 1), 8, 1, find_meshes(""), np.random.default_rng(0), hz)
        starts = kickoff_starts(1, (0, 1), np.random.default_rng(0))
        starts.ball_position[:], starts.ball_velocity[:] = ball, ball_velocity
        starts.car_position[0, 0], starts.car_rotation[0, 0] = car, (0, NORTH, 0)
        sim.reset(np.arange(1), starts)
        sims.append(sim)
    return sims[0], sims[1]


def play(sim: Simulator, *rows: int) -> None:
    for row in rows:
        sim.step(np.array([[row, REST]]))


@pytest.mark.parametrize(
    ("row", "distance", "speed"),
    # Measured: 6 uu of 1788 and 2 uu/s of 1359 driving; 16 uu of 2556 and 23 uu/s of 1618 boosting.
    [(DRIVE, 9, 3), (BOOST, 24, 35)],
)
def test_two_seconds_of_full_throttle_lead_as_far_and_as_fast(
    row: int, distance: float, speed: float
) -> None:
    fine, coarse = both()
    for sim in (fine, coarse):
        play(sim, *[row] * 30)
    np.testing.assert_allclose(coarse.state.position, fine.state.position, atol=distance)
    np.testing.assert_allclose(coarse.state.velocity, fine.state.velocity, atol=speed)
    assert fine.state.velocity[0, 0, 1] > 1300


def test_a_thrown_ball_is_in_the_same_place_for_three_seconds_and_a_bounce() -> None:
    fine, coarse = both(ball=(1500, 0, 1500), ball_velocity=(300, 200, 1))
    heights = []
    for _ in range(45):
        for sim in (fine, coarse):
            play(sim, REST)
        # Measured: up to 6 uu.
        apart = np.abs(coarse.state.ball_position - fine.state.ball_position).max()
        assert apart < 9
        heights.append(float(fine.state.ball_position[0, 2]))
    assert min(heights) < 300 < heights[-1]


def test_a_jump_is_as_high_and_lasts_and_flips_as_long() -> None:
    heights, times, flips = [], [], []
    for sim in both():
        seen = []
        for decision in range(27):
            play(sim, JUMP if decision < 3 else REST)
            state = sim.state
            seen.append((state.position[0, 0, 2], state.on_ground[0, 0], state.can_flip[0, 0]))
            if decision == 18:
                times.append(float(state.air_time_since_jump[0, 0]))
        heights.append(max(float(height) for height, _, _ in seen))
        flips.append(sum(can_flip for _, _, can_flip in seen))
        # In the air until the 26th decision, 1.7 s.
        assert [on_ground for _, on_ground, _ in seen[1:]] == [0] * 24 + [1] * 2
    # Measured: 231.9 and 231.2 uu.
    assert heights[1] == pytest.approx(heights[0], abs=1)
    assert times[1] == pytest.approx(times[0], abs=BEAT_S)
    assert flips[1] == pytest.approx(flips[0], abs=1)
    assert flips[0] >= 17  # 1.25 s are 18.75 decisions


def test_boost_burns_and_the_handbrake_moves_at_the_same_rate() -> None:
    slide = ROW[1, 1, 0, 1, 0, 0, 0, 1]
    for row, value, per_second in ((BOOST, "boost", -100 / 3), (slide, "handbrake", 5)):
        for sim in both():
            play(sim, row)
            first = float(getattr(sim.state, value)[0, 0])
            play(sim, row)
            second = float(getattr(sim.state, value)[0, 0])
            # A decision of 8 ticks, whatever their beats.
            assert second - first == pytest.approx(per_second * 8 / 120, rel=1e-4)


def test_a_demolished_car_comes_back_within_a_beat_of_three_seconds() -> None:
    for sim in both():
        sim.cars[0][1].demolish()
        play(sim, *[REST] * 15)
        assert sim.state.demo_timer[0, 1] == pytest.approx(2, abs=1e-4)
        play(sim, *[REST] * 29)
        assert sim.state.demo_timer[0, 1] == pytest.approx(1 / 15, abs=1e-4)
        # 45 decisions are 3 s; a rest of rounding may let the last beat fall into the next.
        play(sim, *[REST] * 2)
        assert sim.state.demo_timer[0, 1] == 0
        assert sim.state.position[0, 1, 1] > 4000


@pytest.mark.parametrize(
    ("x", "y", "pad", "seconds"), [(0, -4600, 0, 4), (3072, -4500, 4, 10)], ids=["small", "big"]
)
def test_a_pad_comes_back_after_the_same_seconds(
    x: float, y: float, pad: int, seconds: int
) -> None:
    left = []
    for sim in both(car=(x, y, 17)):
        play(sim, *[DRIVE] * 12)
        left.append(float(sim.state.pad_timers[0, pad]))
        # It was taken after the start and before now, 0.8 s later.
        assert seconds - 0.8 < left[-1] < seconds
        play(sim, *[REST] * 45)
        assert sim.state.pad_timers[0, pad] == pytest.approx(left[-1] - 3, abs=1e-3)
    assert left[1] == pytest.approx(left[0], abs=1.5 * BEAT_S)


def test_episodes_are_cut_in_the_same_decision_and_paid_the_same_for_what_lasts() -> None:
    paid = []
    for hz in (120, 60):
        config = tiny_config("resets.random=0", "episodes.no_touch_s=0.8")
        env = Env(config, Path(), np.random.default_rng(0), physics_hz=hz)
        steps = [env.step(np.full(4, DRIVE)) for _ in range(12)]
        # 0.8 s are 96 ticks, 12 decisions of 8.
        assert [bool(step.truncated.all()) for step in steps] == [False] * 11 + [True]
        paid.append(sum(step.rewards for step in steps))
        metrics = env.metrics.cut().measure()
        assert metrics["Game/ended_by_no_touch_length_s"] == pytest.approx(0.8)
    # Measured: 1.9 %, most of it the start, which the rounded delay puts off by a tick.
    np.testing.assert_allclose(paid[1], paid[0], rtol=0.03)
