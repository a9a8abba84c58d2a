"""Made-up ratings and ladders of a run, as the rater and `rlppo ladder` would leave them."""

from tests.tui.conftest import NOW
from trainer.evaluation.intervals import Interval
from trainer.ratings.ladder_table import Ladder, Meeting, Round, Rung, write_ladder
from trainer.ratings.table import Rated, Ratings, version_name, write_ratings
from trainer.run_dir import RunDir

RANDOM = Rated("random", "anchor", 0, 0.0, 0.0, 20, 10, 70)
CHASER = Rated("chaser", "anchor", 0, 400.0, 0.0, 40, 20, 40)


def version(steps: int, rating: float, sigma: float | None = 30.0, games: int = 96) -> Rated:
    """A version that won half of its games, drew a quarter, and lost the rest."""
    wins, draws = games // 2, games // 4
    losses = games - wins - draws
    return Rated(version_name(steps), "version", steps, rating, sigma, wins, draws, losses)


SOME = (
    version(5_000_000, 120.0, 80.0),
    version(10_000_000, 305.4, 40.0),
    version(15_000_000, 412.0, 30.0),
    version(20_000_000, 455.0, 90.0, games=12),
)


def rate(run: RunDir, *versions: Rated, **others: tuple[Rated, ...]) -> None:
    """Write the ratings of `versions` in 1v1 beside both anchors; `others` as m2v2."""
    modes = {"1v1": versions} if versions else {}
    modes |= {mode.removeprefix("m"): found for mode, found in others.items()}
    both = {mode: (*found, RANDOM, CHASER) for mode, found in modes.items()}
    write_ratings(run.ratings, Ratings("openskill", 30, NOW - 60, both))


def played(mode: str = "1v1") -> Round:
    """Three players: the newest beats the chaser, perhaps, and random surely."""
    names = (("15,000,000", 15_000_000), ("chaser", 0), ("random", 0))
    points = (Interval(0.7, 0.8, 0.9), Interval(0.4, 0.5, 0.6), Interval(0.1, 0.2, 0.3))
    rungs = tuple(
        Rung(name, steps, "", 10, 4, 2, 31, 12, found)
        for (name, steps), found in zip(names, points, strict=True)
    )
    met = (
        Meeting(0, 1, 9, 2, 5, Interval(0.4, 0.625, 0.8), Interval(-0.25, 0.5, 1.25)),
        Meeting(0, 2, 15, 1, 0, Interval(0.8, 0.97, 1.0), Interval(2.0, 3.0, 4.0)),
        Meeting(1, 2, 12, 2, 2, Interval(0.6, 0.8125, 0.9), Interval(1.0, 2.0, 3.0)),
    )
    return Round(mode, rungs, met)


def play_ladder(run: RunDir, *rounds: Round) -> None:
    """Write a ladder of two hours ago."""
    write_ladder(run.ladder, Ladder(NOW - 7200, 60.0, False, rounds or (played(),)))
