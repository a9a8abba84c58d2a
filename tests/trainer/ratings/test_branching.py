import subprocess
import sys
from pathlib import Path

from tests.trainer.fake_checkpoints import fake_checkpoint
from tests.trainer.ratings.leagues import game
from tests.trainer.tiny import tiny_config
from trainer.branch import branch
from trainer.config_file import write_config
from trainer.ratings.played import append_played, read_played
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


def test_who_branches_loads_neither_torch_nor_numpy() -> None:
    code = (
        "import sys, trainer.ratings.branching; "
        "sys.exit(bool({'torch', 'numpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
