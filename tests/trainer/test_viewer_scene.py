"""The scene of an external viewer: its keys, and the numbers of the game under them."""

import json

import numpy as np
import pytest

from rlbot_agent.actions import ACTION_TABLE
from tests.trainer.watched import CONFIG
from trainer.resets import kickoff_starts
from trainer.viewer_game import Game
from trainer.viewer_scene import scene

TURN = int(np.flatnonzero((ACTION_TABLE == (1, -1, 0, -1, 0, 0, 1, 0)).all(axis=1))[0])


@pytest.fixture
def game() -> Game:
    game = Game(CONFIG, np.random.default_rng(0))
    game.kickoff()
    starts = kickoff_starts(1, (0, 1), np.random.default_rng(0))
    starts.ball_position[0], starts.ball_velocity[0] = (100.0, -200.0, 900.0), (0.0, 1200.0, 0.0)
    starts.car_position[0, 1] = (0.0, 4240.0, 500.0)
    starts.car_rotation[0, 1] = (np.pi / 2, 0.0, 0.0)  # its nose up
    game.simulator.reset(np.zeros(1, np.int64), starts)
    return game


def test_it_has_the_keys_and_kinds_of_the_format(game: Game) -> None:
    game.play(np.full(2, TURN))
    shown = json.loads(json.dumps(scene(game.picture(0, False), game.simulator.state)))
    assert set(shown) == {"ball_phys", "cars", "boost_pad_states"}
    assert set(shown["ball_phys"]) == {"pos", "vel", "ang_vel"}
    assert len(shown["boost_pad_states"]) == 34
    assert all(type(there) is bool for there in shown["boost_pad_states"])
    for car in shown["cars"]:
        assert set(car) == {
            *("team_num", "phys", "controls", "boost_amount", "on_ground"),
            *("has_flipped_or_double_jumped", "is_demoed"),
        }
        assert set(car["phys"]) == {"pos", "forward", "up", "vel", "ang_vel"}
        assert all(len(vector) == 3 for vector in car["phys"].values())
        assert car["controls"] == {
            **{"throttle": 1.0, "steer": -1.0, "pitch": 0.0, "yaw": -1.0, "roll": 0.0},
            **{"boost": 1.0, "jump": 0.0, "handbrake": 0.0},
        }
        assert 0 <= car["boost_amount"] <= 1


def test_its_numbers_are_those_of_the_game(game: Game) -> None:
    shown = scene(game.picture(0, False), game.simulator.state)
    assert shown["ball_phys"]["pos"] == [100.0, -200.0, 900.0]
    assert shown["ball_phys"]["vel"] == [0.0, 1200.0, 0.0]
    blue, orange = shown["cars"]
    assert (blue["team_num"], orange["team_num"]) == (0, 1)
    assert orange["phys"]["forward"] == pytest.approx([0, 0, 1], abs=1e-3)
    assert orange["phys"]["up"] == pytest.approx([-1, 0, 0], abs=1e-3)
    assert (blue["on_ground"], orange["on_ground"]) == (True, False)
    assert blue["boost_amount"] == pytest.approx(1 / 3, abs=1e-3)
    assert all(shown["boost_pad_states"])
