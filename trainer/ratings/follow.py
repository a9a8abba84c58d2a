"""Rating beside a trainer: waits for new versions, costs it little, and never outlives it.

Knows no game. Tested by `tests/trainer/ratings/test_follow.py`.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Final

import psutil

from trainer.run_dir import RunDir, Status, read_status
from trainer.version_folder import list_versions

NICENESS: Final = 10
LOOK_S: Final = 1.0
"""Between two looks for a new version, and for the trainer."""


def follow(run: RunDir, catch_up: Callable[[], None]) -> None:
    """Call `catch_up` now and whenever there are other versions, until nobody trains `run`."""
    seen: list[int] | None = None
    while True:
        found = list_versions(run)
        if found != seen:
            catch_up()
            seen = found
        status = read_status(run)
        if status is None or not status.alive:
            return
        time.sleep(LOOK_S)


def end_with_trainer(run: RunDir) -> None:
    """From now on end this process when the trainer of `run` does, if there is one.

    Games that are being played then are dropped with the process: they count for nothing before
    they are written.
    """
    trainer = read_status(run)
    if trainer is not None and trainer.alive:
        threading.Thread(target=_end_with, args=(trainer,), daemon=True).start()


def spare_the_trainer() -> None:
    """Leave the processor to others."""
    if sys.platform == "win32":
        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
    else:
        os.nice(NICENESS)


def _end_with(trainer: Status) -> None:
    """End this process, in the middle of a game too, when the trainer's does, however it does."""
    while trainer.alive:
        time.sleep(LOOK_S)
    os._exit(0)
