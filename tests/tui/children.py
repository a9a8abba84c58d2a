"""Which programs a test has left running."""

import asyncio
import time

import psutil

from tests.patience import PATIENCE_S

STANDARD_LIBRARY = "multiprocessing.resource_tracker"
"""A child that Python keeps from the first process on that any test has spawned."""


_before: set[int] = set()
"""Process numbers of those that tests before this one have left."""


def note_children() -> None:
    """Those that are there now are not of the test that begins."""
    _before.clear()
    _before.update(child.pid for child in psutil.Process().children())


def no_child_is_left() -> bool:
    """Whether this process has no child of this test's making."""
    ours = (child for child in psutil.Process().children() if child.pid not in _before)
    return all(map(_is_pythons_own, ours))


async def no_child_stays(seconds: float = PATIENCE_S) -> bool:
    """Whether all of them are gone soon: what is killed takes a moment to be waited for."""
    end = time.monotonic() + seconds
    while not no_child_is_left() and time.monotonic() < end:
        await asyncio.sleep(0.02)
    return no_child_is_left()


def _is_pythons_own(child: psutil.Process) -> bool:
    try:
        return STANDARD_LIBRARY in " ".join(child.cmdline())
    except psutil.NoSuchProcess:  # gone, or a zombie that nobody has waited for yet
        return not child.is_running()
