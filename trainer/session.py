"""One trainer's hold on a run folder: lock, status, events, and the commands it is asked.

Knows no torch and nothing of how learning works. Tested by `tests/trainer/test_session.py`
and `test_refused.py`.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

import filelock

from trainer import metrics
from trainer.checkpoint_marks import checked_name
from trainer.control import CommandReader, Edit, EventKind, Save, tell
from trainer.files import write_atomic
from trainer.metrics import IterationMetrics
from trainer.report import error_words, iteration_line
from trainer.run_dir import Phase, RunDir, new_status, read_status, write_status
from trainer.stopping import Limit, Stop

COMMANDS_EVERY_S = 0.25
HEARTBEAT_EVERY_S = 2.0


class RunBusyError(Exception):
    """Somebody trains in this folder already."""


@contextmanager
def lock_run(run: RunDir) -> Iterator[None]:
    """Hold the run folder, made if need be; a process that dies in any way lets it go.

    Raises:
        RunBusyError: Naming the process that holds it.
    """
    run.path.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(run.path / "trainer.lock", timeout=0)
    try:
        lock.acquire()
    except filelock.Timeout as error:
        status = read_status(run)
        holder = f"process {status.pid}" if status and status.alive else "another process"
        raise RunBusyError(f"{holder} trains in {run.path} already: stop it first") from error
    try:
        yield
    finally:
        lock.release()


class Session:
    """What the learner tells the run folder, and what the folder asks of the learner."""

    def __init__(self, run: RunDir, device: str, stop: Stop, say: Callable[[str], None]) -> None:
        """Begin in phase "starting".

        From here on a disk that refuses is said, and what it did not take is lost: what is learned
        counts more than what is told of it.

        Args:
            run: The folder, locked.
            device: Where the networks learn, in words.
            stop: Is asked when somebody sends "quit".
            say: Gets each event as a line for a person.

        Raises:
            OSError: When not even this can be written.
        """
        self.run = run
        self.status = new_status(device)
        self.saves: list[Save] = []
        """Who asked for a checkpoint after this iteration, oldest first; cleared by who saves."""
        self.pause_asked = False
        """Somebody asked to wait after this iteration."""
        self._edits: list[Edit] = []
        self._stop = stop
        self._say = say
        self._commands = CommandReader(run)
        self._next_read = 0.0
        self._refused = False
        self._before = run.status.read_bytes() if run.status.exists() else None
        write_status(run, self.status)
        self._next_heartbeat = time.monotonic() + HEARTBEAT_EVERY_S

    @contextmanager
    def untold_when_refused(self) -> Iterator[None]:
        """While nothing has begun: whatever goes wrong leaves the folder as it was found.

        Whoever asked for the session hears of it; the story of the run is none the longer for it.
        """
        try:
            yield
        except BaseException:
            with suppress(OSError):
                if self._before is None:
                    self.run.status.unlink()
                else:
                    write_atomic(self.run.status, self._before)
            raise

    def enter(self, phase: Phase) -> None:
        """Publish that `phase` begins."""
        self.status = replace(self.status, phase=phase)
        self._publish()

    def progress(self, iteration: int, steps: int, next_save: int) -> None:
        """Note how far the run is; published with the next phase."""
        self.status = replace(self.status, iteration=iteration, steps=steps, next_save=next_save)

    def limit(self, limit: Limit) -> None:
        """Note where this session ends by itself; published with the next phase."""
        self.status = replace(self.status, last_iteration=limit.last_iteration, ends=limit.ends)

    def show(self, viewer: bool) -> None:
        """Switch the publishing of the newest policy on or off."""
        self.status = replace(self.status, viewer=viewer)
        self._publish()

    def tell(self, kind: EventKind, text: str, answers: str = "") -> None:
        """Write one event and say it; `answers` is the id of the command that it is about."""
        self._write(lambda: tell(self.run, kind, text, self.status.steps, answers))
        self._say(text)

    def fail(self, error: Exception) -> None:
        """Write what ended the run, with its notes, as far as the disk allows."""
        with suppress(OSError):
            text = f"{type(error).__name__}: {error_words(error)}"
            tell(self.run, "error", text, self.status.steps)
            self.enter("failed")

    def report(self, iteration: IterationMetrics) -> None:
        """Write what was measured in one iteration and say it."""
        self._write(lambda: metrics.append(self.run.metrics, iteration))
        self._say(iteration_line(iteration))

    def poll(self) -> None:
        """Read commands and keep the heartbeat; cheap enough for every decision."""
        now = time.monotonic()
        if now >= self._next_read:
            self._next_read = now + COMMANDS_EVERY_S
            self._obey()
        if now >= self._next_heartbeat:
            self._publish()

    def hear(self) -> bool:
        """Read commands at once and keep the heartbeat; whether anything was asked."""
        heard = self._obey()
        if time.monotonic() >= self._next_heartbeat:
            self._publish()
        return heard

    def take_edits(self) -> list[Edit]:
        """The edits that nobody took yet, oldest first."""
        self._obey()
        edits, self._edits = self._edits, []
        return edits

    def _obey(self) -> bool:
        """Do, or note, what was asked since the last look; whether that is anything."""
        commands = self._commands.read()
        for command in commands:
            match command:
                case "save":
                    self.saves.append(Save())
                case "pause" | "resume":
                    self.pause_asked = command == "pause"
                case "quit":
                    self._stop.ask()
                case "viewer_on" | "viewer_off":
                    self.show(command == "viewer_on")
                case Edit():
                    self._edits.append(command)
                case Save():
                    self._note_save(command)
        return bool(commands)

    def _note_save(self, save: Save) -> None:
        try:
            self.saves.append(save._replace(name=checked_name(save.name)))
        except ValueError as error:
            self.tell("warning", f"save: {error}; nothing was saved", save.id)

    def _publish(self) -> None:
        self._write(lambda: write_status(self.run, self.status))
        self._next_heartbeat = time.monotonic() + HEARTBEAT_EVERY_S

    def _write(self, write: Callable[[], None]) -> None:
        """Do it; the first of several refusals in a row is said."""
        try:
            write()
            self._refused = False
        except OSError as error:
            if not self._refused:
                self._refused = True
                self._say(f"could not write to {self.run.path}: {error}")
