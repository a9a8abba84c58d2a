"""Ratings as words: rows of players, one checkpoint's cell, and why nobody is rated.

Knows no widget and reads no file. Tested by `tests/tui/test_rating_rows.py`.
"""

from bisect import bisect_right

from trainer.config import RunConfig
from trainer.ratings.table import Rated, Ratings
from trainer.run_dir import Status
from tui.formatting import NOTHING
from tui.table_rows import Cell, Column, Row, Tone

COLUMNS = (
    Column("player"),
    Column("rating", right=True),
    Column("±2σ", right=True),
    Column("games", right=True),
    Column("W-D-L", right=True),
    Column(""),
)
UNSURE = "not yet sure"
BAND = 2.0
"""Standard deviations on either side that are shown."""


SHOWN = 100
"""Newest versions that have a row: a table of a thousand would be slow to fill."""


def rating_rows(ratings: Ratings, mode: str) -> list[Row]:
    """One row a player of `mode`: versions, newest first, then anchors, strongest first."""
    players = ratings.modes.get(mode, ())
    versions = sorted((each for each in players if each.kind == "version"), key=_steps)
    anchors = sorted((each for each in players if each.kind == "anchor"), key=lambda a: a.rating)
    newest = versions[-1] if versions else None
    return [
        _row(each, unsure=is_unsure(each, ratings), newest=each is newest)
        for each in (*versions[: -SHOWN - 1 : -1], *reversed(anchors))
    ]


def without_a_row(ratings: Ratings, mode: str) -> str:
    """That there are versions that have no row; empty when there are none."""
    players = ratings.modes.get(mode, ())
    more = sum(each.kind == "version" for each in players) - SHOWN
    return f"{more:,} earlier versions are in the curve alone." if more > 0 else ""


def is_unsure(rated: Rated, ratings: Ratings) -> bool:
    """Whether it has played too few games to be believed."""
    return rated.kind == "version" and rated.games < ratings.min_games


def points(rating: float) -> str:
    """Points of a rating, whole: nobody knows them better."""
    return f"{rating:,.0f}"


def standing(rated: Rated) -> str:
    """A rating with how sure it is: "412 ± 60"."""
    spread = "" if rated.sigma is None else f" ± {points(BAND * rated.sigma)}"
    return points(rated.rating) + spread


def rating_cell(ratings: Ratings | None, steps: int) -> Cell:
    """Of the version at `steps`, or about: of the last before it; in each mode."""
    found = {mode: _last_until(players, steps) for mode, players in _modes(ratings)}
    known = {mode: rated for mode, rated in found.items() if rated}
    if not known or ratings is None:
        return Cell(NOTHING, "quiet")
    unsure = all(is_unsure(rated, ratings) for rated in known.values())
    words = (
        (f"{mode} " if len(found) > 1 else "")
        + ("" if rated.steps == steps else "~")
        + points(rated.rating)
        for mode, rated in known.items()
    )
    return Cell(", ".join(words), "quiet" if unsure else "plain")


def why_nobody(config: RunConfig, status: Status | None, run: str, *, resting: bool) -> str:
    """Why there are no ratings of `run`, and what brings them; `resting` when nobody trains it."""
    if not config.versions.every_steps:
        return "Nobody is rated: no versions are kept, for versions.every_steps is 0."
    if not config.ratings.enabled:
        off = "Nobody is rated while it trains, for ratings.enabled is false"
        return f"{off}; `rlppo rate {run}` rates the versions there are."
    every = config.versions.every_steps
    if resting:
        rates = f"`rlppo rate {run}` rates the versions there are"
        return f"Nobody is rated, and nobody trains; {rates}."
    if status is None:  # a branch begins with versions
        return f"Nobody is rated yet. Versions come every {every:,} steps."
    if status.steps < every:
        return f"Nobody is rated yet. The first version comes at {every:,} steps."
    return "Nobody is rated yet. The first ratings come when the games of a version are over."


def _row(rated: Rated, *, unsure: bool, newest: bool) -> Row:
    tone: Tone = "quiet" if unsure else "plain"
    spread = NOTHING if rated.sigma is None else points(BAND * rated.sigma)
    record = f"{rated.wins}-{rated.draws}-{rated.losses}"
    note = UNSURE if unsure else ""
    if rated.kind == "anchor":
        spread, note = "fixed", "anchor"
    return Row(
        f"{rated.kind} {rated.name}",
        (
            Cell(f"▸ {rated.name}", "blue") if newest else Cell(f"  {rated.name}", tone),
            Cell(points(rated.rating), tone),
            Cell(spread, tone),
            Cell(f"{rated.games:,}", tone),
            Cell(record, tone),
            Cell(note, "quiet"),
        ),
    )


def _modes(ratings: Ratings | None) -> list[tuple[str, tuple[Rated, ...]]]:
    return list(ratings.modes.items()) if ratings else []


def _last_until(players: tuple[Rated, ...], steps: int) -> Rated | None:
    """The newest version at or before `steps`; versions stand in the order of their steps."""
    versions = [each for each in players if each.kind == "version"]
    place = bisect_right(versions, steps, key=_steps)
    return versions[place - 1] if place else None


def _steps(rated: Rated) -> int:
    return rated.steps
