"""Against a builder of one car at a time, and against numbers by hand."""

import numpy as np
import pytest

from rlbot_agent.field import PAD_POSITIONS
from rlbot_agent.obs_local import LocalObs
from rlbot_agent.state import GameState
from trainer.config import ResetsConfig
from trainer.meshes import find_meshes
from trainer.resets import draw_starts
from trainer.sim import Simulator


class Seat:
    """Looks from a car."""

    def __init__(self, state: GameState, arena: int, car: int) -> None:
        self.place = state.position[arena, car].astype(float)
        self.speed = state.velocity[arena, car].astype(float)
        forward, up = state.forward[arena, car], state.up[arena, car]
        self.rows = np.array([forward, np.cross(up, forward), up], float)

    def sees(self, vector: np.ndarray) -> np.ndarray:
        return self.rows @ vector

    def toward(self, place: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
        """A vector of length 1."""
        way = place - (self.place if start is None else start)
        return self.sees(way / np.linalg.norm(way))


def closeness(a: np.ndarray, b: np.ndarray) -> float:
    return 500 / (500 + float(np.linalg.norm(a - b)))


def slow_other(state: GameState, arena: int, car: int, seat: Seat) -> list[float]:
    """The 17 numbers of another car."""
    place = state.position[arena, car].astype(float)
    shown = [
        closeness(place, seat.place),
        *(seat.sees(place - seat.place) / 4096),
        *(seat.sees(state.velocity[arena, car] - seat.speed) / 2300),
        *seat.sees(state.forward[arena, car]),
        *seat.sees(state.up[arena, car]),
    ]
    if state.demo_timer[arena, car] > 0:
        shown = [0.0] * 13
    return [
        1.0,
        state.boost[arena, car] / 100,
        state.demo_timer[arena, car] / 3,
        state.is_supersonic[arena, car],
        *shown,
    ]


def slow_obs(state: GameState, arena: int, me: int, size: int) -> list[float]:
    """One car's observation."""
    teams = state.teams
    turn = np.array([-1, -1, 1]) if teams[me] else np.ones(3)
    seat = Seat(state, arena, me)
    ball, ball_speed = state.ball_position[arena], state.ball_velocity[arena]
    goal = np.array([0, -5120 if teams[me] else 5120, 642.775 / 2])
    own_goal = goal * (1, -1, 1)
    air_time = float(state.air_time_since_jump[arena, me])
    used = state.has_flipped[arena, me] or state.has_double_jumped[arena, me]
    pads = [float(timer == 0) for timer in state.pad_timers[arena]]
    seen = [
        *(ball * turn / (4096, 5120, 2044)),
        *(ball_speed * turn / 2300),
        *(seat.place * turn / (4096, 5120, 2044)),
        *(state.forward[arena, me] * turn),
        *(state.up[arena, me] * turn),
        state.boost[arena, me] / 100,
        state.demo_timer[arena, me] / 3,
        state.is_supersonic[arena, me],
        state.has_jumped[arena, me],
        state.is_jumping[arena, me],
        state.has_flipped[arena, me],
        state.is_flipping[arena, me],
        state.has_double_jumped[arena, me],
        *state.controls[arena, me],
        min(air_time, 1.25) / 1.25,
        float(air_time < 1.25 and not used),
        17 / max(seat.place[2], 17),
        *seat.toward(ball),
        *seat.toward(goal),
        *seat.toward(own_goal),
        *seat.toward(goal, start=ball),
        closeness(ball, seat.place),
        closeness(goal, seat.place),
        closeness(own_goal, seat.place),
        closeness(goal, ball),
        *(seat.sees(ball - seat.place) / 4096),
        *(seat.sees(ball_speed - seat.speed) / 2300),
        *(seat.sees(state.ball_angular_velocity[arena]) / 5.5),
        *(seat.sees(seat.speed) / 2300),
        *(seat.sees(state.angular_velocity[arena, me]) / 5.5),
        *(reversed(pads) if teams[me] else pads),
    ]
    for same_team, places in ((True, size - 1), (False, size)):
        others = [
            slow_other(state, arena, car, seat)
            for car in range(len(teams))
            if car != me and (teams[car] == teams[me]) is same_team
        ]
        for block in others + [[0.0] * 17] * (places - len(others)):
            seen += block
    return seen


@pytest.mark.parametrize(
    ("teams", "max_team_size", "size"),
    [
        *(((0, 1), 0, 1), ((0, 1), 3, 3), ((0, 0, 1, 1), 0, 2), ((0, 1, 0, 1), 0, 2)),
        *(((1, 0, 0), 0, 2), ((1, 0, 0), 3, 3)),
    ],
)
def test_every_agent_sees_what_a_slow_builder_shows_it(
    teams: tuple[int, ...], max_team_size: int, size: int
) -> None:
    rng = np.random.default_rng(2)
    sim = Simulator(4, teams, 8, 1, find_meshes(""), rng)
    sim.reset(np.arange(4), draw_starts(4, teams, ResetsConfig(), rng))
    builder = LocalObs(teams, max_team_size)
    demolished = flipless = airborne = gone = 0
    for decision in range(40):
        state = sim.state
        expected = [
            [slow_obs(state, arena, car, size) for car in range(len(teams))] for arena in range(4)
        ]
        np.testing.assert_allclose(builder.build(state), expected, atol=2e-5)
        demolished += int((state.demo_timer > 0).sum())
        airborne += int((state.position[..., 2] > 100).sum())
        flipless += int((state.has_flipped + state.has_double_jumped > 0).sum())
        gone += int((state.pad_timers > 0).sum())
        if decision == 10:
            sim.cars[0][0].demolish()
        sim.step(rng.integers(0, 90, (4, len(teams))))
    assert min(demolished, flipless, airborne, gone) > 5


def named(obs: LocalObs, row: np.ndarray) -> dict[str, np.ndarray]:
    stops = np.cumsum([term.width for term in obs.terms])
    assert stops[-1] == len(row)
    return {
        term.name: row[stop - term.width : stop]
        for term, stop in zip(obs.terms, stops, strict=True)
    }


def test_a_ball_to_the_right_is_to_the_right_for_both_teams() -> None:
    state = GameState(1, (0, 1))
    # Blue looks along +y, orange along -y: the same picture from both ends.
    state.position[0] = [(0, -4096, 17), (0, 4096, 17)]
    state.forward[0] = [(0, 1, 0), (0, -1, 0)]
    state.up[0] = (0, 0, 1)
    obs = LocalObs((0, 1))
    for car, side in ((0, 1), (1, -1)):
        # The game's frame is left-handed: right of a car that looks along +y is -x.
        state.ball_position[0] = np.array([-300 * side, -4096 * side, 417])
        seen = named(obs, obs.build(state)[0, car])
        # 300 to the right, 400 up: 500 away.
        np.testing.assert_allclose(seen["ball.direction"], (0, 0.6, 0.8), atol=1e-6)
        assert seen["ball.closeness"][0] == 0.5
        np.testing.assert_allclose(
            seen["ball.local_position"], (0, 300 / 4096, 400 / 4096), atol=1e-6
        )
        # The other car stands 2 · 4096 ahead and looks back.
        np.testing.assert_allclose(seen["other1.local_position"], (2, 0, 0), atol=1e-6)
        np.testing.assert_allclose(seen["other1.local_forward"], (-1, 0, 0), atol=1e-6)
        np.testing.assert_allclose(seen["own.position"], (0, -0.8, 17 / 2044), atol=1e-6)
        np.testing.assert_allclose(seen["own.forward"], (0, 1, 0), atol=1e-6)
        # 9216 ahead of it is the goal, the middle of which is 321 - 17 above.
        np.testing.assert_allclose(seen["goal.direction"], (0.99946, 0, 0.03302), atol=1e-5)
        np.testing.assert_allclose(seen["own_goal.direction"][1], 0, atol=1e-6)
        assert seen["own_goal.direction"][0] < -0.9


def test_what_is_held_and_what_is_left_of_the_jump() -> None:
    state = GameState(1, (0, 1))
    state.position[0, :, 2] = (17, 170)
    state.air_time_since_jump[0] = (1.0, 2.0)
    state.controls[0, 0] = (1, -1, 0, -1, 0, 0, 1, 0)
    obs = LocalObs((0, 1))
    blue, orange = (named(obs, row) for row in obs.build(state)[0])
    assert blue["own.controls"].tolist() == [1, -1, 0, -1, 0, 0, 1, 0]
    assert not orange["own.controls"].any()
    assert [seen["own.has_flip"][0] for seen in (blue, orange)] == [1, 0]
    np.testing.assert_allclose(blue["own.air_time_since_jump"], 0.8)
    np.testing.assert_allclose(orange["own.air_time_since_jump"], 1)
    np.testing.assert_allclose([blue["own.floor"][0], orange["own.floor"][0]], (1, 0.1))


def test_pads_are_there_or_not_and_orange_counts_them_from_its_side() -> None:
    state = GameState(1, (0, 1))
    taken = int(np.flatnonzero((PAD_POSITIONS == (3072, -4096)).all(axis=1))[0])
    state.pad_timers[0, taken] = 0.01
    obs = LocalObs((0, 1))
    blue, orange = (named(obs, row)["pads"] for row in obs.build(state)[0])
    assert np.flatnonzero(blue == 0).tolist() == [taken]
    assert np.flatnonzero(orange == 0).tolist() == [33 - taken]


def test_of_a_demolished_opponent_only_its_return_is_seen() -> None:
    state = GameState(1, (0, 1))
    state.position[0] = [(0, 0, 17), (1000, 0, 17)]
    state.forward[0], state.up[0] = (1, 0, 0), (0, 0, 1)
    state.demo_timer[0, 1] = 1.5
    obs = LocalObs((0, 1))
    block = obs.build(state)[0, 0, -17:]
    assert block.tolist() == [1, 0, 0.5, *[0] * 14]


def test_things_in_one_place_have_no_direction_and_no_nan() -> None:
    obs = LocalObs((0, 1)).build(GameState(1, (0, 1)))
    assert np.isfinite(obs).all()


def test_numbers_stay_near_one_in_play() -> None:
    rng = np.random.default_rng(0)
    sim = Simulator(8, (0, 1), 8, 1, find_meshes(""), rng)
    sim.reset(np.arange(8), draw_starts(8, (0, 1), ResetsConfig(), rng))
    obs, largest = LocalObs((0, 1)), 0.0
    for _ in range(50):
        sim.step(rng.integers(0, 90, (8, 2)))
        largest = max(largest, float(np.abs(obs.build(sim.state)).max()))
    assert 1 < largest < 4


def test_arrays_are_filled_for_any_number_of_arenas() -> None:
    obs = LocalObs((0, 1))
    assert obs.width == 116
    assert LocalObs((0, 1), 3).width == LocalObs((0, 0, 0, 1, 1, 1)).width == 116 + 4 * 17
    rng = np.random.default_rng(0)
    many = GameState(3, (0, 1))
    many.raw[:, :-1] = rng.random((3, many.raw.shape[1] - 1))
    out = np.zeros((3, 2, 116), np.float32)
    assert obs.build(many, out) is out
    one = GameState(1, (0, 1))
    one.raw[:] = many.raw[1:2]
    np.testing.assert_array_equal(obs.build(one)[0], out[1])


def test_the_layout_hash_is_that_of_the_trained_policies() -> None:
    hashes = [LocalObs((0, 1), size).layout_hash for size in (1, 2, 3)]
    assert LocalObs((1, 0)).layout_hash == hashes[0]
    # Trained policies rely on it: whoever changes the layout changes this line on purpose.
    assert hashes == ["77d794990f8ba69f", "f0dd92e7bcb30581", "34586d32f157e96e"]
