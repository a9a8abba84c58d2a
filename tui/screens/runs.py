"""The runs of a folder: turn to one, train it on, stop it, or begin another.

Starts trainers and writes "quit" into their folders; which run is watched is the app's. Tested by
`tests/tui/screens/test_runs.py`.
"""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Static

from trainer.control import send
from trainer.run_dir import RunDir
from tui import launcher
from tui.keys import Key, page_bindings
from tui.known import Known
from tui.looking import Looking
from tui.messages import NewRunWanted, RunsListed, RunWanted
from tui.run_list import RunEntry, list_runs
from tui.run_rows import COLUMNS, run_rows
from tui.screens.confirm import Confirm
from tui.screens.folder_dialog import FolderDialog
from tui.screens.run_screen import RunScreen
from tui.widgets.keyed_table import KeyedTable

KEYS = (
    Key("attach", "enter", "Attach", "Watch this run; the present one goes on as it is."),
    Key("train", "t", "Train on", "Start its trainer from the last save; asks first."),
    Key("stop", "x", "Stop", "Let its trainer finish the iteration, save and end; asks first."),
    Key("begin", "n", "New run", "Set up a new run."),
    Key("folder", "f", "Folder", "Show the runs of another folder."),
)
"""What the page itself obeys."""


class RunsScreen(RunScreen):
    """One row a run, and what can be done with it."""

    PAGE = "runs"
    CSS_PATH = "runs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        *page_bindings("runs", KEYS),
    ]

    def __init__(self) -> None:
        """Nothing is listed yet."""
        super().__init__()
        self._folder: Path | None = None
        self._found: tuple[RunEntry, ...] | None = None
        self._problem = ""
        self._started: dict[Path, subprocess.Popen[bytes]] = {}
        self._looking = Looking()

    def body(self) -> ComposeResult:
        """The table, and a line for what there is to say."""
        yield KeyedTable(COLUMNS, id="runs")
        yield Static(id="runs-note", markup=False)

    def show(self, known: Known) -> None:
        """Look at the folder when it is time, and let ages grow."""
        folder = self._folder or parent_folder(known.run)
        if self._looking.begin():
            self.run_worker(partial(_list, folder, self.post_message), thread=True)
        if self._found is not None:
            rows = run_rows([*map(self._lately, self._found)], known.now, known.run.path)
            self.query_one(KeyedTable).show(rows)
        note = self._problem or (f"No runs in {folder}." if self._found == () else str(folder))
        self.query_one("#runs-note", Static).update(note)

    def _lately(self, entry: RunEntry) -> RunEntry:
        """`entry`, which starts when its trainer was started here and has not said a word yet."""
        child = self._started.get(entry.path)
        starts = child is not None and child.poll() is None and not entry.alive
        return replace(entry, state="starting") if starts else entry

    def _look_again(self) -> None:
        """Soon, because something changed."""
        self._looking.soon()
        if self.known is not None:
            self.show(self.known)

    def on_runs_listed(self, message: RunsListed) -> None:
        """Show what was found."""
        self._looking.end()
        if self.known is None:
            return
        if message.folder == (self._folder or parent_folder(self.known.run)):
            self._found, self._problem = tuple(message.found), message.problem
            self.show(self.known)
        else:
            self._look_again()

    @property
    def _chosen(self) -> RunEntry | None:
        """The run under the cursor; when there is none, that is said."""
        key = self.query_one(KeyedTable).chosen
        found = next((entry for entry in self._found or () if entry.path.name == key), None)
        if found is None:
            self.notify("There is no run here.", severity="warning")
        return self._lately(found) if found else None

    # What keys do

    def action_attach(self) -> None:
        """Watch it."""
        if not (entry := self._chosen) or self.known is None:
            return
        if entry.path.resolve() == self.known.run.path.resolve():
            self.notify(f"{entry.path.name} is the run that is shown.", markup=False)
        else:
            self.post_message(RunWanted(entry.path))

    def action_train(self) -> None:
        """Start its trainer, once somebody agrees."""
        if not (entry := self._chosen):
            return
        name = entry.path.name
        if entry.alive:
            self.notify(f"{name} is being trained already.", severity="warning", markup=False)
            return
        whence = "its last save" if entry.steps else "the beginning"
        words = f"Trains {name} from {whence}, whatever this dashboard shows."
        if entry.teacher:
            words = (
                f"Goes on with the distillation of {name} from {whence}, by {entry.teacher}. To go "
                f"on by PPO instead: rlppo train --run {entry.path}"
            )
        self.app.push_screen(Confirm("Train on?", words, "Train"), partial(self._train, entry))

    def _train(self, entry: RunEntry, agreed: bool | None) -> None:
        if not agreed:
            return
        try:
            child = launcher.start(launcher.Launch(RunDir(entry.path)))
        except OSError as error:
            self.notify(f"It cannot be started: {error}", severity="error", markup=False)
            return
        self._started[entry.path] = child
        self._look_again()

    def action_stop(self) -> None:
        """Ask its trainer to end, once somebody agrees."""
        if not (entry := self._chosen):
            return
        name = entry.path.name
        if not entry.alive:
            self.notify(f"Nobody trains {name}.", severity="warning", markup=False)
            return
        if entry.state == "starting":
            self.notify(
                f"{name} still starts, and hears nothing yet.", severity="warning", markup=False
            )
            return
        words = f"Stops {name} after its iteration; it saves first."
        self.app.push_screen(Confirm("Stop?", words, "Stop"), partial(self._stop, entry))

    def _stop(self, entry: RunEntry, agreed: bool | None) -> None:
        if not agreed:
            return
        try:
            send(RunDir(entry.path), "quit")
        except OSError as error:
            self.notify(f"It cannot be asked: {error}", severity="error", markup=False)
            return
        self.notify(f"{entry.path.name} stops after its iteration.", markup=False)

    def action_begin(self) -> None:
        """Set up a new run."""
        if self.known:
            self.post_message(NewRunWanted(self._folder or parent_folder(self.known.run)))

    def action_folder(self) -> None:
        """Ask whose runs to show."""
        if self.known:
            folder = self._folder or parent_folder(self.known.run)
            self.app.push_screen(FolderDialog("Folder of runs", folder), self._turn_to)

    def _turn_to(self, folder: Path | None) -> None:
        if folder is not None:
            self._folder, self._found = folder, ()
            self._look_again()


def parent_folder(run: RunDir) -> Path:
    """The folder that `run` lies in."""
    return run.path.parent if run.path.name not in ("", "..") else run.path.resolve().parent


def _list(folder: Path, post: Callable[[Message], object]) -> None:
    try:
        post(RunsListed(folder, list_runs(folder)))
    except OSError as error:
        post(RunsListed(folder, (), f"The runs cannot be listed: {error}"))
