"""Whether the bots saw what the simulator would have shown them: recorded against computed.

Both go through the same observation builder, so a difference is one of states. Knows no sockets
and no game. Tested by `tests/export/test_parity_check.py`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rlbot_agent.actions import ACTION_TABLE
from rlbot_agent.obs import Term
from rlbot_agent.observation import Observation
from rlbot_agent.reconstruction import EXACT_TOLERANCE, RECONSTRUCTION, STEEP
from rlbot_agent.record import Records
from rlbot_agent.state import Array, GameState

FEW: Final = 10
"""So many differences of a reconstructed field say nothing yet about its share."""


class ParityError(Exception):
    """A bot saw something else than it was trained on; names the term, the frame, both values."""


@dataclass
class Agreement:
    """How often, and how far, what is shown of a field differed."""

    compared: int = 0
    wrong: int = 0
    """By more than `EXACT_TOLERANCE`."""
    largest: float = 0.0
    worst: str = ""
    """Where that was, in words."""

    @property
    def share(self) -> float:
        """Of the compared values."""
        return self.wrong / self.compared if self.compared else 0.0


Agreements = dict[str, Agreement]
"""By the `field` of the terms, or by their names."""


def field_of(term: Term) -> str:
    """The key of agreements that `require_parity` takes."""
    return term.field


class Simulated(NamedTuple):
    """What the simulator shows at K decisions."""

    obs: Array
    """(K, D)."""
    steep: npt.NDArray[np.bool_]
    """(K,) whether any car points straight up or down."""


def simulated_at(
    played: Mapping[int, Array], records: Records, teams: tuple[int, ...], obs: Observation
) -> Simulated:
    """What the simulator shows the car of each record at its frame.

    Args:
        played: (R,) `raw` state of each frame.
        records: K rows of `record.py`.
        teams: Of the cars.
        obs: The builder that the bot uses.

    Raises:
        ParityError: When a bot decided in a frame in which nobody plays.
    """
    state = GameState(len(records), teams)
    for row, frame in enumerate(records["frame"].tolist()):
        if frame not in played:
            raise ParityError(f"a bot decided in frame {frame}, in which nobody plays")
        state.raw[row] = played[frame]
    seen: Array = obs.build(state)[np.arange(len(records)), records["car"]]
    return Simulated(seen, (np.abs(state.forward[..., 2]) > STEEP).any(axis=1))


def compare(
    agreements: Agreements,
    terms: tuple[Term, ...],
    simulated: Simulated,
    records: Records,
    key: Callable[[Term], str] = field_of,
) -> None:
    """Add K records to `agreements`.

    Terms that the bot remembers are not compared where frames were skipped; where a car points
    straight up or down, those made of its angles count for the largest difference only.

    Args:
        agreements: Updated in place.
        terms: Of the observation.
        simulated: Of the same K decisions.
        records: K rows of `record.py`.
        key: Of a term in `agreements`.
    """
    column = 0
    for term in terms:
        columns = slice(column, column + term.width)
        column += term.width
        admitted = RECONSTRUCTION[term.field]
        usable = (records["skipped"] == 0) | (not admitted.remembered)
        found = agreements.setdefault(key(term), Agreement())
        counts = ~(simulated.steep[usable] & admitted.steep)
        _compare_term(found, term, simulated.obs[usable, columns], records[usable], columns, counts)


def require_parity(agreements: Agreements) -> None:
    """Refuse differences beyond what `RECONSTRUCTION` admits.

    Raises:
        ParityError: Naming the term, the frame and both values.
    """
    for field, found in agreements.items():
        admitted = RECONSTRUCTION[field]
        if not found.largest <= admitted.error:  # also refuses nan
            raise ParityError(f"{found.worst}: more than {admitted.error:g} apart")
        if found.wrong > max(admitted.share * found.compared, FEW if admitted.share else 0):
            raise ParityError(
                f"{field} differs in {found.share:.1%} of decisions, "
                f"{admitted.share:.1%} are admitted; {found.worst}"
            )


def late_actions(acted: Mapping[int, Array], records: Records, action_delay: int) -> int:
    """How many decisions did not act in the first tick in which they would in training.

    Args:
        acted: (P, 8) controls that acted in each frame of play.
        records: K rows of `record.py`.
        action_delay: Ticks from a decision to that tick.

    Returns:
        0 to K; decisions that a goal overtook are in time.
    """
    late = 0
    for frame, car, action in records[["frame", "car", "action"]].tolist():
        controls = acted.get(frame + action_delay)
        late += controls is not None and not (controls[car] == ACTION_TABLE[action]).all()
    return late


def _compare_term(
    found: Agreement,
    term: Term,
    simulated: Array,
    records: Records,
    columns: slice,
    counts: npt.NDArray[np.bool_],
) -> None:
    """Add M records; those that `counts` (M,) denies are no part of the share."""
    seen: npt.NDArray[np.float32] = records["obs"][:, columns]
    found.compared += len(records)
    if not len(records):
        return
    differences = np.abs(seen - simulated)
    found.wrong += int((~(differences[counts] <= EXACT_TOLERANCE)).any(axis=1).sum())
    # argmax takes the first nan for the largest.
    row, place = np.unravel_index(differences.argmax(), differences.shape)
    largest = float(differences[row, place])
    if not largest <= found.largest:
        record = records[row]
        found.largest = largest
        found.worst = (
            f"{term.name}[{place}] of car {record['car']} in frame {record['frame']} is "
            f"{seen[row, place]:.6g} to the bot and {simulated[row, place]:.6g} in the simulator"
        )
