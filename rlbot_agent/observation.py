"""All observations by name: what `sim.observation` may say, and what a contract's `obs_name` means.

Trainer and bot build theirs here. Knows no numbers. Tested by
`tests/rlbot_agent/test_observation.py`.
"""

from typing import Final, Protocol

from rlbot_agent.obs import DefaultObs, Term
from rlbot_agent.obs_local import LocalObs
from rlbot_agent.obs_rlgymppo import RlgymPpoAdvancedObs, RlgymPpoDefaultObs
from rlbot_agent.places import Places
from rlbot_agent.state import Array, GameState


class ObservationError(ValueError):
    """There is no such observation; names those that there are."""


class Observation(Protocol):
    """A builder for certain teams."""

    @property
    def name(self) -> str:
        """By which it is chosen."""

    @property
    def width(self) -> int:
        """D, numbers an agent sees."""

    @property
    def terms(self) -> tuple[Term, ...]:
        """The columns by name, first to last."""

    @property
    def layout_hash(self) -> str:
        """16 hex digits that differ when the meaning of any column does."""

    @property
    def places(self) -> tuple[tuple[Places, ...], ...]:
        """Of each of the P cars: where mates and where opponents stand."""

    def build(self, state: GameState, out: Array | None = None) -> Array:
        """(B, P, D) float32 of what every car sees, `out` when it was given."""


_KINDS: Final = {
    kind.name: kind for kind in (DefaultObs, LocalObs, RlgymPpoDefaultObs, RlgymPpoAdvancedObs)
}
OBSERVATIONS: Final[tuple[str, ...]] = tuple(_KINDS)
"""The names of all there are."""


def make_observation(name: str, teams: tuple[int, ...], max_team_size: int = 0) -> Observation:
    """The observation `name` of cars that belong to `teams`.

    Args:
        name: One of `OBSERVATIONS`.
        teams: Team of each car, 0 blue and 1 orange, in any order.
        max_team_size: Cars of a team that there are places for, zeros where nobody is. 0 takes the
            teams as they are.

    Raises:
        ObservationError: When the name is unknown.
        ValueError: When a team has more cars than a `max_team_size` above 0.
    """
    if name not in _KINDS:
        raise ObservationError(
            f"there is no observation {name!r}, there are {', '.join(OBSERVATIONS)}"
        )
    return _KINDS[name](teams, max_team_size)
