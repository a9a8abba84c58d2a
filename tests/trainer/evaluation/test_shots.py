import numpy as np
import pytest

from trainer.evaluation.shots import is_on_target


@pytest.mark.parametrize(
    ("position", "velocity", "on_target"),
    [
        # 5120 - 3120 = 2000 uu at 2000 uu/s: 1 s.
        ((0, 3120, 93), (0, 2000, 0), True),
        ((0, 3120, 93), (0, -2000, 0), False),
        # Longer than 2 s.
        ((0, 3120, 93), (0, 999, 0), False),
        ((0, 3120, 93), (0, 1001, 0), True),
        # In 1 s at x = 800; the post leaves 892.755 - 91.25 = 801.5 for the centre.
        ((0, 3120, 93), (800, 2000, 0), True),
        ((0, 3120, 93), (803, 2000, 0), False),
        # z after 1 s: 500 + 370 - 325 = 545, under 642.775 - 91.25 = 551.5; 10 uu/s more is over.
        ((0, 3120, 500), (0, 2000, 370), True),
        ((0, 3120, 500), (0, 2000, 380), False),
        # It would be below the floor, where it rolls on.
        ((0, 3120, 200), (0, 2000, -900), True),
        # Between wall and goal line.
        ((0, 5200, 93), (0, 1, 0), True),
    ],
)
def test_a_ball_is_on_target_when_it_will_be_between_posts_and_bar_in_two_seconds(
    position: tuple[float, ...], velocity: tuple[float, ...], on_target: bool
) -> None:
    at, going = (np.array([values], np.float32) for values in (position, velocity))
    assert is_on_target(at, going, 1).tolist() == [on_target]
    turn = np.array([-1, -1, 1], np.float32)
    assert is_on_target(at * turn, going * turn, -1).tolist() == [on_target]
    assert not is_on_target(at, going, -1).any() or velocity[1] < 0
