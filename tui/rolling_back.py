"""How a run is rolled back to a checkpoint: branched from it, stopped, and gone on with as another.

A small state machine without a screen or a process: it says what to do, `app.py` does it and tells
how it went. The branch comes before the stop: a refusal then costs nothing, and the save at the
end of the old run cannot push the checkpoint out. Tested by `tests/tui/test_rolling_back.py`.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tui.formatting import compact
from tui.quitting import Quitting
from tui.run_reader import Situation

Order = Literal["branch", "send", "interrupt", "launch"]
"""branch: copy the checkpoint into the new run, then say `branched` or `refused`; send: write
"quit" into the old run's commands.jsonl; interrupt: signal its process; launch: start the new
run's trainer and watch that."""
Stage = Literal["branching", "stopping", "over"]


@dataclass
class RollingBack:
    """One run that goes back, and what was done about it so far."""

    run: Path
    """Folder of the run that is left as it is."""
    checkpoint: Path
    """The checkpoint of `run` to go on from."""
    new_run: Path
    """Folder of the run that goes on; it does not exist yet."""
    stage: Stage = "branching"
    """What is being waited for."""
    refusal: str = ""
    """Why it was given up, for a person; empty when it was not."""
    _branch_ordered: bool = False
    _quitting: Quitting = field(default_factory=Quitting)

    def branched(self, now: float) -> None:
        """The new run is there: the old one may end, unless it was given up."""
        if self.stage == "branching":
            self.stage = "stopping"
            self._quitting.ask(now)

    def refused(self, reason: str) -> None:
        """The new run cannot be: give up, with the old one as it was."""
        self.stage, self.refusal = "over", reason

    def give_up(self, now: float) -> Quitting:
        """Only stop the old run, for somebody who quits: gives what it was asked so far for that.

        Asked anew it would be asked twice, which drops its iteration.
        """
        if self.stage == "branching":
            self._quitting.ask(now)
        self.refused(f"{self.new_run.name} is not gone on with.")
        return self._quitting

    def orders(self, situation: Situation, now: float) -> list[Order]:
        """What is to be done at this moment, each thing once.

        Args:
            situation: Of the old run's trainer.
            now: Seconds since the epoch.
        """
        if self.stage == "branching":
            ordered, self._branch_ordered = self._branch_ordered, True
            return [] if ordered else ["branch"]
        if self.stage == "stopping" and situation in ("stopped", "died"):
            self.stage = "over"
            return ["launch"]
        return [*self._quitting.orders(situation, now)] if self.stage == "stopping" else []

    @property
    def words(self) -> str:
        """What is being done, for a person."""
        if self.stage == "branching":
            return f"Copying the checkpoint to {self.new_run.name}…"
        if self.stage == "stopping":
            return f"Stopping {self.run.name}, which saves first…"
        return self.refusal or f"Goes on as {self.new_run.name}."


def promise(run: str, steps: int, new_run: str, *, trains: bool) -> str:
    """Exactly what a roll back will do, before somebody agrees.

    Args:
        run: Name of the run.
        steps: Agent steps of the checkpoint.
        new_run: Name of the run that goes on.
        trains: Whether `run` is being trained.
    """
    first = f"Stops {run} after its iteration (saved), then goes" if trains else "Goes"
    return f"{first} on from {compact(steps)} steps as a new run {new_run}; {run} stays as it is."
