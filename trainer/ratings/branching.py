"""What becomes of rating games where a run goes back, in its own folder or as a branch.

Versions that it left behind are rated no more, also when others of the same steps come. The rater
makes ratings.json of what is left. Loads neither torch nor numpy, since the dashboard branches too.
Tested by `tests/trainer/ratings/test_branching.py`.
"""

from trainer.ratings.played import append_played, append_way_back, played_to, read_played
from trainer.ratings.table import read_ratings, write_ratings
from trainer.run_dir import RunDir


def copy_ratings(run: RunDir, branch: RunDir, steps: int) -> None:
    """Write to `branch` the games of `run` in which no version is newer than `steps`.

    And what ratings.json of `run` says of those versions and the anchors, until a rater makes it of
    these games alone.

    Raises:
        OSError: When the disk refuses.
    """
    append_played(branch.rating_games, played_to(read_played(run.rating_games), steps))
    ratings = read_ratings(run.ratings)
    if ratings is not None:
        write_ratings(branch.ratings, ratings.until(steps))


def go_back(run: RunDir, steps: int) -> None:
    """Let nothing count that is of versions after `steps`, in a run that goes on from there.

    What ratings.json says of the others stays until a rater makes it of the games that are left.

    Raises:
        OSError: When the disk refuses.
    """
    played = read_played(run.rating_games)
    if len(played_to(played, steps)) < len(played):
        append_way_back(run.rating_games, steps)
    ratings = read_ratings(run.ratings)
    if ratings is not None and (kept := ratings.until(steps)) != ratings:
        write_ratings(run.ratings, kept)
