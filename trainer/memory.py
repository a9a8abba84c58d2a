"""How much memory all processes of a run hold.

Tested by `tests/trainer/test_workers.py` and `tests/trainer/test_memory.py`.
"""

from collections.abc import Sequence
from contextlib import suppress

import psutil


def memory_mb(others: Sequence[int]) -> float:
    """MB resident in this process and in `others`; what they share counts in each."""
    found = psutil.Process().memory_info().rss
    for pid in others:
        with suppress(psutil.NoSuchProcess):
            found += psutil.Process(pid).memory_info().rss
    return found / 2**20


def pss_mb() -> float | None:
    """MB of this process and its children, what several hold counted once; Linux alone tells.

    Takes 2 to 5 ms a process, a hundred times as long as `memory_mb`.
    """
    if not psutil.LINUX:
        return None
    found, here = 0, psutil.Process()
    for process in (here, *here.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            found += process.memory_full_info().pss
    return found / 2**20
