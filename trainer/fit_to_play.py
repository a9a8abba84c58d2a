"""The environment of a process that plays: what C libraries read there once, when they start.

What the user has set stays, but for the number of threads. Knows no process. Tested by
`tests/trainer/test_fit_to_play.py`.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import torch

ONE_THREAD: Final = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)
"""Every core has a process that plays already."""
KERNELS: Final = {"AVX2": "Haswell", "AVX512": "SkylakeX"}
"""OpenBLAS's for what PyTorch finds in the CPU. Left alone it takes its slowest ones, a fifth as
fast, on a CPU whose model it does not know, as many virtual machines have."""
HUGE_PAGES: Final = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""Arenas fill more pages of 4 kB than a CPU remembers the places of: physics takes 5 to 8 % less
in pages of 2 MB, which Linux gives to whom asks. Other systems do not read this."""


@contextmanager
def fit_to_play() -> Iterator[None]:
    """Processes that start here play as fast as they can, each on one core."""
    before = dict(os.environ)
    kernels = KERNELS.get(torch.backends.cpu.get_cpu_capability())
    wishes = HUGE_PAGES | ({} if kernels is None else {"OPENBLAS_CORETYPE": kernels})
    os.environ |= wishes | before | ONE_THREAD
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
