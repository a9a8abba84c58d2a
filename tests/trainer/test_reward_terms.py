import numpy as np
import pytest

from rlbot_agent.state import GameState
from trainer import reward_terms as rewards
from trainer.custom_rewards import Reward
from trainer.events import Events
from trainer.rewards import REWARDS

TEAMS = (0, 1)
ALL = list(REWARDS.values())


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
    for reward in ALL:
        assert np.isfinite(reward(state, game(), happened(touched=True))).all()


def test_a_demolished_car_earns_nothing_for_where_it_lies() -> None:
    state = game(ball_position=[300, 400, 0], velocity=1500, boost=50, demo_timer=[[0, 2.5]] * 2)
    state.forward[:] = [1, 0, 0]
    for reward in (
        rewards.velocity_player_to_ball,
        rewards.face_ball,
        rewards.in_air,
        rewards.save_boost,
        rewards.velocity,
    ):
        values = reward(state, game(), happened())
        assert (values[:, 0] > 0.5).all()
        assert values[:, 1].tolist() == [0, 0]


def test_a_demolished_car_still_earns_what_it_did_and_what_its_team_does() -> None:
    state = game(ball_velocity=[0, 3000, 0], boost=36, demo_timer=3)
    events = happened(touched=True, demos=1, pickups=1, goal=1, bumps=1, bumped=1)
    for reward in (rewards.touch, rewards.demo, rewards.bump, rewards.bumped):
        assert paid(reward, state, events=events) == [[1, 1]] * 2
    assert paid(rewards.boost_pickup, state, events=events) == [[0.6, 0.6]] * 2
    assert paid(rewards.goal, state, events=events) == [[1, 0]] * 2
    assert (rewards.velocity_ball_to_goal(state, game(), events)[:, 0] > 0.4).all()


def test_speed_counts_along_the_nose_only_and_backwards_costs() -> None:
    # Nose (0.6, 0.8, 0). Blue: (0.6 * 1150 + 0.8 * 575) / 2300 = 0.5. Orange: -0.8 * 2300 / 2300.
    state = game(forward=[0.6, 0.8, 0], velocity=[[1150, 575, 900], [0, -2300, 0]])
    assert paid(rewards.velocity, state) == [[0.5, -0.8]] * 2


def test_a_bump_pays_the_bumper_and_marks_its_victim_once_a_decision() -> None:
    events = happened(bumps=[[1, 0], [0, 0]], bumped=[[0, 1], [0, 2]])
    assert paid(rewards.bump, events=events) == [[1, 0], [0, 0]]
    assert paid(rewards.bumped, events=events) == [[0, 1], [0, 1]]


def test_being_demolished_counts_when_it_happens_and_not_while_it_lasts() -> None:
    # Arena 0: demolished in this decision; waiting. Arena 1: back on the field; demolished again
    # in the decision in which it came back.
    previous = game(demo_timer=[[0, 3], [0.05, 0.03]])
    state = game(demo_timer=[[2.97, 2.93], [0, 2.98]])
    assert paid(rewards.demoed, state, previous) == [[1, 0], [0, 1]]


def test_a_wavedash_is_a_landing_in_the_middle_of_a_flip() -> None:
    # Arena 0: landed in a flip; still in the air after it. Arena 1: landed without a flip; a flip
    # that goes on with wheels on something.
    previous = game(is_flipping=[[1, 1], [0, 1]])
    state = game(on_ground=[[1, 0], [1, 1]], is_flipping=[[0, 0], [0, 1]])
    assert paid(rewards.wavedash, state, previous) == [[1, 0], [0, 0]]


def test_coming_back_after_a_demolition_in_a_flip_is_no_wavedash() -> None:
    # RocketSim freezes a demolished car, flip included, until it comes back on its wheels.
    previous = game(is_flipping=1, demo_timer=[[0.02, 0], [0.02, 0]])
    state = game(on_ground=1)
    assert paid(rewards.wavedash, state, previous) == [[0, 1]] * 2


def test_every_car_that_touched_is_paid_for_the_speed_it_gave_the_ball() -> None:
    # |(600, 0, 800)| = 1000 to |(0, -4000, 0)| = 4000: 3000 / 6000. Arena 1 slows down: nothing.
    previous = game(ball_velocity=[[600, 0, 800], [0, 3000, 0]])
    state = game(ball_velocity=[[0, -4000, 0], [0, 0, -2900]])
    everyone, second = happened(touched=True), happened(touched=[[False, True]] * 2)
    assert paid(rewards.touch_accel, state, previous, everyone) == [[0.5, 0.5], [0, 0]]
    assert paid(rewards.touch_accel, state, previous, second) == [[0, 0.5], [0, 0]]
    assert paid(rewards.touch_accel, state, previous) == [[0, 0], [0, 0]]


def test_speed_beyond_the_balls_top_speed_is_worth_no_more() -> None:
    # 3000 to 9000 counts as 0.5 to 1.
    state, previous = game(ball_velocity=[9000, 0, 0]), game(ball_velocity=[3000, 0, 0])
    touched = happened(touched=True)
    assert paid(rewards.touch_accel, state, previous, touched) == [[0.5, 0.5]] * 2
    assert (
        paid(rewards.touch_accel, game(ball_velocity=[9500, 0, 0]), state, touched) == [[0, 0]] * 2
    )


def test_a_strong_touch_is_worth_how_much_the_balls_velocity_changed() -> None:
    # Turned round at the same speed: |(0, -900, 0) - (0, 900, 0)| = 1800 of 3600.
    # |(300, 0, -100) - (0, 0, 300)| = |(300, 0, -400)| = 500, just strong: 500 / 3600.
    previous = game(ball_velocity=[[0, 900, 0], [0, 0, 300]])
    state = game(ball_velocity=[[0, -900, 0], [300, 0, -100]])
    events = happened(touched=[[True, True], [False, True]])
    assert paid(rewards.strong_touch, state, previous, events) == [[0.5, 0.5], [0, 500 / 3600]]


@pytest.mark.parametrize(("change", "worth"), [(0, 0), (499, 0), (3600, 1), (6000, 1)])
def test_a_weak_touch_is_worth_nothing_and_the_hardest_one_is_one(
    change: float, worth: float
) -> None:
    state = game(ball_velocity=[0, change, 0])
    values = rewards.strong_touch(state, game(), happened(touched=True))
    assert values.tolist() == [[worth, worth]] * 2


def test_the_order_of_the_cars_changes_no_reward() -> None:
    # Three cars of either team; the same game with the cars turned round is paid turned round.
    teams, rng = (0, 1, 1), np.random.default_rng(0)
    state, previous, events = GameState(2, teams), GameState(2, teams), Events.none(2, 3)
    for raw in (state.raw, previous.raw):
        raw[:] = rng.uniform(0, 3, raw.shape)
    for happened_to in vars(events).values():
        happened_to[:] = rng.integers(0, 2, happened_to.shape)
    turned = [GameState(2, teams[::-1]) for _ in range(2)]
    for there, here in zip(turned, (state, previous), strict=True):
        there.raw[:] = here.raw
        there.cars[:] = here.cars[:, ::-1]
    back = {name: value[:, ::-1] for name, value in vars(events).items() if value.ndim == 2}
    for reward in ALL:
        values = reward(state, previous, events)
        again = reward(*turned, Events(**{**vars(events), **back}))
        np.testing.assert_array_equal(again[:, ::-1], values)
