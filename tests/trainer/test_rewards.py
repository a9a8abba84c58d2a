from pathlib import Path

import numpy as np
import pytest

from rlbot_agent.state import GameState
from trainer import rewards
from trainer.config import RewardsConfig
from trainer.events import Events
from trainer.rewards import REWARDS, Reward, build_rewards

TEAMS = (0, 1)


def game(teams: tuple[int, ...] = TEAMS, **fields: object) -> GameState:
    """Two arenas of zeros except for `fields`, which broadcast."""
    state = GameState(2, teams)
    for name, value in fields.items():
        getattr(state, name)[:] = value
    return state


def happened(**fields: object) -> Events:
    events = Events.none(2, 2)
    for name, value in fields.items():
        getattr(events, name)[:] = value
    return events


def paid(
    reward: Reward,
    state: GameState | None = None,
    previous: GameState | None = None,
    events: Events | None = None,
) -> list[list[float]]:
    values = reward(state or game(), previous or game(), events or happened())
    assert values.dtype == np.float32
    assert values.shape == (2, 2)
    return [[pytest.approx(value, abs=1e-6) for value in row] for row in values.tolist()]


def test_a_goal_pays_the_scoring_team_and_costs_the_other() -> None:
    # Blue scores in arena 0, orange in arena 1.
    events = happened(goal=[1, -1])
    assert paid(rewards.goal, events=events) == [[1, 0], [0, 1]]
    assert paid(rewards.concede, events=events) == [[0, 1], [1, 0]]


def test_no_goal_pays_and_costs_nothing() -> None:
    assert paid(rewards.goal) == [[0, 0], [0, 0]]
    assert paid(rewards.concede) == [[0, 0], [0, 0]]


def test_a_goal_is_for_every_car_of_a_team() -> None:
    teams = (0, 1, 0, 1)
    events = Events.none(2, 4)
    events.goal[:] = [-1, 1]
    values = rewards.goal(game(teams), game(teams), events)
    assert values.tolist() == [[0, 1, 0, 1], [1, 0, 1, 0]]


def test_only_the_car_that_touches_is_paid_for_a_touch() -> None:
    events = happened(touched=[[False, True], [True, True]])
    assert paid(rewards.touch, events=events) == [[0, 1], [1, 1]]


def test_speed_toward_the_ball_counts_and_speed_away_costs() -> None:
    # Ball - car is (300, 400, 0), 500 long: direction (0.6, 0.8, 0).
    # Blue: 0.6 * 1150 / 2300 = 0.3. Orange: 0.8 * -575 / 2300 = -0.2.
    state = game(
        ball_position=[300, -600, 100],
        position=[0, -1000, 100],
        velocity=[[1150, 0, 900], [0, -575, 0]],
    )
    assert paid(rewards.velocity_player_to_ball, state) == [[0.3, -0.2]] * 2


def test_full_speed_straight_at_a_ball_overhead_is_one() -> None:
    state = game(ball_position=[0, 0, 1000], velocity=[0, 0, 2300])
    assert paid(rewards.velocity_player_to_ball, state) == [[1, 1]] * 2


def test_the_ball_is_worth_its_speed_toward_the_opponents_goal() -> None:
    # Arena 0: to orange's goal (3000, 4000, 0), 5000 long: (0.6 * 1000 + 0.8 * 2000) / 6000
    # = 2200 / 6000 for blue. To blue's goal (3000, -6240, 0), 6923.7 long:
    # (3000 * 1000 - 6240 * 2000) / 6923.7 / 6000 = -0.2282 for orange.
    # Arena 1 is the same turned by 180 degrees.
    middle = 321.3875
    state = game(
        ball_position=[[-3000, 1120, middle], [3000, -1120, middle]],
        ball_velocity=[[1000, 2000, 0], [-1000, -2000, 0]],
    )
    values = rewards.velocity_ball_to_goal(state, game(), happened())
    np.testing.assert_allclose(values, [[2200 / 6000, -0.2282], [-0.2282, 2200 / 6000]], atol=1e-5)


def test_the_middle_of_the_goal_is_half_its_height_up() -> None:
    # To the goal: (0, 400, 300), 500 long; straight up at 1000: 0.6 * 1000 / 6000 = 0.1.
    state = game(ball_position=[0, 5120 - 400, 321.3875 - 300], ball_velocity=[0, 0, 1000])
    values = rewards.velocity_ball_to_goal(state, game(), happened())
    np.testing.assert_allclose(values[:, 0], 0.1, atol=1e-6)


