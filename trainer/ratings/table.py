"""ratings.json: how strong everybody is, as the rater leaves it and anybody reads it.

Points are on Elo's scale, on which 400 more are ten times the wins; anchors are fixed on it. Knows
no game and no arithmetic. Standard library only, because the dashboard reads it too. Tested by
`tests/trainer/ratings/test_table.py`.
"""

import json
import math
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from trainer.files import write_atomic

Kind = Literal["version", "anchor"]


@dataclass(frozen=True)
class Rated:
    """One player in one mode."""

    name: str
    """"random", "chaser", "nexto", the folder of a bundle, or a version's steps: "5,000,000"."""
    kind: Kind
    """Anchors are fixed; versions move."""
    steps: int
    """Agent steps of training behind it; 0 for an anchor."""
    rating: float
    """Points."""
    sigma: float | None
    """Standard deviation of them; 0 for an anchor, None where the system knows none."""
    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """How many."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True)
class Ratings:
    """Everybody, by mode."""

    system: str
    """"bradley_terry", "openskill" or "elo"."""
    min_games: int
    """Games below which a rating is not yet sure."""
    updated: float
    """When (seconds since the epoch)."""
    modes: dict[str, tuple[Rated, ...]]
    """Versions by steps, then anchors by rating."""

    def newest(self, mode: str) -> Rated | None:
        """The newest version that has played in `mode`: what the run has come to."""
        versions = [each for each in self.modes.get(mode, ()) if each.kind == "version"]
        return max(versions, key=lambda each: each.steps, default=None)

    def of_version(self, steps: int, mode: str) -> Rated | None:
        """The version after `steps` agent steps; None when it has not played in `mode`."""
        found = (each for each in self.modes.get(mode, ()) if each.kind == "version")
        return next((each for each in found if each.steps == steps), None)

    def until(self, steps: int) -> "Ratings":
        """The same without versions after `steps`."""
        modes = {
            mode: tuple(each for each in found if each.kind == "anchor" or each.steps <= steps)
            for mode, found in self.modes.items()
        }
        return replace(self, modes=modes)


def version_name(steps: int) -> str:
    """What a version is called: "5,000,000"."""
    return f"{steps:,}"


def rating_words(rated: Rated, mode: str) -> str:
    """Such as "version 5,000,000: 1v1 412 ± 60 after 80 games"; ± is two sigma."""
    spread = "" if rated.sigma is None else f" ± {2 * rated.sigma:.0f}"
    return f"version {rated.name}: {mode} {rated.rating:.0f}{spread} after {rated.games:,} games"


def write_ratings(path: Path, ratings: Ratings) -> None:
    """Replace the file, whole or not at all.

    Raises:
        OSError: When the disk refuses.
    """
    write_atomic(path, json.dumps(asdict(ratings), allow_nan=False).encode())


def read_ratings(path: Path) -> Ratings | None:
    """What the file says; None when there is none that can be read and believed."""
    try:
        record = json.loads(path.read_bytes())
        modes = {
            str(mode): tuple(Rated(**each) for each in found)
            for mode, found in record.pop("modes").items()
        }
        ratings = Ratings(modes=modes, **record)
        rated = all(_believable(each) for found in modes.values() for each in found)
        whole = _is_count(ratings.min_games) and isinstance(ratings.system, str)
        return ratings if rated and whole and math.isfinite(ratings.updated) else None
    except (
        *(OSError, ValueError, OverflowError, TypeError),
        *(KeyError, AttributeError, RecursionError),
    ):
        return None


def _believable(rated: Rated) -> bool:
    """Whether every field is what it should be."""
    counts = (rated.steps, rated.wins, rated.draws, rated.losses)
    return (
        isinstance(rated.name, str)
        and rated.kind in get_args(Kind)
        and all(map(_is_count, counts))
        and math.isfinite(rated.rating)
        and (rated.sigma is None or 0 <= rated.sigma < math.inf)
    )


def _is_count(found: object) -> bool:
    return type(found) is int and found >= 0
