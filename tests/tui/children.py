"""Which viewers a test has left running."""

import asyncio
import time

import psutil

STANDARD_LIBRARY = "multiprocessing.resource_tracker"
"""A child that Python keeps from the first process on that any test has spawned."""


def no_child_is_left() -> bool:
    """Whether this process has no child of a test's making."""
    return all(map(_is_pythons_own, psutil.Process().children()))


async def no_child_stays(seconds: float = 10) -> bool:
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
