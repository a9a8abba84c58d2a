"""The rating games that a branch takes along: those of versions that it has.

The rater makes ratings.json of them. Loads neither torch nor numpy, since the dashboard branches
too. Tested by `tests/trainer/ratings/test_branching.py`.
"""

from trainer.ratings.played import append_played, played_to, read_played
from trainer.run_dir import RunDir


def copy_rating_games(run: RunDir, branch: RunDir, steps: int) -> None:
    """Write to `branch` the games of `run` in which no version is newer than `steps`.

    Raises:
        OSError: When the disk refuses.
    """
    append_played(branch.rating_games, played_to(read_played(run.rating_games), steps))
