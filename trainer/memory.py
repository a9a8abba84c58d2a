"""How much memory all processes of a run hold. Tested by `tests/trainer/test_workers.py`."""

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
