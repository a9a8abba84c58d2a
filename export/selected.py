"""The report of a selection, as far as an export is bound to it: who won, and may it be shipped?

Reads the report.json that `rlppo select` writes. Tested by `tests/export/test_selected.py`.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlbot_agent.contract import Contract
from trainer.evaluation.protocol import hash_of


class SelectionError(Exception):
    """The report does not choose what shall be exported; one sentence says why."""


@dataclass(frozen=True)
class Selected:
    """The winner of a selection that it was fit to win."""

    report_sha256: str
    """Of the report's file."""
    name: str
    """What the report calls it."""
    steps: int
    """Agent steps of training behind it."""
    weights_sha256: str
    """Of its actor.safetensors."""
    contract_sha256: str
    """Of its `Contract.to_json`."""

    def require(self, contract: Contract, checkpoint: str) -> None:
        """Refuse a checkpoint that is not the winner.

        Args:
            contract: Of the checkpoint.
            checkpoint: What to call it.

        Raises:
            SelectionError: With the winner.
        """
        found = hashlib.sha256(contract.to_json().encode()).hexdigest()
        if (self.weights_sha256, self.contract_sha256) != (contract.checkpoint_hash, found):
            raise SelectionError(
                f"{checkpoint} is not what was selected: that is {self.name}, after "
                f"{self.steps:,} steps, with weights {self.weights_sha256[:12]}"
            )


def read_selected(report: Path) -> Selected:
    """The winner that a report names.

    Raises:
        SelectionError: When it is no report, contradicts itself, or its winner did not pass the
            gate.
    """
    try:
        data = report.read_bytes()
        found = json.loads(data)
        winner, passed = found["winner"], found["passed"]
        failed = [finding["words"] for finding in found["gate"] if not finding["passed"]]
        (player,) = (
            player
            for player in found["binding"]["players"]
            if (player["name"], player["role"]) == (winner, "candidate")
        )
        wrong = [name for name, fits in _consistency(found).items() if not fits]
        selected = Selected(
            report_sha256=hashlib.sha256(data).hexdigest(),
            name=winner,
            steps=player["steps"],
            weights_sha256=player["weights_sha256"],
            contract_sha256=player["contract_sha256"],
        )
    except OSError as error:
        raise SelectionError(f"{report} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise SelectionError(f"{report} is no report of rlppo select: {error!r}") from error
    if wrong:
        raise SelectionError(f"{report} contradicts itself about: {', '.join(wrong)}")
    if not passed:
        raise SelectionError(
            f"{winner} won the selection of {report} but may not be shipped: {'; '.join(failed)}"
        )
    return selected


def _consistency(report: dict[str, Any]) -> dict[str, bool]:
    """Whether what a report says twice is the same, by what it is about.

    That shows a careless edit. Whoever can write the file can make it agree: who must know that
    a selection was played runs it again, which gives the same file to the byte.
    """
    passed = [finding["passed"] for finding in report["gate"]]
    return {
        "binding": hash_of(report["binding"]) == report["binding_sha256"],
        "winner": report["ranking"][0] == report["winner"],
        "gate": bool(passed) and report["passed"] is all(found is True for found in passed),
    }
