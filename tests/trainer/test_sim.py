from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import RocketSim

from rlbot_agent.actions import ACTION_TABLE
from rlbot_agent.field import PAD_POSITIONS
from trainer.config import ResetsConfig
from trainer.meshes import find_meshes
from trainer.resets import draw_starts, kickoff_starts
from trainer.sim import Simulator

ROW = {tuple(row): index for index, row in enumerate(ACTION_TABLE.astype(int).tolist())}
REST = ROW[0, 0, 0, 0, 0, 0, 0, 0]
BOOST = ROW[1, 0, 0, 0, 0, 0, 1, 0]


def make_sim(
    arenas: int,
    teams: tuple[int, ...],
    tick_skip: int = 8,
    delay: int = 1,
    seed: int = 0,
    hz: int = 120,
) -> Simulator:
    rng = np.random.default_rng(seed)
    return Simulator(arenas, teams, tick_skip, delay, find_meshes(""), rng, hz)


def started(arenas: int, teams: tuple[int, ...], **values: list[float]) -> Simulator:
    """Kickoffs, except for `values` of all arenas' first car or of the ball."""
    sim = make_sim(arenas, teams)
    starts = kickoff_starts(arenas, teams, np.random.default_rng(0))
    for name, value in values.items():
        array = getattr(starts, name)
        (array if name.startswith("ball") else array[:, 0])[:] = value
    sim.reset(np.arange(arenas), starts)
    return sim


def rest(sim: Simulator) -> np.ndarray:
    return np.full((sim.state.num_arenas, sim.state.num_cars), REST)


def chase(sim: Simulator) -> np.ndarray:
    """(B, P) rows that boost and steer toward the ball."""
    to_ball = sim.state.ball_position[:, None] - sim.state.position
    nose = sim.state.forward
    to_the_right = nose[..., 0] * to_ball[..., 1] - nose[..., 1] * to_ball[..., 0] > 0
    return np.where(to_the_right, ROW[1, 1, 0, 1, 0, 0, 1, 0], ROW[1, -1, 0, -1, 0, 0, 1, 0])


def play_with_demolitions(seed: int, hz: int) -> tuple[list[bytes], int]:
    """Raw states of 160 random decisions, and how many demolished cars came back."""
    teams = (0, 1)
    sim = make_sim(12, teams, seed=seed, hz=hz)
    rng = np.random.default_rng(7)
    sim.reset(np.arange(12), draw_starts(12, teams, ResetsConfig(), rng))
    seen, back = [], 0
    for decision in range(160):
        if decision % 50 == 3:
            for cars in sim.cars:
                cars[decision % 2].demolish()
        demolished = sim.state.demo_timer > 0
        sim.step(rng.integers(0, 90, (12, 2)))
        back += int((demolished & (sim.state.demo_timer == 0)).sum())
        seen.append(sim.state.raw.tobytes())
    return seen, back


@pytest.mark.parametrize("hz", [120, 60])
def test_equal_seeds_starts_and_actions_play_bit_for_bit_equal_with_demolitions(hz: int) -> None:
    first, back = play_with_demolitions(1, hz)
    again, _ = play_with_demolitions(1, hz)
    other, _ = play_with_demolitions(2, hz)
    assert back >= 12
    assert first == again
    # The simulator's own seed decides where demolished cars come back, and nothing before that.
    assert first[:47] == other[:47]
    assert first[-1] != other[-1]


def test_a_demolished_car_comes_back_after_three_seconds_on_its_own_side() -> None:
    sim = started(3, (0, 1))
    for cars in sim.cars:
        cars[1].demolish()
    for decision in range(1, 46):
        sim.step(rest(sim))
        # 3 s are 360 ticks, 45 decisions of 8.
        assert (sim.state.demo_timer[:, 1] > 0).all() == (decision < 45)
    assert (sim.state.position[:, 1, 1] > 4000).all()
    assert (sim.state.on_ground[:, 0] == 1).all()
    np.testing.assert_allclose(sim.state.boost, 33.33, atol=0.01)


@pytest.mark.parametrize(
    ("tick_skip", "delay", "hz", "waits"),
    # At 60 Hz an odd tick more: a beat is two.
    [(8, 0, 120, 0), (8, 1, 120, 1), (8, 7, 120, 7), (4, 2, 120, 2), (8, 0, 60, 0), (8, 1, 60, 2)],
)
def test_an_action_acts_after_the_delay_and_is_held_through_the_next(
    tick_skip: int, delay: int, hz: int, waits: int
) -> None:
    sim = make_sim(1, (0,), tick_skip, delay, hz=hz)
    sim.reset(np.array([0]), kickoff_starts(1, (0,), np.random.default_rng(0)))
    # Boosting takes 100 units in 3 s, so a tick takes 100 / 360.
    sim.step(np.array([[BOOST]]))
    after_one = 100 / 3 - (tick_skip - waits) * 100 / 360
    assert sim.state.boost[0, 0] == pytest.approx(after_one, abs=1e-3)
    sim.step(np.array([[BOOST]]))
    after_two = after_one - tick_skip * 100 / 360
    assert sim.state.boost[0, 0] == pytest.approx(after_two, abs=1e-3)


