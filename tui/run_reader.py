"""Reads what is new in a run folder, and judges whether its trainer still trains.

Plain Python without a screen: `feed.py` calls `poll` from a thread. Knows the trainer as a process
and a folder only. Tested by `tests/tui/test_run_reader.py`.
"""

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from trainer.control import Event, event_from_record
from trainer.jsonl import Follower, Record
from trainer.run_dir import RunDir, Status, read_status
from tui.history import Board
from tui.history_reader import HistoryReader
from tui.log_tail import plain

Situation = Literal["starting", "running", "stopped", "died"]
"""stopped: it said that it is done; died: it is gone without a word, or said that it failed."""

LAST_LINES = 12
"""Lines of a dead trainer's output that are shown."""
_BOARD_EVERY_S = 1.0
_LOG_TAIL_BYTES = 8192


@dataclass(frozen=True)
class Reading:
    """What one poll found."""

    board: Board | None
    """The metrics; None when there is nothing new to show."""
    events: tuple[Event, ...]
    """What happened since the last poll."""
    status: Status | None
    """The trainer's last status; None when this trainer has not written one."""
    situation: Situation
    """Whether it trains."""
    last_words: tuple[str, ...]
    """The end of its output; empty unless it died."""
    caught_up: bool
    """False when more of the metrics waits to be read."""


class RunReader:
    """Follows one run."""

    def __init__(
        self,
        run: RunDir,
        child: subprocess.Popen[bytes] | None = None,
        stale: Status | None = None,
    ) -> None:
        """Follow `run` from its beginning.

        Args:
            run: The folder to read.
            child: The trainer, when it was started here.
            stale: The status of an earlier trainer, found before `child` was started.
        """
        self._run = run
        self._child = child
        self._stale = stale
        self._metrics = HistoryReader(run.metrics)
        self._events = Follower(run.events)
        self._next_board = time.monotonic() + _BOARD_EVERY_S

    def poll(self) -> Reading:
        """Everything new since the last call."""
        status, situation = self._judge()
        more = self._metrics.read()
        found_events = map(event_from_record, self._new_events())
        return Reading(
            board=self._board(caught_up=not more),
            events=tuple(event for event in found_events if event),
            status=status,
            situation=situation,
            last_words=self._last_words(status) if situation == "died" else (),
            caught_up=not more,
        )

    def _new_events(self) -> list[Record]:
        try:
            return self._events.read_new()
        except OSError:
            return []

    def _board(self, *, caught_up: bool) -> Board | None:
        """The board when it has news: at once where nothing waits, else now and then."""
        now = time.monotonic()
        at_once = caught_up or self._metrics.sampled
        if not self._metrics.news or not (at_once or now >= self._next_board):
            return None
        self._next_board = now + _BOARD_EVERY_S
        return self._metrics.board()

    def _judge(self) -> tuple[Status | None, Situation]:
        exit_code = self._child.poll() if self._child else None
        status = self._own_status()
        alive = status.alive if status else False
        if not alive:
            # It may have written its last word and left between the two looks.
            status = self._own_status()
        started = self._child is not None and exit_code is None
        return status, judge(status, alive=alive or started)

    def _own_status(self) -> Status | None:
        status = read_status(self._run)
        same = status and self._stale and _process(status) == _process(self._stale)
        return None if same else status

    def _last_words(self, status: Status | None) -> tuple[str, ...]:
        since = status.started if status and self._child is None else 0.0
        return log_tail(self._run.log, since)


def judge(status: Status | None, *, alive: bool) -> Situation:
    """What `status` means when the process behind it is `alive` or not."""
    if status and status.phase == "stopped":
        return "stopped"
    if not alive or (status and status.phase == "failed"):
        return "died"
    return "running" if status and status.phase != "starting" else "starting"


def log_tail(path: Path, since: float) -> tuple[str, ...]:
    """The last lines of a log written after `since` (epoch seconds), without terminal codes."""
    try:
        if path.stat().st_mtime < since:
            return ()
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - _LOG_TAIL_BYTES))
            text = file.read().decode(errors="replace")
    except OSError:
        return ()
    lines = [plain(line) for line in text.splitlines()]
    return tuple([line for line in lines if line][-LAST_LINES:])


def _process(status: Status) -> tuple[int, float]:
    return status.pid, status.pid_created
