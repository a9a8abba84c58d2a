"""What ratings are made of, and what they are: scores of games, and strengths on Elo's scale.

A version is known by its agent steps, an anchor by its name. Every system (`elo.py`,
`openskill_system.py`, `bradley_terry.py`) is a pure function of the scores. Knows no file and no
game. Tested by `tests/trainer/ratings/test_systems.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

Who = int | str
"""Agent steps of a version, or the name of an anchor."""

POINTS_OF_TEN: Final = 400.0
"""Points by which ten wins come on one loss, however many games are drawn."""
FIRST: Final = 0.0
"""Where the first version of a run begins."""
FIRST_SIGMA: Final = 400.0
"""How far from there it may well be: points, one standard deviation."""
STEP_SIGMA: Final = 200.0
"""How far from the version before it a new one may well be, likewise."""


class Score(NamedTuple):
    """How one game ended."""

    blue: Who
    orange: Who
    blue_goals: int
    orange_goals: int

    @property
    def points(self) -> float:
        """Of blue: 1 for a win, 0.5 for a draw."""
        ahead = self.blue_goals - self.orange_goals
        return (1 + (ahead > 0) - (ahead < 0)) / 2


class Strength(NamedTuple):
    """How strong somebody is."""

    rating: float
    """Points."""
    sigma: float | None
    """One standard deviation of them; 0 for an anchor, None where the system knows none."""


class System(Protocol):
    """Turns scores into strengths."""

    def __call__(
        self, scores: Sequence[Score], anchors: Mapping[str, float]
    ) -> dict[Who, Strength]:
        """Rate everybody who has played.

        Args:
            scores: Games in the order in which they were played.
            anchors: Points of those that are fixed, by name; all names in `scores` are among them.
        """
        ...


def expected_points(difference: float) -> float:
    """Of decided games, the share that who is `difference` points better wins: 0 to 1."""
    # E = 1 / (1 + 10^(-d / 400)), 10 : 1 at d = 400
    return 1 / (1 + 10 ** (-difference / POINTS_OF_TEN))


def players_of(scores: Sequence[Score]) -> tuple[list[int], list[str]]:
    """The versions that have played, fewest steps first, and the anchors by name."""
    met = {who for score in scores for who in (score.blue, score.orange)}
    versions = sorted(who for who in met if isinstance(who, int))
    return versions, sorted(who for who in met if isinstance(who, str))


def before(version: int, known: Mapping[Who, float]) -> float:
    """The rating that a new version begins with: that of the newest one before it in `known`."""
    earlier = [who for who in known if isinstance(who, int) and who < version]
    return known[max(earlier)] if earlier else FIRST