def test_a_reset_lets_go_of_the_controls() -> None:
    sim = started(2, (0, 1))
    sim.step(np.full((2, 2), BOOST))
    sim.reset(np.array([1]), kickoff_starts(1, (0, 1), np.random.default_rng(0)))
    sim.step(rest(sim))
    # Only arena 0 boosts through the delay of one tick (and on, for a boost lasts 0.1 s).
    assert (sim.state.boost[0] < 31.3).all()
    np.testing.assert_allclose(sim.state.boost[1], 100 / 3, atol=1e-3)


def test_every_row_of_the_table_reaches_the_car_as_it_is() -> None:
    sim = started(45, (0, 1))
    sim.step(np.arange(90).reshape(45, 2))
    names = ("throttle", "steer", "pitch", "yaw", "roll", "jump", "boost", "handbrake")
    held = [car.get_controls() for cars in sim.cars for car in cars]
    reached = [[float(getattr(controls, name)) for name in names] for controls in held]
    np.testing.assert_array_equal(reached, ACTION_TABLE)


@pytest.mark.parametrize(("y", "goal"), [(5300, 1), (-5300, -1), (5100, 0), (0, 0)])
def test_a_ball_behind_the_goal_line_is_a_goal_and_stays_there(y: float, goal: int) -> None:
    sim = started(1, (0, 1), ball_position=[0, y, 300])
    sim.step(rest(sim))
    assert sim.events.goal.tolist() == [goal]
    assert sim.state.ball_position[0, 1] == pytest.approx(y, abs=1)


@pytest.mark.parametrize("hz", [120, 60])
def test_touches_and_pickups_are_those_the_simulator_reports_and_pads_keep_its_time(
    hz: int,
) -> None:
    teams = (0, 1, 0, 1)
    sim = make_sim(8, teams, hz=hz)
    touches: Counter[tuple[int, int]] = Counter()
    pickups: Counter[tuple[int, int]] = Counter()
    for index, arena in enumerate(sim.arenas):
        # Cars are numbered from 1 in the order in which they were added.
        arena.set_ball_touch_callback(
            lambda car, data, **_: touches.update([(data, car.id - 1)]), index
        )
        arena.set_boost_pickup_callback(
            lambda car, data, **_: pickups.update([(data, car.id - 1)]), index
        )
    rng = np.random.default_rng(0)
    touched = picked = 0
    for decision in range(400):
        if decision % 40 == 0:
            some = np.arange(8) if decision == 0 else rng.choice(8, 5, replace=False)
            sim.reset(some, draw_starts(len(some), teams, ResetsConfig(kickoff=3), rng))
        touches.clear()
        pickups.clear()
        sim.step(np.where(rng.random((8, 4)) < 0.8, chase(sim), rng.integers(0, 90, (8, 4))))
        for arena, car in np.ndindex(8, 4):
            assert sim.events.touched[arena, car] == (touches[arena, car] > 0)
            assert sim.events.pickups[arena, car] == pickups[arena, car]
        for arena, timers in enumerate(sim.state.pad_timers):
            pads = sim.arenas[arena].get_boost_pads()
            assert timers.tolist() == [pad.get_state().cooldown for pad in pads]
        touched += int(sim.events.touched.sum())
        picked += int(sim.events.pickups.sum())
    assert touched >= 50
    assert picked >= 100


def test_the_pads_of_the_simulator_stand_in_our_order() -> None:
    sim = started(1, (0, 1))
    places = [pad.get_pos().as_tuple()[:2] for pad in sim.arenas[0].get_boost_pads()]
    np.testing.assert_array_equal(places, PAD_POSITIONS)


def rammed() -> Simulator:
    """Car 0 has just demolished car 1."""
    starts = kickoff_starts(1, (0, 1), np.random.default_rng(0))
    starts.ball_position[:] = (3000, 3000, 93.15)
    starts.car_position[0] = ((0, -2000, 17), (0, -500, 17))
    starts.car_velocity[0, 0] = (0, 2300, 0)
    starts.car_rotation[0, :, 1] = np.pi / 2
    starts.car_boost[:] = 100
    sim = make_sim(1, (0, 1))
    sim.reset(np.array([0]), starts)
    for _ in range(12):
        sim.step(np.array([[BOOST, REST]]))
        if sim.events.demos.any():
            break
    return sim


def test_a_demolition_is_counted_once_for_the_car_that_did_it() -> None:
    sim = rammed()
    assert sim.events.demos.tolist() == [[1, 0]]
    assert 2.9 < sim.state.demo_timer[0, 1] <= 3
    assert sim.state.demo_timer[0, 0] == 0
    sim.step(rest(sim))
    assert sim.events.demos.tolist() == [[0, 0]]


