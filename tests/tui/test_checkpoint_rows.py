from pathlib import Path

from tests.tui.rated import version
from trainer.checkpoint_list import CheckpointInfo
from trainer.checkpoint_marks import Mark
from trainer.ratings.table import Ratings
from tui.checkpoint_rows import COLUMNS, called, checkpoint_rows
from tui.table_rows import Cell


def info(steps: int, mark: Mark | None = None, iteration: int | None = 7) -> CheckpointInfo:
    path = Path("runs/1v1/checkpoints") / f"{steps:015d}"
    return CheckpointInfo(path, steps, iteration, 1000.0, 81_200_000, mark or Mark(), "")


def words(found: list[CheckpointInfo], blue: Path | None = None) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in checkpoint_rows(found, 4700.0, blue)]


def test_a_row_says_steps_iteration_age_size_name_and_pin() -> None:
    found = [info(5_017_600, Mark("dribbles", pinned=True)), info(1_003_520, iteration=None)]
    assert words(found) == [
        # 3700 s ago is one hour.
        ["5,017,600", "7", "1h", "81.2MB", "–", "dribbles", "pinned", "newest"],
        ["1,003,520", "–", "1h", "81.2MB", "–", "", "", ""],
    ]


def test_a_row_has_the_rating_of_the_version_or_about_that_of_the_last_before() -> None:
    found = [info(15_000_100), info(15_000_000)]
    ratings = Ratings("elo", 30, 0.0, {"1v1": (version(15_000_000, 412.0),)})
    rows = checkpoint_rows(found, 0.0, None, ratings)
    assert [row.cells[4].text for row in rows] == ["~412", "412"]


def test_every_row_has_a_cell_for_every_column_and_its_folder_as_key() -> None:
    (row,) = checkpoint_rows([info(5)], 0.0, None)
    assert len(row.cells) == len(COLUMNS)
    assert row.key == "000000000000005"


def test_who_plays_blue_is_marked_before_who_is_newest() -> None:
    found = [info(5), info(3)]
    assert [row[-1] for row in words(found, found[0].path)] == ["plays blue", ""]
    assert [row[-1] for row in words(found, found[1].path)] == ["newest", "plays blue"]


def test_a_damaged_mark_is_said_and_bad() -> None:
    (row,) = checkpoint_rows([info(5, Mark(pinned=True, damaged=True))], 0.0, None)
    assert row.cells[6] == Cell("mark damaged", "bad")


def test_a_sentence_calls_it_by_steps_and_name() -> None:
    assert called(info(5_017_600)) == "the checkpoint of 5.02M steps"
    named = info(5_017_600, Mark("dribbles"))
    assert called(named) == 'the checkpoint of 5.02M steps "dribbles"'
