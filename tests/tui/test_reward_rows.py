import math

import pytest

from trainer.config import RunConfig
from trainer.metrics import IterationMetrics
from tui.history import Board, RunHistory
from tui.reward_rows import reward_rows

VALUES = {
    "Reward/touch": 0.01,
    "Reward/touch_share": 0.2,
    "Reward/face_ball": 0.5,
    "Reward/face_ball_share": 0.3,
    "Reward/mine:still": 0.25,
    "Reward/mine:still_share": 0.5,
    "Reward/total": 0.6,
    "Loss/value": 3.0,
}


def board(**changed: float) -> Board:
    history = RunHistory()
    for n in (1, 2):
        values = VALUES | {f"Reward/{name}": value for name, value in changed.items()}
        history.add(IterationMetrics(n, n, 0.0, values))
    found = history.board()
    assert found
    return found


def config(tick_skip: int = 8, **rewards: object) -> RunConfig:
    custom = {"custom": {"mine:still": 2.0}}
    return RunConfig.model_validate({"rewards": custom | rewards, "sim": {"tick_skip": tick_skip}})


def test_rewards_come_by_their_share_with_what_they_add() -> None:
    rows = reward_rows(board(), config())
    assert [(row.name, row.weight, row.share) for row in rows] == [
        ("mine:still", 2.0, 0.5),
        ("face_ball", 0.1, 0.3),
        ("touch", 5.0, 0.2),
    ]
    assert [row.contribution for row in rows] == pytest.approx([0.5, 0.05, 0.05])
    assert rows[2].recent == (0.01, 0.01)


def test_a_shorter_decision_is_paid_less_for_what_lasts_and_as_much_for_an_event() -> None:
    rows = reward_rows(board(), config(tick_skip=4))
    assert [row.contribution for row in rows] == pytest.approx([0.25, 0.025, 0.05])
    assert [row.weight for row in rows] == [2.0, 0.1, 5.0]


def test_a_reward_without_weight_is_not_shown() -> None:
    rows = reward_rows(board(), config(touch=0.0, custom={"mine:still": 0.0}))
    assert [row.name for row in rows] == ["face_ball"]


def test_a_reward_that_drowns_the_others_is_marked() -> None:
    rows = reward_rows(board(face_ball_share=0.81), config())
    assert [row.name for row in rows if row.dominates] == ["face_ball"]
    assert not any(row.dominates for row in reward_rows(board(face_ball_share=0.8), config()))


def test_a_reward_that_stands_alone_drowns_nobody() -> None:
    (row,) = reward_rows(board(face_ball_share=1.0), config(touch=0.0, custom={}))[:1]
    only = RunConfig.model_validate({"rewards": {"touch": 0.0, "custom": {"mine:still": 0.0}}})
    assert [found.dominates for found in reward_rows(board(face_ball_share=1.0), only)] == [False]
    assert row.name == "face_ball"


def test_a_trainer_that_measured_no_shares_is_shown_by_what_it_pays() -> None:
    history = RunHistory()
    values = {"Reward/touch": 0.1, "Reward/goal": 0.01, "Reward/unheard_of": 1.0}
    history.add(IterationMetrics(1, 1, 0.0, values))
    found = history.board()
    assert found
    rows = reward_rows(found, RunConfig())
    # 0.1 times 5, 0.01 times 10; nobody knows the weight of the third.
    assert [row.name for row in rows] == ["touch", "goal", "unheard_of"]
    assert all(math.isnan(row.share) for row in rows)
    assert math.isnan(rows[2].weight)


def test_a_mean_that_was_not_measured_is_shown_as_such() -> None:
    rows = reward_rows(board(touch=math.nan), config())
    assert math.isnan(next(row for row in rows if row.name == "touch").contribution)
