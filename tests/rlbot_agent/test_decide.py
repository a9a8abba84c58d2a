from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest

from rlbot_agent.actions import ACTION_TABLE
from rlbot_agent.decide import MatchError, Pilot, untrained
from rlbot_agent.state import Array
from tests.rlbot_agent.game import (
    ACTIVE,
    COUNTDOWN,
    GOAL_SCORED,
    KICKOFF,
    PAUSED,
    field_pads,
    held,
    packet,
    player,
)
from tests.trainer.tiny import tiny_config
from trainer.checkpoint import contract_of

CONTRACT = contract_of(tiny_config("sim.tick_skip=4"), 0)  # 1v1, a delay of 1


class Counting:
    """Chooses 0, 1, 2, ... and keeps what it was asked."""

    def __init__(self) -> None:
        self.contract = CONTRACT
        self.asked: list[Array] = []

    def act(self, obs: Array, masks: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
        assert obs.shape == (1, self.contract.obs_width)
        assert masks.shape == (1, 90)
        self.asked.append(obs[0].copy())
        return np.array([len(self.asked) - 1])


@pytest.fixture
def policy() -> Counting:
    return Counting()


@pytest.fixture
def pilot(policy: Counting) -> Pilot:
    return Pilot(policy, field_pads())


def show(pilot: Pilot, frames: range | list[int], phase: int) -> list[int | None]:
    return [pilot.respond(packet(frame, phase=phase), 0) for frame in frames]


def test_it_drives_in_kickoffs_and_play_and_keeps_still_elsewhere(pilot: Pilot) -> None:
    assert show(pilot, range(10, 13), COUNTDOWN) == [None] * 3
    assert show(pilot, range(13, 17), KICKOFF) == [None, 0, 0, 0]
    assert show(pilot, range(17, 21), ACTIVE) == [0, 1, 1, 1]
    assert show(pilot, range(21, 24), GOAL_SCORED) == [None] * 3


def test_a_kickoff_starts_the_grid_anew_even_right_after_play(pilot: Pilot) -> None:
    show(pilot, range(10, 13), ACTIVE)
    assert show(pilot, range(13, 16), KICKOFF) == [None, 1, 1]  # 13 decides, not 14


def test_history_ends_with_play(pilot: Pilot, policy: Counting) -> None:
    braking = player(last_input=held(handbrake=True))
    opponent = player(team=1, player_id=7)
    for frame in range(10, 35):
        pilot.respond(packet(frame, braking, opponent), 0)
    show(pilot, [35], GOAL_SCORED)
    pilot.respond(packet(36, braking, opponent), 0)
    # Columns: ball 9, pads 34, is_holding_jump 1, then the handbrake.
    assert policy.asked[-2][44] == pytest.approx(1.0)
    assert policy.asked[-1][44] == 0


def test_frames_that_go_backwards_do_not_stall_it(pilot: Pilot) -> None:
    show(pilot, range(9000, 9010), ACTIVE)  # decides on 9000, 9004, 9008
    assert show(pilot, range(10, 19), ACTIVE) == [None, 3, 3, 3, 3, 4, 4, 4, 4]


def test_a_pause_keeps_the_history_and_holds_nothing(pilot: Pilot) -> None:
    assert show(pilot, range(10, 13), ACTIVE) == [None, 0, 0]
    assert show(pilot, [13, 13, 13], PAUSED) == [None] * 3
    assert show(pilot, range(13, 16), ACTIVE) == [0, 0, 1]


def test_a_packet_without_a_ball_is_answered_with_neutral_controls(pilot: Pilot) -> None:
    without_ball = packet(10)
    without_ball.balls = []
    assert pilot.respond(without_ball, 0) is None


def test_each_car_sees_the_field_from_its_own_side(policy: Counting) -> None:
    shown = packet(10)
    shown.balls[0].physics.location.y = 2300.0
    Pilot(policy, field_pads()).respond(shown, 0)
    Pilot(policy, field_pads()).respond(shown, 1)
    assert (policy.asked[0][1], policy.asked[1][1]) == (1.0, -1.0)  # 2300 / 2300


@pytest.mark.parametrize(("teams", "sizes"), [((0, 1, 1), "1v2"), ((0, 0), "2v0"), ((1,), "0v1")])
def test_a_match_of_another_size_is_refused_with_both_sizes(
    pilot: Pilot, teams: tuple[int, ...], sizes: str
) -> None:
    players = [player(team=team, player_id=car) for car, team in enumerate(teams)]
    with pytest.raises(MatchError, match=f"trained for 1v1, it does not move in {sizes}"):
        pilot.respond(packet(10, *players), 0)


def test_a_padded_policy_plays_every_size_up_to_its_largest(policy: Counting) -> None:
    policy.contract = contract_of(tiny_config("sim.max_team_size=2"), 0)
    pilot = Pilot(policy, field_pads())

    def players(*teams: int) -> list[SimpleNamespace]:
        return [player(team=team, player_id=car) for car, team in enumerate(teams)]

    pilot.respond(packet(10, *players(0, 1)), 0)
    assert pilot.warning == ""
    pilot.respond(packet(20, *players(0, 1, 1)), 0)
    assert pilot.warning == "this policy was trained in 1v1, it plays 1v2 untrained"
    pilot.respond(packet(25, *players(0, 1)), 0)
    assert pilot.warning == ""
    pilot.respond(packet(26, *players(0, 0, 1, 1)), 0)
    with pytest.raises(MatchError, match="trained for up to 2v2, it does not move in 3v1"):
        pilot.respond(packet(30, *players(0, 0, 0, 1)), 0)


@pytest.mark.parametrize(
    ("teams", "warns"),
    [((0, 1), False), ((1, 0, 0), False), ((0, 1, 1), False), ((0, 0, 1, 1), True)],
)
def test_a_mode_is_trained_from_both_sides(teams: tuple[int, ...], warns: bool) -> None:
    contract = contract_of(tiny_config("sim.modes={1v1=1, 1v2=1}"), 0)
    assert untrained(contract, teams).startswith("this policy was trained in 1v1, 1v2") == warns
    assert bool(untrained(contract, teams)) == warns


def test_every_decision_is_told_with_what_was_skipped(policy: Counting) -> None:
    told: list[tuple[int, int, int, int]] = []
    pilot = Pilot(policy, field_pads(), lambda *row: told.append(row[:4]))
    show(pilot, [10, 11, 14, 15, 20], ACTIVE)
    assert told == [(10, 0, 0, 0), (14, 0, 1, 2), (20, 0, 2, 6)]


def test_the_bot_sees_the_controls_it_chose_last_and_forgets_them_with_play(
    policy: Counting,
) -> None:
    policy.contract = contract_of(tiny_config("sim.tick_skip=4", "sim.observation=local"), 0)
    pilot = Pilot(policy, field_pads())
    show(pilot, range(10, 22), ACTIVE)  # chooses the rows 0, 1, 2 in the frames 10, 14, 18
    show(pilot, [22], GOAL_SCORED)
    show(pilot, [23], KICKOFF)
    start = 15 + 8  # ball 6, position and axes 9, and eight numbers of its own
    seen = [obs[start : start + 8].tolist() for obs in policy.asked]
    nothing = [0.0] * 8
    assert seen == [nothing, ACTION_TABLE[0].tolist(), ACTION_TABLE[1].tolist(), nothing]
