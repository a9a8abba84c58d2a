from tests.trainer.evaluation.test_standings import GAMES
from trainer.evaluation.standings import habits_of, record_of
from trainer.evaluation.tables import HABITS, habit_rows, record_cells, reward_rows, table
from trainer.rewards import REWARDS


def test_columns_stand_under_each_other_the_first_to_the_left() -> None:
    assert table(["who", "goals"], [["a", "12"], ["somebody", "3"]]) == [
        "| who      | goals |",
        "| -------- | ----: |",
        "| a        |    12 |",
        "| somebody |     3 |",
    ]


def test_a_record_is_written_with_its_intervals() -> None:
    assert record_cells(record_of(GAMES, 0, 1)) == [
        *("4", "2", "1", "1", "6:2", "0.625"),
        # z² / 4 = 0.960365; (0.625 + 0.480182) / 1.960365 = 0.563764, half 0.344337
        *("0.219 to 0.908", "+1.00", "+1.00 to +1.00"),
    ]


def test_one_start_has_no_interval_of_goals() -> None:
    assert record_cells(record_of(GAMES, 2))[-1] == "-"


def test_everybody_has_a_column() -> None:
    habits = {"a": habits_of(GAMES, 0, 8), "b": habits_of(GAMES, 1, 8)}
    rows = habit_rows(habits)
    assert rows[0] == ["goals/min", "1.20", "0.50"]
    assert len(rows) == len(HABITS) + 3
    assert [row[0] for row in reward_rows(habits)] == list(REWARDS)
    assert all(len(row) == 3 for row in rows + reward_rows(habits))
