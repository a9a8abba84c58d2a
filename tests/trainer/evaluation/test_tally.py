import numpy as np
import pytest

from rlbot_agent.state import GameState
from trainer.evaluation.tally import Side, Tally
from trainer.events import Events

TEAMS = (0, 0, 1)
PLAYING = np.array([True])


class Match:
    """One game of two blue cars and an orange one, decision by decision."""

    def __init__(self) -> None:
        self.tally, self.decisions = Tally(1, TEAMS), 0
        self.before, self.state = GameState(1, TEAMS), GameState(1, TEAMS)
        self.events = Events.none(1, 3)

    def decide(
        self, touched: tuple[int, ...] = (), ball: tuple[float, ...] = (0, 0, 93, 0, 0, 0)
    ) -> None:
        """A decision in which cars touched the ball, which then has this place and velocity."""
        self.state.ball_position[:], self.state.ball_velocity[:] = ball[:3], ball[3:]
        self.events.touched[:] = False
        self.events.touched[0, list(touched)] = True
        self.tally.add(self.before, self.state, self.events, PLAYING)
        self.decisions += 1
        self.before.raw[:] = self.state.raw
        self.events.clear(np.array([0]))

    def sides(self) -> tuple[Side, Side]:
        return self.tally.side(0, 0, self.decisions), self.tally.side(0, 1, self.decisions)


SHOT = (0.0, 3120.0, 93.0, 0.0, 2000.0, 0.0)
WIDE = (0.0, 3120.0, 93.0, 2000.0, 2000.0, 0.0)


def test_a_touch_that_sends_the_ball_to_the_goal_is_one_shot_and_who_stops_it_saves() -> None:
    match = Match()
    match.decide(touched=(1,), ball=SHOT)
    match.decide(touched=(0,), ball=SHOT)  # still on its way: no second shot
    match.decide(ball=SHOT)
    match.decide(touched=(2,), ball=WIDE)
    blue, orange = match.sides()
    assert (blue.shots, blue.saves, blue.touches) == (1, 0, 2)
    assert (orange.shots, orange.saves, orange.touches) == (0, 1, 1)


def test_a_shot_that_misses_by_itself_was_saved_by_nobody() -> None:
    match = Match()
    match.decide(touched=(1,), ball=SHOT)
    match.decide(ball=WIDE)
    match.decide(touched=(2,), ball=WIDE)
    assert match.sides()[1].saves == 0


def test_a_goal_is_no_save_and_a_tap_in_from_the_line_is_a_shot() -> None:
    match = Match()
    match.decide(ball=(0, 5100, 93, 0, 0, 0))
    match.events.goal[:] = 1
    match.decide(touched=(0, 2), ball=(0, 5230, 93, 0, 500, 0))
    blue, orange = match.sides()
    assert (blue.goals, blue.shots, orange.goals, orange.saves) == (1, 1, 0, 0)


def test_who_touched_the_ball_last_and_alone_has_it_until_a_kickoff() -> None:
    match = Match()
    match.decide()
    match.decide(touched=(1,))
    match.decide()
    match.decide(touched=(1, 2))  # both: blue keeps it
    match.decide(touched=(2,))
    match.tally.kick_off(np.array([0]))
    match.decide()
    blue, orange = match.sides()
    assert (blue.possession, orange.possession) == (3 / 6, 1 / 6)


def test_boost_is_counted_where_a_car_gains_it_from_a_pad_or_loses_it() -> None:
    match = Match()
    match.before.boost[:] = 50, 50, 20
    match.state.boost[:] = 47, 50, 30
    match.events.pickups[0, 2] = 1
    match.decide()
    match.state.boost[:] = 47, 90, 30  # 40 that no pad gave
    match.decide()
    match.state.boost[:] = 47, 90, 33.3
    match.before.demo_timer[0, 2] = 0.1  # comes back
    match.decide()
    blue, orange = match.sides()
    assert blue.boost_used == 3 / 2  # a mean over its two cars
    assert blue.boost_collected == 0
    assert (orange.boost_used, orange.boost_collected, orange.pickups) == (0, 10, 1)


def test_speed_and_rewards_are_means_over_decisions_and_cars() -> None:
    match = Match()
    match.state.velocity[0, 0] = 300, 400, 0
    match.events.demos[0, 1] = 1
    match.decide(touched=(0,))
    match.decide()
    blue, orange = match.sides()
    assert blue.speed == pytest.approx(500 / 2)
    assert blue.rewards["touch"] == 1 / 4
    assert blue.rewards["demo"] == 1 / 4
    assert (blue.demos, orange.demos, orange.rewards["touch"]) == (1, 0, 0)


def test_a_game_that_is_over_counts_no_more() -> None:
    match = Match()
    match.decide(touched=(0,))
    match.events.touched[:] = True
    match.events.goal[:] = 1
    match.tally.add(match.before, match.state, match.events, ~PLAYING)
    assert (match.sides()[0].touches, match.sides()[0].goals) == (1, 0)
