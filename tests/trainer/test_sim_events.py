"""What the real simulator says of bumps, against where the cars were put."""

import gc
import weakref
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from rlbot_agent.actions import ACTION_TABLE
from trainer.config import ResetsConfig
from trainer.events import Events
from trainer.meshes import find_meshes
from trainer.resets import draw_starts, kickoff_starts
from trainer.sim import Simulator

ROW = {tuple(row): index for index, row in enumerate(ACTION_TABLE.astype(int).tolist())}
REST = ROW[0, 0, 0, 0, 0, 0, 0, 0]
NORTH, EAST = np.pi / 2, 0.0


def make_sim(arenas: int, teams: tuple[int, ...], tick_skip: int = 8) -> Simulator:
    rng = np.random.default_rng(0)
    return Simulator(arenas, teams, tick_skip, 1, find_meshes(""), rng)


def meeting(
    speeds: tuple[float, float],
    yaws: tuple[float, float],
    teams: tuple[int, int] = (0, 1),
    tick_skip: int = 8,
) -> Simulator:
    """Car 1 of arena 1 stands 500 uu north of car 0; both roll along y. Arena 0 is a kickoff."""
    sim = make_sim(2, teams, tick_skip)
    starts = kickoff_starts(2, teams, np.random.default_rng(0))
    starts.ball_position[1] = (3000, 3000, 93.15)
    starts.car_position[1] = ((0, -2000, 17), (0, -1500, 17))
    starts.car_velocity[1, :, 1] = speeds
    starts.car_rotation[1, :, 1] = yaws
    sim.reset(np.arange(2), starts)
    return sim


def totals(sim: Simulator, ticks: int, tick_skip: int = 8) -> list[list[int]]:
    """Bumps, bumped and demolitions of arena 1 in all those `ticks`, by car."""
    names = ("bumps", "bumped", "demos")
    counted = np.zeros((3, 2), int)
    for _ in range(ticks // tick_skip):
        sim.step(np.full((2, 2), REST))
        happened = np.array([getattr(sim.events, name) for name in names])
        assert not happened[:, 0].any()
        counted += happened[:, 1]
    return counted.tolist()


@pytest.mark.parametrize("teams", [(0, 1), (0, 0)])
@pytest.mark.parametrize("tick_skip", [2, 8])
def test_a_bump_is_counted_once_for_the_bumper_and_its_victim_of_either_team(
    teams: tuple[int, int], tick_skip: int
) -> None:
    sim = meeting((1400, 0), (NORTH, EAST), teams, tick_skip)
    assert totals(sim, 64, tick_skip) == [[1, 0], [0, 1], [0, 0]]
    assert sim.state.velocity[1, 1, 1] > 500


def test_the_second_car_can_be_the_bumper() -> None:
    sim = meeting((0, -1400), (EAST, -NORTH))
    assert totals(sim, 64) == [[0, 1], [1, 0], [0, 0]]


def test_cars_that_meet_nose_to_nose_bump_each_other() -> None:
    sim = meeting((1200, -1200), (NORTH, -NORTH))
    assert totals(sim, 64) == [[1, 1], [1, 1], [0, 0]]


def test_a_demolition_is_no_bump() -> None:
    sim = meeting((2300, 0), (NORTH, EAST))
    assert totals(sim, 64) == [[0, 0], [0, 0], [1, 0]]


def test_a_bump_belongs_to_its_decision_only_and_a_reset_forgets_it() -> None:
    sim = meeting((1400, 0), (NORTH, EAST))
    while not sim.events.bumps.any():
        sim.step(np.full((2, 2), REST))
    sim.reset(np.array([0]), kickoff_starts(1, (0, 1), np.random.default_rng(0)))
    assert sim.events.bumped.tolist() == [[0, 0], [0, 1]]
    sim.reset(np.array([1]), kickoff_starts(1, (0, 1), np.random.default_rng(0)))
    assert not sim.events.bumps.any()
    assert not sim.events.bumped.any()


def test_a_broken_arena_shows_no_bump() -> None:
    sim = meeting((1400, 0), (NORTH, EAST))
    sim.step(np.full((2, 2), REST))
    for _ in range(8):
        lost = sim.arenas[1].ball.get_state()
        lost.pos.z = -500
        sim.arenas[1].ball.set_state(lost)
        sim.step(np.full((2, 2), REST))
        assert sim.broken.tolist() == [False, True]
        assert not sim.events.bumps.any()


def brawl(seed: int) -> tuple[Sequence[bytes], Counter[str]]:
    """All events of 300 decisions in which both cars drive at each other."""
    teams = (0, 1)
    sim = make_sim(8, teams)
    rng = np.random.default_rng(seed)
    sim.reset(np.arange(8), draw_starts(8, teams, ResetsConfig(), rng))
    seen, counted = [], Counter[str]()
    for _ in range(300):
        target = sim.state.position[:, [1, 0]] - sim.state.position
        nose = sim.state.forward
        left = nose[..., 0] * target[..., 1] - nose[..., 1] * target[..., 0] < 0
        steer = np.where(left, ROW[1, -1, 0, -1, 0, 0, 0, 0], ROW[1, 1, 0, 1, 0, 0, 0, 0])
        sim.step(np.where(rng.random((8, 2)) < 0.9, steer, rng.integers(0, 90, (8, 2))))
        for name, values in vars(sim.events).items():
            seen.append(values.tobytes())
            counted[name] += int(np.abs(values).sum())
    return seen, counted


def test_equal_games_have_equal_events_and_every_bump_has_a_victim() -> None:
    (first, counted), (again, _) = brawl(1), brawl(1)
    assert first == again
    assert counted["bumps"] == counted["bumped"] >= 20


def test_a_simulator_is_freed_although_its_arenas_listen() -> None:
    sim = make_sim(1, (0, 1))
    events: weakref.ref[Events] = weakref.ref(sim.events)
    gc.disable()
    try:
        del sim
        assert events() is None
    finally:
        gc.enable()
