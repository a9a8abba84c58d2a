"""The run's checkpoints: mark, delete, export and verify them, go back to one, let two play.

Writes marks and commands into the run folder, and runs `rlppo export` and `verify` as processes;
what needs another run or the pitch it only asks the app for. Tested by
`tests/tui/screens/test_checkpoints.py`.
"""

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from trainer.branch import default_branch
from trainer.checkpoint_list import CheckpointInfo
from trainer.checkpoint_marks import Mark, write_mark
from trainer.control import send_save
from trainer.ratings.table import Ratings
from tui import checkpoint_work
from tui.checkpoint_rows import COLUMNS, called, checkpoint_rows
from tui.keys import Key, page_bindings
from tui.known import Known
from tui.looking import Looking
from tui.messages import CheckpointNews, CheckpointsListed, MatchWanted, RollBackWanted
from tui.rolling_back import promise
from tui.screens.child_dialog import ChildDialog
from tui.screens.confirm import Confirm
from tui.screens.mark_dialog import MarkDialog
from tui.screens.run_screen import RunScreen
from tui.widgets.keyed_table import KeyedTable

RLPPO = (sys.executable, "-m", "export")
"""The program that exports and verifies."""

KEYS = (
    Key("save_as", "c", "Save as", "Save a checkpoint now, with a name and a pin."),
    Key("pin", "i", "Pin", "Never prune it, or again as others."),
    Key("name", "n", "Name", "Give it a name."),
    Key("delete", "x", "Delete", "Remove it for good; asks first."),
    Key("export", "e", "Export", "Make it a bot for the game, in the run's folder bundles."),
    Key(
        "verify",
        "v",
        "Verify",
        "Check that its bundle plays as it was trained; without one, its files.",
    ),
    Key("roll_back", "b", "Roll back", "Go on from it as a new run; asks first."),
    Key("match", "m", "Match", "Choose who plays blue, then who plays orange."),
)
"""What the page itself obeys."""


