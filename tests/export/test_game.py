from itertools import groupby

import numpy as np
import pytest
from rlbot import flat

from export.game import COUNTDOWN_TICKS, FIRST_FRAME, GOAL_TICKS, NEUTRAL, Game
from rlbot_agent.actions import ACTION_TABLE
from trainer.meshes import find_meshes
from trainer.sim import Simulator

COUNTDOWN, KICKOFF, ACTIVE, GOAL, ENDED = (
    flat.MatchPhase.Countdown,
    flat.MatchPhase.Kickoff,
    flat.MatchPhase.Active,
    flat.MatchPhase.GoalScored,
    flat.MatchPhase.Ended,
)


def make_game(seconds: float) -> tuple[Game, Simulator]:
    rng = np.random.default_rng(0)
    sim = Simulator(1, (0, 1), 1, 0, find_meshes(""), rng)
    return Game(sim, seconds, rng), sim


def run(game: Game, ticks: int) -> list[flat.MatchPhase]:
    phases = []
    for _ in range(ticks):
        phases.append(game.phase)
        game.advance([NEUTRAL, NEUTRAL])
    return phases


def shoot(sim: Simulator, y: float) -> None:
    """Put the ball into a goal."""
    ball = sim.arenas[0].ball.get_state()
    ball.pos = type(ball.pos)(0, y, 300)
    sim.arenas[0].ball.set_state(ball)


def runs(phases: list[flat.MatchPhase]) -> list[tuple[flat.MatchPhase, int]]:
    return [(phase, len(list(same))) for phase, same in groupby(phases)]


def test_the_neutral_row_touches_nothing() -> None:
    assert not ACTION_TABLE[NEUTRAL].any()


def test_an_untouched_kickoff_becomes_play_after_two_seconds_and_time_ends_the_match() -> None:
    game, _ = make_game(seconds=3)
    phases = run(game, COUNTDOWN_TICKS + 360)
    assert runs(phases) == [(COUNTDOWN, COUNTDOWN_TICKS), (KICKOFF, 240), (ACTIVE, 120)]
    assert game.phase == ENDED
    assert game.moment.seconds_left == 0


def test_nothing_moves_in_a_countdown() -> None:
    game, sim = make_game(seconds=3)
    before = sim.state.raw.copy()
    for _ in range(COUNTDOWN_TICKS):
        game.advance([18, 18])
    assert np.array_equal(sim.state.raw, before)
    game.advance([18, 18])
    assert not np.array_equal(sim.state.raw, before)
    assert set(game.played) == {FIRST_FRAME + COUNTDOWN_TICKS}
    assert np.array_equal(game.played[FIRST_FRAME + COUNTDOWN_TICKS], before[0])


@pytest.mark.parametrize(("y", "score"), [(5300, [1, 0]), (-5300, [0, 1])])
def test_a_goal_counts_once_and_leads_to_a_new_kickoff(y: float, score: list[int]) -> None:
    game, sim = make_game(seconds=3)
    run(game, COUNTDOWN_TICKS + 10)
    shoot(sim, y)
    phases = run(game, 1 + GOAL_TICKS + COUNTDOWN_TICKS + 1)
    assert runs(phases) == [
        (KICKOFF, 1),
        (GOAL, GOAL_TICKS),
        (COUNTDOWN, COUNTDOWN_TICKS),
        (KICKOFF, 1),
    ]
    assert game.score == score
    assert game.moment.score == tuple(score)
    assert abs(sim.state.ball_position[0, 1]) < 1


def test_a_goal_on_the_last_frame_counts() -> None:
    game, sim = make_game(seconds=0.5)
    run(game, COUNTDOWN_TICKS + 59)
    shoot(sim, 5300)
    run(game, 1)
    assert (game.phase, game.score) == (ENDED, [1, 0])


def test_a_touch_ends_the_kickoff() -> None:
    game, sim = make_game(seconds=3)
    run(game, COUNTDOWN_TICKS)
    car, ball = sim.cars[0][0].get_state(), sim.arenas[0].ball.get_state()
    car.pos = type(car.pos)(ball.pos.x, ball.pos.y - 150, 17)
    car.vel = type(car.vel)(0, 2000, 0)
    sim.cars[0][0].set_state(car)
    run(game, 12)
    assert game.phase == ACTIVE
