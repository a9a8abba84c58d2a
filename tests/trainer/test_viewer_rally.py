"""A rally is a row of pictures from its kickoff to its very end."""

from pathlib import Path

import numpy as np
import pytest

from tests.trainer.tiny import tiny_config
from tests.trainer.watched import publish, run_in
from trainer.viewer_game import Game
from trainer.viewer_rally import Moment, play_rally
from trainer.viewer_teams import Teams

# 0.2 s without a touch are 24 ticks: three decisions of 8, in which nobody reaches the ball.
CONFIG = tiny_config("episodes.no_touch_s=0.2")


@pytest.fixture
def pitch(tmp_path: Path) -> tuple[Game, Teams]:
    run, rng = run_in(tmp_path, CONFIG), np.random.default_rng(0)
    publish(run, action=0)
    game, teams = Game(CONFIG, rng), Teams(run, CONFIG, rng)
    teams.refresh()
    return game, teams


def times(moments: list[Moment]) -> list[float]:
    return [moment.ticks for moment in moments]


def test_it_begins_at_the_kickoff_and_ends_with_what_ended_it(pitch: tuple[Game, Teams]) -> None:
    moments = list(play_rally(*pitch, lambda: 15.0))
    assert times(moments) == [0, 8, 16, 24]
    assert [moment.frame.note for moment in moments] == ["", "", "", "Nobody touched the ball"]
    assert [moment.frame.rally for moment in moments] == [1] * 4
    assert moments[0].frame.ball_x == moments[0].frame.ball_y == 0.0
    again = list(play_rally(*pitch, lambda: 15.0))
    assert times(again) == [24, 32, 40, 48]
    assert again[0].frame.rally == 2


def test_the_end_is_shown_though_no_picture_was_due(pitch: tuple[Game, Teams]) -> None:
    moments = list(play_rally(*pitch, lambda: 7.5))  # every 16 ticks
    assert times(moments) == [0, 16, 24]
    assert moments[-1].frame.note == "Nobody touched the ball"


def test_pictures_between_two_decisions_lie_between_them(pitch: tuple[Game, Teams]) -> None:
    moments = list(play_rally(*pitch, lambda: 30.0))
    assert times(moments) == [0, 4, 8, 12, 16, 20, 24]
    before, middle, after = (moments[index].frame.cars[0] for index in (4, 5, 6))
    assert before.y != after.y
    assert middle.y == pytest.approx((before.y + after.y) / 2)


def test_a_changed_rate_holds_from_the_next_decision_on(pitch: tuple[Game, Teams]) -> None:
    rates = iter((15.0, 60.0, 15.0))
    moments = list(play_rally(*pitch, lambda: next(rates)))
    assert times(moments) == [0, 8, 10, 12, 14, 16, 24]
