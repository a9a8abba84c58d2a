"""The watched game keeps score, starts over, and shows what the simulator holds."""

import math

import numpy as np
import pytest

from rlbot_agent.actions import ACTION_TABLE, BOOST, NUM_ACTIONS, action_masks
from rlbot_agent.obs import DefaultObs
from tests.trainer.tiny import tiny_config
from trainer.frames import ALL_PADS
from trainer.resets import Starts, kickoff_starts
from trainer.viewer_game import Game

IDLE = int(np.flatnonzero((ACTION_TABLE == 0).all(axis=1))[0])


def make_game(*settings: str) -> Game:
    game = Game(tiny_config(*settings), np.random.default_rng(5))
    game.kickoff()
    return game


def idle(game: Game) -> str:
    return game.play(np.full(2, IDLE))


def shot(toward_y: float) -> Starts:
    """A ball that flies over everybody into the goal at `toward_y`."""
    starts = kickoff_starts(1, (0, 1), np.random.default_rng(0))
    starts.ball_position[0] = (0.0, math.copysign(4900.0, toward_y), 400.0)
    starts.ball_velocity[0] = (0.0, math.copysign(3000.0, toward_y), 0.0)
    return starts


@pytest.mark.parametrize(
    ("toward_y", "score", "sentence"),
    [(5120.0, [1, 0], "Blue scores"), (-5120.0, [0, 1], "Orange scores")],
)
def test_a_goal_counts_for_the_team_that_attacks_it(
    toward_y: float, score: list[int], sentence: str
) -> None:
    game = make_game()
    game.simulator.reset(np.zeros(1, np.int64), shot(toward_y))
    # 5215.5 - 4900 uu at 3000 uu/s are 12.6 ticks: the second decision of 8.
    assert (idle(game), idle(game)) == ("", sentence)
    assert game.score == score
    game.kickoff()
    assert game.picture(0, False).ball_y == 0.0
    assert (game.picture(0, False).blue, game.picture(0, False).orange) == tuple(score)


def test_a_ball_that_nobody_touches_is_kicked_off_again() -> None:
    # 0.2 s are 24 ticks, three decisions of 8.
    game = make_game("episodes.no_touch_s=0.2")
    assert [idle(game) for _ in range(3)] == ["", "", "Nobody touched the ball"]
    game.kickoff()
    assert [idle(game) for _ in range(3)] == ["", "", "Nobody touched the ball"]


def test_without_a_limit_the_ball_may_lie_for_ever() -> None:
    game = make_game("episodes.no_touch_s=0")
    assert {idle(game) for _ in range(200)} == {""}


def test_a_touch_gives_the_rally_new_time() -> None:
    game = make_game("episodes.no_touch_s=0.2")
    drop_on_blue(game)
    # It falls about 180 uu, at 2000 uu/s in 11 ticks, on the car: in the second decision.
    assert [idle(game) for _ in range(4)] == [""] * 4


def drop_on_blue(game: Game) -> None:
    """A ball that blue's roof meets in the second decision."""
    starts = kickoff_starts(1, (0, 1), np.random.default_rng(0))
    starts.ball_position[0] = starts.car_position[0, 0] + (0.0, 0.0, 300.0)
    starts.ball_velocity[0] = (0.0, 0.0, -2000.0)
    game.simulator.reset(np.zeros(1, np.int64), starts)


def test_a_touch_is_in_the_pictures_until_it_was_shown() -> None:
    game = make_game()
    drop_on_blue(game)
    touched = []
    for _ in range(4):
        idle(game)
        touched.append([car.touched for car in game.picture(0, False).cars])
    assert touched == [[False, False], [True, False], [True, False], [True, False]]
    game.forget_touches()
    assert not game.picture(0, False).cars[0].touched
    drop_on_blue(game)
    idle(game)
    idle(game)
    game.kickoff()
    assert not game.picture(0, False).cars[0].touched


def test_a_pad_that_was_taken_is_a_bit_that_is_0() -> None:
    game = make_game()
    starts = kickoff_starts(1, (0, 1), np.random.default_rng(0))
    starts.car_position[0, 0] = (0.0, -4240.0, 17.0)  # on the first pad of the table
    starts.car_position[0, 1] = (3584.0, 0.0, 17.0)  # on the nineteenth
    game.simulator.reset(np.zeros(1, np.int64), starts)
    idle(game)
    assert ALL_PADS & ~game.picture(0, False).pads == 1 << 0 | 1 << 18
    game.kickoff()
    assert game.picture(0, False).pads == ALL_PADS


def test_rallies_are_counted() -> None:
    game = make_game()
    game.kickoff()
    assert game.picture(0, False).rally == 2


@pytest.mark.parametrize("mode", ["1v1", "2v2", "1v2"])
def test_the_cars_see_what_they_saw_in_training(mode: str) -> None:
    game = make_game(f"sim.modes.{mode}=1", "sim.max_team_size=3")
    obs, masks = game.see()
    state = game.simulator.state
    assert np.array_equal(obs, DefaultObs(state.teams, 3).build(state)[0])
    assert np.array_equal(masks, action_masks(state)[0])
    assert not masks.all()


def test_without_masks_every_action_is_possible() -> None:
    _, masks = make_game("sim.action_masks=false").see()
    assert masks.shape == (2, NUM_ACTIONS)
    assert masks.all()


@pytest.mark.parametrize("delay", [0, 1, 7])
def test_an_action_takes_over_after_the_delay_of_training(delay: int) -> None:
    game = make_game(f"sim.action_delay={delay}")
    boosting = np.full(2, int(np.flatnonzero(ACTION_TABLE[:, BOOST] > 0)[0]))
    # A full tank of 100 lasts 3 s, 360 ticks: first 8 less the delay burn, then all 8.
    game.play(boosting)
    assert game.simulator.state.boost == pytest.approx(100 / 3 - (8 - delay) * 100 / 360, abs=1e-3)
    game.play(boosting)
    assert game.simulator.state.boost == pytest.approx(100 / 3 - (16 - delay) * 100 / 360, abs=1e-3)


def test_a_picture_shows_ball_cars_clock_and_policy() -> None:
    game = make_game()
    starts = kickoff_starts(1, (0, 1), np.random.default_rng(0))
    starts.ball_position[0] = (100.0, -200.0, 1000.0)
    starts.car_position[0, 1] = (300.0, 400.0, 500.0)
    starts.car_rotation[0, 1] = (0.5, 2.0, -1.0)
    starts.car_boost[0] = (12.0, 0.0)
    game.simulator.reset(np.zeros(1, np.int64), starts)
    frame = game.picture(77, True, "a note")
    assert (frame.ball_x, frame.ball_y, frame.ball_z) == (100.0, -200.0, 1000.0)
    assert (frame.steps, frame.deterministic, frame.note, frame.time_s) == (77, True, "a note", 0.0)
    blue, orange = frame.cars
    assert (blue.team, blue.boost, blue.on_ground, blue.demolished) == (0, 12.0, True, False)
    assert (orange.team, orange.x, orange.y, orange.z) == (1, 300.0, 400.0, 500.0)
    assert (orange.pitch, orange.yaw, orange.roll) == (0.5, 2.0, -1.0)
    assert not orange.on_ground
    assert (frame.pads, frame.rally) == (ALL_PADS, 1)
    idle(game)
    assert game.picture(0, False).time_s == pytest.approx(8 / 120, abs=0.001)
