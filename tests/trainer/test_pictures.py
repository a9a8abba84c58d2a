import numpy as np

from rlbot_agent.state import GameState
from trainer.frames import ALL_PADS
from trainer.pictures import Caption, picture


def test_a_picture_shows_the_state_and_its_caption() -> None:
    state = GameState(1, (1, 0))
    state.ball_position[0] = (10.04, -20, 93.15)
    state.position[0] = [(1, 2, 17), (-3, -4, 500)]
    state.forward[0], state.up[0] = [(0, 1, 0), (1, 0, 0)], [(0, 0, 1), (0, 0, 1)]
    state.boost[0] = (12.34, 100)
    state.demo_timer[0, 1] = 2
    state.on_ground[0, 0] = 1
    state.pad_timers[0, 3] = 1.5
    touched = np.array([False, True])
    found = picture(state, Caption(60, (2, 1), 4, touched, names=("A", "B"), note="so"))
    assert (found.time_s, found.blue, found.orange, found.rally) == (0.5, 2, 1, 4)
    assert (found.ball_x, found.ball_y, found.ball_z) == (10.0, -20.0, 93.2)
    assert (found.names, found.note, found.pads) == (("A", "B"), "so", ALL_PADS & ~(1 << 3))
    first, second = found.cars
    assert (first.team, first.yaw, first.boost, first.on_ground) == (1, 1.571, 12.3, True)
    assert (second.team, second.z, second.demolished, second.touched) == (0, 500, True, True)
