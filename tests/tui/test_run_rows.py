import math
from pathlib import Path

from trainer.branch import Parent
from tui.run_list import RunEntry
from tui.run_rows import COLUMNS, run_rows
from tui.table_rows import Cell

ENTRY = RunEntry(Path("runs/1v1"), "training", 2_408_448, 1_048, 0.0312, 3.5, 1000.0)


def test_a_row_says_what_is_known_of_a_run() -> None:
    branched = RunEntry(
        Path("runs/b"), "died", 0, 0, math.nan, math.nan, 0.0, Parent(Path("runs/1v1"), 5_000_000)
    )
    rows = run_rows([ENTRY, branched], 1180.0, Path("elsewhere"))
    assert [row.key for row in rows] == ["1v1", "b"]
    assert [[cell.text for cell in row.cells] for row in rows] == [
        ["  1v1", "training", "2.41M", "1,048", "0.0312", "3.50", "3m", ""],
        ["  b", "died", "0", "0", "–", "–", "19m", "1v1 at 5.00M"],
    ]
    assert all(len(row.cells) == len(COLUMNS) for row in rows)


def test_the_watched_run_is_marked() -> None:
    (row,) = run_rows([ENTRY], 0.0, Path("runs/../runs/1v1"))
    assert row.cells[0] == Cell("▸ 1v1", "blue")


def test_a_dead_run_looks_bad_and_a_training_one_good() -> None:
    (row,) = run_rows([ENTRY], 0.0, Path("elsewhere"))
    assert row.cells[1].tone == "good"
