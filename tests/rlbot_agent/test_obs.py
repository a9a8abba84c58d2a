"""Ours against RLGym's own engine and observation builder, reading the very same arenas."""

import numpy as np
import pytest
from rlgym.rocket_league.obs_builders import DefaultObs as RLGymObs
from rlgym.rocket_league.sim import RocketSimEngine

from rlbot_agent.field import NUM_PADS, PAD_POSITIONS
from rlbot_agent.obs import DefaultObs
from rlbot_agent.state import GameState
from trainer.config import ResetsConfig
from trainer.meshes import find_meshes
from trainer.resets import draw_starts
from trainer.sim import Simulator

ARENAS = 8
DECISIONS = 150


def engine_on(sim: Simulator, arena: int) -> RocketSimEngine:
    """RLGym's engine, looking at an arena of ours; its agents are our car indices."""
    engine = RocketSimEngine.__new__(RocketSimEngine)
    cars = sim.cars[arena]
    engine._arena = sim.arenas[arena]
    engine._cars = dict(enumerate(cars))
    engine._agent_ids = {car.id: index for index, car in enumerate(cars)}
    engine._hitboxes = {car.id: 0 for car in cars}
    engine._touches = {car.id: 0 for car in cars}
    engine._tick_count = 0
    engine._game_config = None
    return engine


def rlgym_obs(engine: RocketSimEngine, zero_padding: int | None) -> np.ndarray:
    """(P, D) what RLGym shows its agents."""
    agents = list(engine._cars)
    seen = RLGymObs(zero_padding=zero_padding).build_obs(agents, engine._get_state(), {})
    return np.array([seen[agent] for agent in agents])


@pytest.mark.parametrize(
    "teams",
    [(0, 1), (0, 0, 1, 1), (0, 0, 0, 1, 1, 1), (0, 1, 0, 1), (1, 0, 0)],
    ids=["1v1", "2v2", "3v3", "interleaved", "uneven"],
)
def test_every_agent_sees_what_rlgym_would_show_it(teams: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    sim = Simulator(ARENAS, teams, 8, 1, find_meshes(""), rng)
    engines = [engine_on(sim, arena) for arena in range(ARENAS)]
    plain, padded = DefaultObs(teams), DefaultObs(teams, max_team_size=3)
    arenas = np.arange(ARENAS)
    worst, demolished, airborne, flipped, held = 0.0, 0, 0, 0, 0
    sim.reset(arenas, draw_starts(ARENAS, teams, ResetsConfig(), rng))
    for decision in range(DECISIONS):
        if decision % 50 == 25:  # mid-game resets are compared before the next step
            half = arenas[::2]
            sim.reset(half, draw_starts(len(half), teams, ResetsConfig(), rng))
        for builder, padding in ((plain, None), (padded, 3)):
            expected = np.array([rlgym_obs(engine, padding) for engine in engines])
            worst = max(worst, float(np.abs(builder.build(sim.state) - expected).max()))
        demolished += int((sim.state.demo_timer > 0).sum())
        airborne += int((sim.state.on_ground == 0).sum())
        flipped += int(sim.state.is_flipping.sum())
        held += int((sim.state.pad_timers > 0).sum())
        if decision % 60 == 5:
            for cars in sim.cars[:4]:
                cars[decision % len(teams)].demolish()
        sim.step(rng.integers(0, 90, (ARENAS, len(teams))))
    assert worst <= 1e-6
    assert ARENAS * DECISIONS >= 1000
    assert min(demolished, airborne, flipped, held) >= 20


def test_the_width_is_52_and_20_for_each_car_or_place() -> None:
    assert DefaultObs((0, 1)).width == 92
    assert DefaultObs((0, 0, 1, 1)).width == 132
    assert DefaultObs((0, 1), max_team_size=3).width == 52 + 6 * 20


def test_a_given_array_is_filled_and_returned() -> None:
    state = GameState(2, (0, 1))
    out = np.ones((2, 2, 92), np.float32)
    assert DefaultObs((0, 1)).build(state, out) is out
    assert not out.any()


def test_orange_sees_the_turned_field_as_blue_would() -> None:
    state = GameState(1, (0, 1))
    # The ball 2300 uu in front of blue's right corner, and the pad there taken a second ago.
    state.ball_position[0] = (1150, -2300, 230)
    taken = int(np.flatnonzero((PAD_POSITIONS == (3072, -4096)).all(axis=1))[0])
    state.pad_timers[0, taken] = 9
    blue, orange = DefaultObs((0, 1)).build(state)[0]
    np.testing.assert_allclose(blue[:3], (0.5, -1, 0.1), atol=1e-6)
    np.testing.assert_allclose(orange[:3], (-0.5, 1, 0.1), atol=1e-6)
    assert blue[9 + taken] == pytest.approx(0.9)
    assert orange[9 + NUM_PADS - 1 - taken] == pytest.approx(0.9)


def test_terms_name_every_column_in_order() -> None:
    obs = DefaultObs((0, 0, 1, 1))
    state = GameState(1, (0, 0, 1, 1))
    state.boost[0] = (10, 20, 30, 40)
    seen = obs.build(state)[0, 3]
    starts = np.cumsum([0, *(term.width for term in obs.terms)])
    columns = {term.name: start for term, start in zip(obs.terms, starts, strict=False)}
    assert starts[-1] == obs.width
    # Car 3 sees itself, then its mate (car 2), then the opponents by index.
    names = ("own.boost", "other1.boost", "other2.boost", "other3.boost")
    np.testing.assert_allclose(
        [seen[columns[name]] for name in names], (0.4, 0.3, 0.1, 0.2), rtol=1e-6
    )


def test_the_layout_hash_tells_layouts_apart_and_nothing_else() -> None:
    one_on_one = DefaultObs((0, 1)).layout_hash
    assert len(one_on_one) == 16
    assert DefaultObs((1, 0)).layout_hash == one_on_one
    others = [DefaultObs((0, 0, 1, 1)), DefaultObs((0, 1), 1), DefaultObs((0, 1), 3)]
    assert len({one_on_one, *(obs.layout_hash for obs in others)}) == 4
    # A trained policy relies on it: whoever changes the layout changes this line on purpose.
    assert one_on_one == "5651cf4774e53ace"


def test_a_team_that_does_not_fit_the_padding_is_refused() -> None:
    with pytest.raises(ValueError, match="3 cars does not fit max_team_size 2"):
        DefaultObs((0, 0, 0, 1), max_team_size=2)