class CheckpointsScreen(RunScreen):
    """One row a checkpoint, and what can be done with it."""

    PAGE = "checkpoints"
    CSS_PATH = "checkpoints.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        *page_bindings("checkpoints", KEYS),
        Binding(
            "escape",
            "forget",
            "No match",
            show=False,
            tooltip="Forget who was to play blue.",
            id="checkpoints.forget",
        ),
    ]

    def __init__(self) -> None:
        """Nothing is listed yet."""
        super().__init__()
        self._found: tuple[CheckpointInfo, ...] | None = None
        self._ratings: Ratings | None = None
        self._problem = ""
        self._blue: Path | None = None
        self._looking = Looking()

    def body(self) -> ComposeResult:
        """The table, and a line for what there is to say."""
        yield KeyedTable(COLUMNS, id="checkpoints")
        yield Static(id="checkpoints-note", markup=False)

    def show(self, known: Known) -> None:
        """Look at the folder when it is time, and let ages grow."""
        if self._looking.begin():
            look = partial(checkpoint_work.look, known.run, self.post_message)
            self.run_worker(look, thread=True)
        if self._found is not None:
            rows = checkpoint_rows(self._found, known.now, self._blue, self._ratings)
            self.query_one(KeyedTable).show(rows)
        self.query_one("#checkpoints-note", Static).update(self._note(known))

    def _note(self, known: Known) -> str:
        if self._problem:
            return self._problem
        if self._blue is not None:
            return "M on another, or on the same, chooses who plays orange; Esc forgets blue."
        if self._found == ():
            wait = f" The first comes at {known.status.next_save:,} steps." if known.status else ""
            return f"No checkpoints yet.{wait}"
        return ""

    def _look_again(self) -> None:
        """Soon, because something changed."""
        self._looking.soon()
        self._draw()

    def _draw(self) -> None:
        if self.known is not None:
            self.show(self.known)

    def on_checkpoints_listed(self, message: CheckpointsListed) -> None:
        """Show what was found."""
        self._looking.end()
        self._found, self._problem = tuple(message.found), message.problem
        self._ratings = message.ratings
        self._draw()

    def on_checkpoint_news(self, message: CheckpointNews) -> None:
        """Say what was done, or why not."""
        self.notify(
            message.words, severity="error" if message.refused else "information", markup=False
        )
        self._look_again()

    @property
    def _chosen(self) -> CheckpointInfo | None:
        """The checkpoint under the cursor; when there is none, that is said."""
        key = self.query_one(KeyedTable).chosen
        found = next((info for info in self._found or () if info.path.name == key), None)
        if found is None:
            self.notify("There is no checkpoint here yet.", severity="warning")
        return found

    # Save and mark

    def action_save_as(self) -> None:
        """Ask for a name, then the trainer for a checkpoint."""
        if self.known is None or not self.known.training:
            self.notify("Nothing trains that could be saved.", severity="warning")
            return
        self.app.push_screen(MarkDialog("Save now", "Save", Mark(pinned=True)), self._save)

    def _save(self, mark: Mark | None) -> None:
        if mark and self.ask(lambda run: send_save(run, name=mark.name, pin=mark.pinned)):
            self.notify("A checkpoint is saved at the end of this iteration.")

    def action_pin(self) -> None:
        """Pin it, or take the pin off."""
        if info := self._chosen:
            self._write(info, replace(info.mark, pinned=not info.mark.pinned))

    def action_name(self) -> None:
        """Ask for its name."""
        if info := self._chosen:
            dialog = MarkDialog("Name and pin", "Write", info.mark)
            self.app.push_screen(dialog, partial(self._write, info))

    def _write(self, info: CheckpointInfo, mark: Mark | None) -> None:
        if mark is None:
            return
        try:
            write_mark(info.path, mark)
        except (OSError, ValueError) as error:
            self.notify(f"The mark cannot be written: {error}", severity="error", markup=False)
        self._look_again()

    # Delete, export, verify

    def action_delete(self) -> None:
        """Remove it, once somebody agrees."""
        if info := self._chosen:
            words = f"Removes {called(info)} for good. Nothing brings it back."
            dialog = Confirm("Delete?", words, "Delete")
            self.app.push_screen(dialog, partial(self._delete, info))

    def _delete(self, info: CheckpointInfo, agreed: bool | None) -> None:
        if agreed and self.known:
            work = partial(checkpoint_work.remove, self.known.run, info, self.post_message)
            self.run_worker(work, thread=True)

    def action_export(self) -> None:
        """Write its bundle, in view."""
        if (info := self._chosen) and self.known:
            run = str(self.known.run.path)
            command = (*RLPPO, "export", run, "--checkpoint", str(info.steps))
            self.app.push_screen(ChildDialog("Export", command))

    def action_verify(self) -> None:
        """Play its bundle against its network; without a bundle, check what the files are."""
        if not (info := self._chosen) or not self.known:
            return
        bundle = self.known.run.bundles / str(info.steps)
        if bundle.is_dir():
            self.app.push_screen(ChildDialog("Verify", (*RLPPO, "verify", str(bundle))))
        else:
            self.run_worker(partial(checkpoint_work.inspect, info, self.post_message), thread=True)

    # Go back, and play

    def action_roll_back(self) -> None:
        """Go on from it as a new run, once somebody agrees."""
        if (info := self._chosen) and self.known:
            run = self.known.run
            new = default_branch(run, info.steps).path
            trains = self.known.situation in ("starting", "running")
            words = promise(run.path.resolve().name, info.steps, new.name, trains=trains)
            dialog = Confirm("Roll back?", words, "Roll back")
            self.app.push_screen(dialog, partial(self._roll_back, info.path, new))

    def _roll_back(self, checkpoint: Path, new: Path, agreed: bool | None) -> None:
        if agreed:
            self.post_message(RollBackWanted(checkpoint, new))

    def action_match(self) -> None:
        """Choose blue, then orange."""
        if not (info := self._chosen):
            return
        if self._blue is None:
            self._blue = info.path
        else:
            self.post_message(MatchWanted(self._blue, info.path))
            self._blue = None
        self._draw()

    def action_forget(self) -> None:
        """Nobody plays blue."""
        self._blue = None
        self._draw()