def test_a_reset_revives_forgets_events_and_leaves_other_arenas_alone() -> None:
    teams = (0, 1)
    sim = started(2, teams, ball_position=[0, 5300, 300])
    for cars in sim.cars:
        cars[1].demolish()
    sim.step(rest(sim))
    other = sim.state.raw[0].copy()
    sim.reset(np.array([1]), kickoff_starts(1, teams, np.random.default_rng(3)))
    assert sim.state.demo_timer[:, 1].tolist() == [pytest.approx(2.93, abs=0.01), 0]
    assert sim.events.goal.tolist() == [1, 0]
    np.testing.assert_array_equal(sim.state.raw[0], other)
    for _ in range(15):
        sim.step(np.full((2, 2), BOOST))
    assert np.linalg.norm(sim.state.velocity[1, 1]) > 500


def test_a_reset_of_no_arena_changes_nothing() -> None:
    sim = started(2, (0, 1))
    before = sim.state.raw.copy()
    sim.reset(np.arange(0), kickoff_starts(0, (0, 1), np.random.default_rng(0)))
    np.testing.assert_array_equal(sim.state.raw, before)


def test_a_start_in_the_air_is_seen_in_the_air_before_the_first_tick() -> None:
    sim = started(1, (0, 1), car_position=[0, -1000, 600], car_rotation=[0.5, 1, 2])
    assert sim.state.on_ground.tolist() == [[0, 1]]
    assert sim.state.can_flip.tolist() == [[1, 0]]
    # forward.z = sin(pitch), up.z = cos(pitch) cos(roll)
    assert sim.state.forward[0, 0, 2] == pytest.approx(0.479, abs=1e-3)
    assert sim.state.up[0, 0, 2] == pytest.approx(-0.365, abs=1e-3)
    sim.step(rest(sim))
    assert sim.state.on_ground.tolist() == [[0, 1]]


@pytest.mark.parametrize("lost", ["nan", "under the floor", "beyond the wall"])
def test_a_broken_arena_is_named_keeps_its_last_sound_state_and_heals_by_a_reset(
    lost: str,
) -> None:
    sim = started(2, (0, 1))
    sim.step(rest(sim))
    sound = sim.state.raw.copy()
    ball = RocketSim.BallState()
    x, z = {"nan": (np.nan, 500), "under the floor": (0, -500), "beyond the wall": (9000, 500)}[
        lost
    ]
    ball.pos = RocketSim.Vec(x, 0, z)
    sim.arenas[1].ball.set_state(ball)
    sim.step(rest(sim))
    assert sim.broken.tolist() == [False, True]
    np.testing.assert_array_equal(sim.state.raw[1], sound[1])
    assert sim.events.goal.tolist() == [0, 0]

    sim.reset(np.array([1]), kickoff_starts(1, (0, 1), np.random.default_rng(0)))
    assert not sim.broken.any()
    sim.step(rest(sim))
    assert not sim.broken.any()
    np.testing.assert_allclose(sim.state.ball_position[1], (0, 0, 93.15), atol=1)


def test_a_lost_car_breaks_its_arena_and_a_car_in_the_goal_does_not() -> None:
    sim = started(2, (0, 1), car_position=[0, 5900, 17])
    lost = sim.cars[1][1].get_state()
    lost.pos = RocketSim.Vec(0, 7000, 300)
    sim.cars[1][1].set_state(lost)
    sim.step(rest(sim))
    assert sim.broken.tolist() == [False, True]


def test_other_meshes_in_the_same_process_are_refused(tmp_path: Path) -> None:
    make_sim(1, (0, 1))
    with pytest.raises(RuntimeError, match="already simulates with the meshes in"):
        Simulator(1, (0, 1), 8, 1, tmp_path, np.random.default_rng(0))


def test_the_standard_meshes_cause_no_warning() -> None:
    assert make_sim(1, (0, 1)).warnings == []


def test_the_held_controls_are_those_of_the_last_decision_and_neutral_after_a_reset() -> None:
    sim = started(2, (0, 1))
    assert not sim.state.controls.any()
    sim.step(np.array([[BOOST, REST], [REST, BOOST]]))
    assert sim.state.controls[0].tolist() == [[1, 0, 0, 0, 0, 0, 1, 0], [0] * 8]
    sim.reset(np.array([0]), kickoff_starts(1, (0, 1), np.random.default_rng(0)))
    assert not sim.state.controls[0].any()
    assert sim.state.controls[1].tolist() == [[0] * 8, [1, 0, 0, 0, 0, 0, 1, 0]]


def test_a_jump_turns_a_car_off_its_roof() -> None:
    sim = started(1, (0, 1), car_position=[0, -1000, 60], car_rotation=[0, 0, 3.1])
    for _ in range(20):  # it comes to lie on its roof
        sim.step(rest(sim))
    assert not sim.state.is_auto_flipping.any()
    sim.step(np.array([[ROW[0, 0, 0, 0, 0, 1, 0, 0], REST]]))
    assert sim.state.is_auto_flipping.tolist() == [[1, 0]]
    for _ in range(7):  # 0.47 s
        sim.step(rest(sim))
    assert not sim.state.is_auto_flipping.any()
