import numpy as np
import pytest

from tests.trainer.test_sim import make_sim, rest
from trainer.evaluation.shots import is_on_target
from trainer.resets import kickoff_starts


@pytest.mark.parametrize(
    ("position", "velocity", "on_target"),
    [
        # 5120 - 3120 = 2000 uu at 2000 uu/s: about a second.
        ((0, 3120, 93), (0, 2000, 0), True),
        ((0, 3120, 93), (0, -2000, 0), False),
        # At 600 uu/s more than 3 s, at 750 less, drag of 3 % a second included.
        ((0, 3120, 93), (0, 600, 0), False),
        ((0, 3120, 93), (0, 750, 0), True),
        # In a second about as far aside as along; the posts leave 892.755 - 91.25 = 801.5.
        ((0, 3120, 93), (750, 2000, 0), True),
        ((0, 3120, 93), (850, 2000, 0), False),
        # z after a second: 500 + v - 325, against 642.775 - 91.25 = 551.5.
        ((0, 3120, 500), (0, 2000, 330), True),
        ((0, 3120, 500), (0, 2000, 430), False),
        # It bounces on the floor before the goal, and rolls.
        ((0, 3120, 200), (0, 2000, -900), True),
        # Between back wall and goal line.
        ((0, 5200, 93), (0, 1, 0), True),
        ((0, 5200, 93), (0, -1, 0), False),
    ],
)
def test_a_ball_is_on_target_when_it_will_come_between_posts_and_bar_in_three_seconds(
    position: tuple[float, ...], velocity: tuple[float, ...], on_target: bool
) -> None:
    at, going = (np.array([values], np.float32) for values in (position, velocity))
    assert is_on_target(at, going, 1).tolist() == [on_target]
    turn = np.array([-1, -1, 1], np.float32)
    assert is_on_target(at * turn, going * turn, -1).tolist() == [on_target]
    assert not is_on_target(at, going, -1).any()


def test_nearly_all_balls_go_where_the_simulator_lets_them_go() -> None:
    rng = np.random.default_rng(3)
    sim = make_sim(200, (0,))
    starts = kickoff_starts(200, (0,), rng)
    starts.ball_position[:] = rng.uniform((-1500, 1000, 93), (1500, 4000, 800), (200, 3))
    starts.ball_velocity[:] = rng.uniform((-700, 1000, -600), (700, 3000, 900), (200, 3))
    sim.reset(np.arange(200), starts)
    scored = np.zeros(200, np.bool_)
    for _ in range(45 + 6):  # 0.4 s more: a ball is a goal when it is behind the line
        sim.step(rest(sim))
        scored |= sim.events.goal == 1
    found = is_on_target(starts.ball_position, starts.ball_velocity, 1)
    assert 40 < scored.sum() < 160
    assert (found == scored).mean() > 0.9
    # Others went in off a wall or a post.
    assert (scored & ~found).sum() + (found & ~scored).sum() < 20
