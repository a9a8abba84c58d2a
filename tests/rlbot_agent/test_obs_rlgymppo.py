"""Against a builder of one car at a time, written from the Rust trainer's specification alone."""

import numpy as np
import pytest

from rlbot_agent.field import PAD_POSITIONS
from rlbot_agent.observation import make_observation
from rlbot_agent.state import GameState
from trainer.config import ResetsConfig
from trainer.meshes import find_meshes
from trainer.resets import draw_starts
from trainer.sim import Simulator

NAMES = ("rlgymppo_default", "rlgymppo_advanced")


def slow_block(state: GameState, arena: int, car: int, turn: bool, divisors: list[float]) -> list:
    """The 22 numbers of one car."""
    respawn = float(state.demo_timer[arena, car]) / 3
    if respawn > 0:
        return [0.0] * 21 + [respawn]
    flip = np.array([-1, -1, 1]) if turn else np.ones(3)
    used = state.has_flipped[arena, car] or state.has_double_jumped[arena, car]
    in_time = state.air_time_since_jump[arena, car] < 1.25
    ground = bool(state.on_ground[arena, car])
    return [
        *(state.position[arena, car] * flip / divisors),
        *(state.forward[arena, car] * flip),
        *(state.up[arena, car] * flip),
        *(state.velocity[arena, car] * flip / 6000),
        *(state.angular_velocity[arena, car] * flip / 6),
        state.boost[arena, car] / 100,
        float(ground),
        float(ground or (in_time and not used)),
        state.is_auto_flipping[arena, car],
        state.air_time_since_jump[arena, car],
        state.handbrake[arena, car],
        0.0,
    ]


def slow_obs(state: GameState, arena: int, me: int, size: int, advanced: bool) -> list[float]:
    """One car's observation."""
    teams = state.teams
    turn = teams[me] == 1
    flip = np.array([-1, -1, 1]) if turn else np.ones(3)
    divisors = [4096, 6000, 2044] if advanced else [6000, 6000, 6000]
    seen = [
        *(state.ball_position[arena] * flip / divisors),
        *(state.ball_velocity[arena] * flip / 6000),
        *(state.ball_angular_velocity[arena] * flip / 6),
    ]
    if advanced:
        pads = [(y, x, t) for (x, y), t in zip(PAD_POSITIONS, state.pad_timers[arena], strict=True)]
        pads.sort()
        if turn:
            pads.reverse()
        seen += [timer / 10 for _, _, timer in pads]
    for same_team, places in ((True, size - 1), (False, size)):
        blocks = [
            slow_block(state, arena, car, turn, divisors)
            for car in range(len(teams))
            if car != me and (teams[car] == teams[me]) is same_team
        ]
        if same_team:
            seen += slow_block(state, arena, me, turn, divisors)
        for block in blocks + [[0.0] * 22] * (places - len(blocks)):
            seen += block
    return seen


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("teams", "max_team_size", "size"),
    [((0, 1), 0, 1), ((0, 1), 3, 3), ((0, 1, 0, 1), 0, 2), ((1, 0, 0), 0, 2), ((1, 0, 0), 3, 3)],
)
def test_every_agent_sees_what_the_specification_says(
    name: str, teams: tuple[int, ...], max_team_size: int, size: int
) -> None:
    rng = np.random.default_rng(2)
    sim = Simulator(4, teams, 8, 1, find_meshes(""), rng)
    sim.reset(np.arange(4), draw_starts(4, teams, ResetsConfig(), rng))
    builder = make_observation(name, teams, max_team_size)
    demolished = flipless = airborne = gone = 0
    for decision in range(40):
        state = sim.state
        expected = [
            [slow_obs(state, arena, car, size, "adv" in name) for car in range(len(teams))]
            for arena in range(4)
        ]
        np.testing.assert_allclose(builder.build(state), expected, atol=1e-6)
        demolished += int((state.demo_timer > 0).sum())
        airborne += int((state.on_ground == 0).sum())
        flipless += int((state.has_flipped + state.has_double_jumped > 0).sum())
        gone += int((state.pad_timers > 0).sum())
        if decision == 10:
            sim.cars[0][0].demolish()
        sim.step(rng.integers(0, 90, (4, len(teams))))
    assert min(demolished, flipless, airborne, gone) > 5


def test_widths_are_9_and_43_and_44_for_each_place_of_a_team() -> None:
    for size in (1, 2, 3):
        teams = (0,) * size + (1,) * size
        widths = [make_observation(name, teams).width for name in NAMES]
        padded = [make_observation(name, (0, 1), size).width for name in NAMES]
        assert widths == padded == [[53, 87], [97, 131], [141, 175]][size - 1]


def test_numbers_by_hand_from_blue_and_from_orange() -> None:
    state = GameState(1, (0, 1))
    state.ball_position[0] = (2048, -3000, 1022)
    state.position[0] = [(0, -6000, 0), (600, 0, 0)]
    state.velocity[0, 1] = (0, 1500, -600)
    state.boost[0] = (30, 100)
    state.air_time_since_jump[0] = (1.3, 0.5)
    state.pad_timers[0, 13] = 4  # (0, -1024), which comes after (-2048, -1036), (2048, -1036)
    blue, orange = make_observation("rlgymppo_advanced", (0, 1)).build(state)[0]
    np.testing.assert_allclose(blue[:3], (0.5, -0.5, 0.5))
    np.testing.assert_allclose(orange[:3], (-0.5, 0.5, 0.5))
    assert np.flatnonzero(blue[9:43]).tolist() == [14]
    assert np.flatnonzero(orange[9:43]).tolist() == [33 - 14]
    assert blue[9 + 14] == pytest.approx(0.4)
    own, opponent = blue[43:65], blue[65:]
    np.testing.assert_allclose(own[:3], (0, -1, 0))
    assert own[15] == pytest.approx(0.3)
    assert own[17] == 0  # neither wheels nor time for a flip
    np.testing.assert_allclose(opponent[:3], (600 / 4096, 0, 0))
    np.testing.assert_allclose(opponent[9:12], (0, 0.25, -0.1))
    assert opponent[17:20].tolist() == [1, 0, 0.5]
    np.testing.assert_allclose(orange[43 + 9 : 43 + 12], (0, -0.25, -0.1))


def test_of_a_demolished_car_only_its_return_is_seen() -> None:
    state = GameState(1, (0, 1))
    state.cars[:] = 1
    state.demo_timer[0] = (1.5, 0)
    blue, orange = make_observation("rlgymppo_default", (0, 1)).build(state)[0]
    assert blue[9:31].tolist() == orange[31:53].tolist() == [0] * 21 + [0.5]
    assert (blue[31:52] != 0).sum() == 21  # the other car is seen


def test_a_given_array_is_filled_and_returned() -> None:
    state = GameState(2, (0, 1))
    out = np.ones((2, 2, 53), np.float32)
    assert make_observation("rlgymppo_default", (0, 1)).build(state, out) is out
    # All zero but the flip that an unused car has: own and the opponent's.
    assert out.sum() == out[..., [26, 48]].sum() == 8


def test_the_layout_hash_is_that_of_the_trained_policies() -> None:
    hashes = [make_observation(name, (0, 1), size).layout_hash for name in NAMES for size in (1, 3)]
    assert len(set(hashes)) == 4
    # Trained policies rely on it: whoever changes the layout changes this line on purpose.
    assert hashes == [
        "20ebe591681f302a",
        "c3b4520b4631e615",
        "3d256ea761ba7c55",
        "27fd79bd254ed05a",
    ]
