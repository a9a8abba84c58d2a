from itertools import groupby

import numpy as np
import pytest
from rlbot import flat

from export.game import (
    COUNTDOWN_TICKS,
    FIRST_FRAME,
    GOAL_TICKS,
    LOADING_PACKETS,
    PAUSE_PACKETS,
    REPLAY_PACKETS,
    Game,
)
from rlbot_agent.actions import ACTION_TABLE
from trainer.free_sim import FreeSimulator
from trainer.meshes import find_meshes

COUNTDOWN, KICKOFF, ACTIVE, GOAL, REPLAY, PAUSED, ENDED = (
    flat.MatchPhase.Countdown,
    flat.MatchPhase.Kickoff,
    flat.MatchPhase.Active,
    flat.MatchPhase.GoalScored,
    flat.MatchPhase.Replay,
    flat.MatchPhase.Paused,
    flat.MatchPhase.Ended,
)
NEUTRAL, FULL_SPEED = np.zeros((2, 8), np.float32), ACTION_TABLE[[18, 18]]
BEFORE_PLAY = LOADING_PACKETS + COUNTDOWN_TICKS


def make_game(
    seconds: float, *, input_delay: int = 0, pauses: bool = False
) -> tuple[Game, FreeSimulator]:
    rng = np.random.default_rng(0)
    sim = FreeSimulator(1, (0, 1), 1, 0, find_meshes(""), rng)
    return Game(sim, seconds, rng, input_delay=input_delay, pauses=pauses), sim


def run(game: Game, packets: int) -> list[flat.MatchPhase]:
    phases = []
    for _ in range(packets):
        phases.append(game.phase)
        game.advance(NEUTRAL)
    return phases


def shoot(sim: FreeSimulator, y: float) -> None:
    """Put the ball into a goal."""
    ball = sim.arenas[0].ball.get_state()
    ball.pos = type(ball.pos)(0, y, 300)
    sim.arenas[0].ball.set_state(ball)


def runs(phases: list[flat.MatchPhase]) -> list[tuple[flat.MatchPhase, int]]:
    return [(phase, len(list(same))) for phase, same in groupby(phases)]


def test_an_untouched_kickoff_becomes_play_after_two_seconds_and_time_ends_the_match() -> None:
    game, _ = make_game(seconds=3)
    phases = run(game, BEFORE_PLAY + 360)
    assert runs(phases) == [
        (PAUSED, LOADING_PACKETS),
        (COUNTDOWN, COUNTDOWN_TICKS),
        (KICKOFF, 240),
        (ACTIVE, 120),
    ]
    assert game.phase == ENDED
    assert game.is_over
    assert (game.moment.seconds_left, game.ticks) == (0, 360)


def test_loading_repeats_its_frame_and_the_countdown_counts_on() -> None:
    game, _ = make_game(seconds=3)
    run(game, LOADING_PACKETS)
    assert game.frame == FIRST_FRAME
    run(game, COUNTDOWN_TICKS)
    assert game.frame == FIRST_FRAME + COUNTDOWN_TICKS


def test_nothing_moves_in_a_countdown() -> None:
    game, sim = make_game(seconds=3)
    before = sim.state.raw.copy()
    for _ in range(BEFORE_PLAY):
        game.advance(FULL_SPEED)
    assert np.array_equal(sim.state.raw, before)
    game.advance(FULL_SPEED)
    assert not np.array_equal(sim.state.raw, before)
    assert set(game.played) == {FIRST_FRAME + COUNTDOWN_TICKS}
    assert np.array_equal(game.played[FIRST_FRAME + COUNTDOWN_TICKS].raw, before[0])


@pytest.mark.parametrize("delay", [0, 1])
def test_controls_act_as_many_frames_later_as_the_game_is_slow(delay: int) -> None:
    game, sim = make_game(seconds=3, input_delay=delay)
    run(game, BEFORE_PLAY)
    shown = []
    for controls in (FULL_SPEED, NEUTRAL, NEUTRAL):
        game.advance(controls)
        shown.append(sim.cars[0][0].get_state().last_controls.throttle)
    assert shown == [0, 1, 0] if delay else [1, 0, 0]
    acted = [game.played[FIRST_FRAME + COUNTDOWN_TICKS + tick].controls[0, 0] for tick in range(3)]
    assert acted == shown


@pytest.mark.parametrize(("y", "score"), [(5300, [1, 0]), (-5300, [0, 1])])
def test_a_goal_counts_once_and_leads_over_its_replay_to_a_new_kickoff(
    y: float, score: list[int]
) -> None:
    game, sim = make_game(seconds=3)
    run(game, BEFORE_PLAY + 10)
    shoot(sim, y)
    before = game.frame
    phases = run(game, 1 + GOAL_TICKS + REPLAY_PACKETS + COUNTDOWN_TICKS + 1)
    assert runs(phases) == [
        (KICKOFF, 1),
        (GOAL, GOAL_TICKS),
        (REPLAY, REPLAY_PACKETS),
        (COUNTDOWN, COUNTDOWN_TICKS),
        (KICKOFF, 1),
    ]
    # A replay shows every frame twice.
    passed = 1 + GOAL_TICKS + REPLAY_PACKETS // 2 + COUNTDOWN_TICKS + 1
    assert game.frame - before == passed
    assert game.score == score
    assert game.moment.score == tuple(score)
    assert game.rally == 2
    assert abs(sim.state.ball_position[0, 1]) < 1


def test_there_is_no_ball_between_a_goal_and_the_countdown() -> None:
    game, sim = make_game(seconds=3)
    run(game, BEFORE_PLAY + 10)
    shoot(sim, 5300)
    balls = []
    for _ in range(1 + GOAL_TICKS + REPLAY_PACKETS + 1):
        balls.append(game.has_ball)
        run(game, 1)
    assert balls == [True] + [False] * (GOAL_TICKS + REPLAY_PACKETS) + [True]


def test_a_pause_stops_frames_time_and_cars_and_play_goes_on_where_it_was() -> None:
    game, sim = make_game(seconds=60, pauses=True)
    while game.phase != ACTIVE:
        run(game, 1)
    while game.phase != PAUSED:
        run(game, 1)
    frame, left, raw = game.frame, game.moment.seconds_left, sim.state.raw.copy()
    assert runs(run(game, PAUSE_PACKETS + 1)) == [(PAUSED, PAUSE_PACKETS), (ACTIVE, 1)]
    assert game.frame == frame + 1
    assert game.moment.seconds_left == pytest.approx(left - 1 / 120)
    assert np.array_equal(game.played[frame].raw, raw[0])


def test_a_goal_on_the_last_frame_counts() -> None:
    game, sim = make_game(seconds=0.5)
    run(game, BEFORE_PLAY + 59)
    shoot(sim, 5300)
    run(game, 1)
    assert (game.phase, game.score) == (ENDED, [1, 0])


def test_a_touch_ends_the_kickoff_and_is_counted() -> None:
    game, sim = make_game(seconds=3)
    run(game, BEFORE_PLAY)
    car, ball = sim.cars[0][0].get_state(), sim.arenas[0].ball.get_state()
    car.pos = type(car.pos)(ball.pos.x, ball.pos.y - 150, 17)
    car.vel = type(car.vel)(0, 2000, 0)
    sim.cars[0][0].set_state(car)
    run(game, 12)
    assert game.phase == ACTIVE
    assert game.tally.touches[0] >= 1
    assert game.tally.touches[1] == 0
