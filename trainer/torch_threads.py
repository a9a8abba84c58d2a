"""How many threads torch computes with. Tested by `tests/trainer/test_torch_threads.py`."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Several threads only slow down the small forward passes between decisions."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
