import pytest

from tests.trainer.evaluation.players import side
from trainer.evaluation.engine import Game, Result
from trainer.evaluation.standings import Played, Record, habits_of, ranked, record_of

ENDS = {"goal": 3, "no_touch": 0, "broken": 0}


def played(
    blue: int, orange: int, score: tuple[int, int], start: int = 0, mode: str = "1v1"
) -> Played:
    result = Result(side(score[0]), side(score[1]), 900, ENDS)
    return Played(mode, Game(blue, orange, start, (0,), 900), result)


GAMES = [
    played(0, 1, (2, 0)),
    played(1, 0, (1, 1)),
    played(0, 1, (0, 1), start=1),
    played(1, 0, (0, 3), start=1),
    played(2, 0, (4, 0)),
]


def test_a_record_counts_wins_and_goals_from_whichever_side() -> None:
    record = record_of(GAMES, 0, 1)
    assert (record.wins, record.draws, record.losses) == (2, 1, 1)
    assert (record.scored, record.conceded) == (6, 2)
    assert record.total_points == 2.5
    assert record.points.mean == 0.625
    # of start 0: (2 + 0) / 2 = 1, of start 1: (-1 + 3) / 2 = 1
    assert record.goal_difference == (1, 1, 1)


def test_the_opponent_sees_the_same_games_turned_over() -> None:
    record = record_of(GAMES, 1, 0)
    assert (record.wins, record.draws, record.losses, record.scored) == (1, 1, 2, 2)
    assert record.points.mean == 1 - record_of(GAMES, 0, 1).points.mean


def test_without_an_opponent_all_games_count() -> None:
    assert record_of(GAMES, 0).games == 5
    assert record_of(GAMES, 0).losses == 2
    assert record_of(GAMES, 2).games == 1


def test_a_start_of_two_modes_or_two_opponents_is_two_values() -> None:
    games = [played(0, 1, (2, 0)), played(0, 2, (0, 0)), played(0, 1, (4, 0), mode="2v2")]
    # 2, 0, 4: s = 2; 2 ± 1.959964 · 2 / sqrt(3)
    assert record_of(games, 0).goal_difference == pytest.approx((-0.26317, 2, 4.26317), abs=1e-5)


def test_habits_are_a_minute_of_game_and_of_a_car() -> None:
    minute = Result(
        side(3, shots=4, touches=10, speed=1000.0, possession=0.5, boost_used=60.0),
        side(1),
        900,
        ENDS,
    )
    half = Result(side(), side(0, speed=400.0, touches=5, boost_used=30.0), 450, ENDS)
    games = [
        Played("2v1", Game(0, 1, 0, (0,), 900), minute),
        Played("2v1", Game(1, 0, 0, (0,), 450), half),
    ]
    habits = habits_of(games, 0, tick_skip=8)
    # 1.5 minutes of game; 2 cars for a minute and 1 car for half a minute: 2.5 of cars
    assert habits.values["goals"] == 3 / 1.5
    assert habits.values["shots"] == pytest.approx(4 / 1.5)
    assert habits.values["touches"] == 15 / 2.5
    assert habits.values["boost_used"] == 60
    assert habits.values["speed"] == 800
    assert habits.values["possession"] == pytest.approx(1 / 3)
    assert habits.ends["goal"] == 4


def record(wins: int, draws: int, scored: int, conceded: int) -> Record:
    games = [played(0, 1, (1, 0))] * wins + [played(0, 1, (0, 0))] * draws
    found = record_of(games, 0)
    return Record(**(vars(found) | {"scored": scored, "conceded": conceded}))


def test_points_rank_first_then_goals_then_who_came_first() -> None:
    records = {
        0: record(2, 0, 5, 5),
        1: record(1, 2, 7, 2),
        2: record(1, 2, 9, 4),
        3: record(3, 0, 3, 9),
        4: record(2, 0, 5, 6),
    }
    steps = {0: 100, 1: 300, 2: 200, 3: 400, 4: 50}
    order = ("points", "goal_difference", "earliest")
    assert ranked(records, steps, order) == [3, 2, 1, 0, 4]
    assert ranked(records, steps, ("earliest",)) == [4, 0, 2, 1, 3]
    assert ranked(records, steps, ("goal_difference", "points")) == [1, 2, 0, 4, 3]
