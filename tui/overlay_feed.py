"""The threads that read other runs beside the watched one, and parts of any once more.

Touch no widget: they post messages. Tested by `tests/tui/test_overlay_feed.py`.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from textual.message import Message

from trainer.run_dir import RunDir
from tui.chart_view import Range
from tui.history import RunHistory
from tui.history_reader import HistoryReader, read_detail

POLL_S: Final = 2.0
"""Seconds between two looks at a run that is only compared with."""
_BREATH_S: Final = 0.002
_PATIENCE_S: Final = 0.1

Post = Callable[[Message], object]


@dataclass
class OtherRead(Message):
    """Another run was read, or went on."""

    run: Path
    """Its folder."""
    history: RunHistory
    """What is known of it."""


@dataclass
class CloserRead(Message):
    """A part was read once more, every iteration of it."""

    request: "Closer"
    """What was asked for."""
    details: Mapping[Path, RunHistory]
    """Run folder to what was found; one that has no more to tell is missing."""


@dataclass(frozen=True)
class Closer:
    """A wish to see every iteration of a part."""

    histories: Mapping[Path, RunHistory]
    """Run folder to all of that run."""
    part: Range
    """From where to where, in agent steps or in seconds since each run began."""
    by_time: bool
    """Whether in seconds."""
    metrics: tuple[str, ...]
    """What is wanted."""
    stop: threading.Event = field(default_factory=threading.Event, compare=False)
    """Set when it is not wanted any more."""


def follow(run: Path, post: Post, stop: threading.Event) -> None:
    """Read the run in `run` and what it adds, until `stop`. Runs in a thread of its own."""
    reader = HistoryReader(RunDir(run).metrics)
    while not stop.is_set():
        more = reader.read()
        if reader.news and (reader.sampled or not more) and (board := reader.board()):
            post(OtherRead(run, board.history))
        stop.wait(_BREATH_S if more else POLL_S)


def read_closer(wish: Closer, post: Post) -> None:
    """Read what is wished for, unless another wish follows at once. Runs in a thread."""
    details = {}
    if wish.stop.wait(_PATIENCE_S):
        return
    for run, history in wish.histories.items():
        low, high = (x + (history.began if wish.by_time else 0.0) for x in wish.part)
        path, part = RunDir(run).metrics, (low, high)
        detail = read_detail(path, history, part, wish.metrics, wish.stop, by_time=wish.by_time)
        if wish.stop.is_set():
            return
        if detail is not None:
            details[run] = detail
    post(CloserRead(wish, details))