def test_facing_the_ball_is_the_cosine_between_nose_and_ball() -> None:
    # Direction to the ball (0.6, 0, 0.8). Noses along x, and along -z.
    state = game(ball_position=[300, 50, 400], position=[0, 50, 0])
    state.forward[:] = [[1, 0, 0], [0, 0, -1]]
    assert paid(rewards.face_ball, state) == [[0.6, -0.8]] * 2


def test_a_car_is_in_the_air_when_its_wheels_are_not_on_the_ground() -> None:
    assert paid(rewards.in_air, game(on_ground=[[0, 1], [1, 0]])) == [[1, 0], [0, 1]]


def test_saved_boost_is_worth_its_square_root() -> None:
    # sqrt(0.25), sqrt(0.49), sqrt(1), sqrt(0)
    assert paid(rewards.save_boost, game(boost=[[25, 49], [100, 0]])) == [[0.5, 0.7], [1, 0]]


def test_a_pad_is_worth_the_root_of_what_it_gave() -> None:
    # 16 to 52 gains 36: 0.6; the same gain without a pad (a respawn) is worth nothing;
    # 88 to 100 gains 12: 0.34641; 30 to 29 burnt more than it took: 0.
    state, previous = game(boost=[[52, 52], [100, 29]]), game(boost=[[16, 16], [88, 30]])
    events = happened(pickups=[[1, 0], [1, 2]])
    assert paid(rewards.boost_pickup, state, previous, events) == [[0.6, 0], [0.34641, 0]]


def test_a_demolition_pays_the_car_that_did_it() -> None:
    events = happened(demos=[[0, 1], [2, 0]])
    assert paid(rewards.demo, events=events) == [[0, 1], [1, 0]]


def test_everything_is_finite_and_zero_when_ball_car_and_goal_are_in_one_place() -> None:
    centre = [0, 5120, 321.3875]
    state = game(ball_position=centre, position=centre, velocity=2000, ball_velocity=2000)
    state.forward[:] = [1, 0, 0]
    assert paid(rewards.velocity_player_to_ball, state) == [[0, 0]] * 2
    assert paid(rewards.face_ball, state) == [[0, 0]] * 2
    assert rewards.velocity_ball_to_goal(state, game(), happened())[:, 0].tolist() == [0, 0]


def test_a_demolished_car_earns_nothing_for_where_it_lies() -> None:
    state = game(ball_position=[300, 400, 0], velocity=1000, boost=50, demo_timer=[[0, 2.5]] * 2)
    state.forward[:] = [1, 0, 0]
    for reward in (
        rewards.velocity_player_to_ball,
        rewards.face_ball,
        rewards.in_air,
        rewards.save_boost,
    ):
        values = reward(state, game(), happened())
        assert (values[:, 0] > 0.5).all()
        assert values[:, 1].tolist() == [0, 0]


def test_a_demolished_car_still_earns_what_it_did_and_what_its_team_does() -> None:
    state = game(ball_velocity=[0, 3000, 0], boost=36, demo_timer=3)
    events = happened(touched=True, demos=1, pickups=1, goal=1)
    for reward in (rewards.touch, rewards.demo):
        assert paid(reward, state, events=events) == [[1, 1]] * 2
    assert paid(rewards.boost_pickup, state, events=events) == [[0.6, 0.6]] * 2
    assert paid(rewards.goal, state, events=events) == [[1, 0]] * 2
    assert (rewards.velocity_ball_to_goal(state, game(), events)[:, 0] > 0.4).all()


def test_every_weight_of_the_config_has_its_reward() -> None:
    assert [*REWARDS, "custom"] == list(RewardsConfig.model_fields)


def test_rewards_without_weight_are_left_out_and_the_users_own_come_last(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def constant(state, previous, events):\n    return state.boost * 0 + 7\n"
    )
    config = RewardsConfig(
        touch=0, in_air=0.1, save_boost=0.1, custom={"mine:constant": -0.5, "absent:ignored": 0}
    )
    *ours, own = build_rewards(config, tmp_path, TEAMS)
    assert [reward.name for reward in ours] == [name for name in REWARDS if name != "touch"]
    assert (ours[1].weight, ours[1].function) == (-10, rewards.concede)
    assert (own.name, own.weight) == ("mine:constant", -0.5)
    assert paid(own.function) == [[7, 7], [7, 7]]
