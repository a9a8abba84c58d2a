"""What bundles' bots recorded of a match, held against what the simulator was.

Knows no sockets and no processes. Tested by `tests/export/test_match.py`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from export.game import Played
from export.parity import (
    Agreement,
    Agreements,
    ParityError,
    compare,
    late_actions,
    simulated_at,
)
from export.sides import Side
from rlbot_agent.observation import make_observation
from rlbot_agent.record import Records, read_records


class SeenTerm(NamedTuple):
    """A term of the observation of one side's bots."""

    team: int
    """0 blue, 1 orange."""
    term: str
    """Its name."""
    field: str
    """What of the game it shows: a key of `RECONSTRUCTION`."""
    found: Agreement
    """With the simulator."""


class Hindsight(NamedTuple):
    """Of all bundles' bots."""

    decisions: int
    late_actions: int
    """Decisions that did not act in the first tick in which they would in training."""
    agreements: Agreements
    """Of observations with the simulator's, by field."""
    seen: tuple[SeenTerm, ...]
    """The same by side and term."""


def records_file(folder: Path, team: int, number: int) -> Path:
    """Where a process of a team's bot records."""
    return folder / f"{team}-{number}.records"


def look_back(
    folder: Path,
    sides: tuple[Side, Side],
    teams: tuple[int, ...],
    played: Mapping[int, Played],
) -> Hindsight:
    """Compare all that was recorded.

    Args:
        folder: Of the records.
        sides: Blue and orange; another's bots record nothing.
        teams: Of the cars.
        played: The frames in which cars drove.

    Raises:
        ParityError: When a bot decided in a frame in which nobody plays, or never.
    """
    agreements: Agreements = {}
    seen: list[SeenTerm] = []
    decisions = late = 0
    states = {frame: each.raw for frame, each in played.items()}
    acted = {frame: each.controls for frame, each in played.items()}
    for team, side in enumerate(sides):
        contract = side.contract
        if contract is None:
            continue
        obs = make_observation(contract.obs_name, teams, contract.max_team_size)
        by_term: Agreements = {}
        for records in _records_of(folder, team, teams.count(team), side, contract.obs_width):
            simulated = simulated_at(states, records, teams, obs)
            compare(agreements, obs.terms, simulated, records)
            compare(by_term, obs.terms, simulated, records, key=lambda term: term.name)
            late += late_actions(acted, records, contract.action_delay)
            decisions += len(records)
        fields = {term.name: term.field for term in obs.terms}
        seen += [SeenTerm(team, name, fields[name], found) for name, found in by_term.items()]
    return Hindsight(decisions, late, agreements, tuple(seen))


def _records_of(folder: Path, team: int, count: int, side: Side, obs_width: int) -> list[Records]:
    found = [read_records(records_file(folder, team, number), obs_width) for number in range(count)]
    if not all(map(len, found)):
        raise ParityError(f"a bot of {side.config.name} recorded no decision")
    return found
