import subprocess
import sys
from pathlib import Path

from tests.trainer.fake_checkpoints import fake_checkpoint
from tests.trainer.ratings.leagues import game
from tests.trainer.tiny import tiny_config
from trainer.branch import branch
from trainer.config import RunConfig
from trainer.config_file import write_config
from trainer.ratings.branching import go_back
from trainer.ratings.played import append_played, read_played
from trainer.ratings.ratings_of import ratings_of
from trainer.ratings.table import read_ratings, write_ratings
from trainer.run_dir import RunDir


def test_a_branch_takes_the_games_of_the_versions_that_it_has(tmp_path: Path) -> None:
    run, new = RunDir(tmp_path / "run"), RunDir(tmp_path / "new")
    checkpoint = fake_checkpoint(run, 100)
    write_config(run.config, tiny_config())
    games = [game(50, "random"), game(100, 50), game(150, 100), game("random", 150)]
    append_played(run.rating_games, games)
    before = run.rating_games.read_bytes()
    branch(run, checkpoint, new)
    assert read_played(new.rating_games) == games[:2]
    assert run.rating_games.read_bytes() == before


def test_a_branch_has_the_ratings_of_its_versions_before_anybody_rates(tmp_path: Path) -> None:
    run, new = RunDir(tmp_path / "run"), RunDir(tmp_path / "new")
    checkpoint = fake_checkpoint(run, 100)
    write_config(run.config, tiny_config())
    games = [game(50, "random", 2), game(100, 50, 1), game(150, 100)]
    append_played(run.rating_games, games)
    write_ratings(run.ratings, ratings_of(games, RunConfig(), 7.0))
    before, parents = read_ratings(run.ratings), run.ratings.read_bytes()
    branch(run, checkpoint, new)
    found = read_ratings(new.ratings)
    assert before is not None
    assert found is not None
    # Of four: 50, 100, 150 and the anchor.
    assert found.modes["1v1"] == (*before.modes["1v1"][:2], before.modes["1v1"][3])
    assert [each.name for each in found.modes["1v1"]] == ["50", "100", "random"]
    assert run.ratings.read_bytes() == parents


def test_a_run_that_goes_back_forgets_games_and_ratings_beyond(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    games = [game(50, "random"), game(100, 50), game(150, 100)]
    append_played(run.rating_games, games)
    config = RunConfig()
    write_ratings(run.ratings, ratings_of(games, config, 0.0))
    go_back(run, 100)
    assert read_played(run.rating_games) == games[:2]
    found = read_ratings(run.ratings)
    assert found is not None
    assert [each.name for each in found.modes["1v1"]] == ["50", "100", "random"]


def test_a_run_that_goes_on_where_it_was_keeps_every_byte(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    go_back(run, 0)
    assert list(tmp_path.iterdir()) == []
    games = [game(50, "random"), game(100, 50)]
    append_played(run.rating_games, games)
    write_ratings(run.ratings, ratings_of(games, RunConfig(), 0.0))
    before = [path.read_bytes() for path in (run.rating_games, run.ratings)]
    go_back(run, 100)
    assert [path.read_bytes() for path in (run.rating_games, run.ratings)] == before


def test_who_branches_loads_neither_torch_nor_numpy() -> None:
    code = (
        "import sys, trainer.ratings.branching; "
        "sys.exit(bool({'torch', 'numpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
