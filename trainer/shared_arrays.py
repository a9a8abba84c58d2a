"""Numpy arrays that several processes see at once.

One block of memory without a name: it goes with the processes that hold it, however they end.
Standard library and numpy only. Tested by `tests/trainer/test_shared_arrays.py`.
"""

import math
from collections.abc import Mapping
from multiprocessing.context import SpawnContext
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

ALIGNMENT: Final = 64
"""Bytes of a cache line: no two arrays share one."""


class Plan(NamedTuple):
    """One array to be."""

    shape: tuple[int, ...]
    dtype: str
    """Such as "float32"."""

    @property
    def nbytes(self) -> int:
        """Bytes of its numbers."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize


class SharedArrays:
    """Arrays by name. Give it to a new process as an argument, which is how it travels."""

    def __init__(self, plans: Mapping[str, Plan], context: SpawnContext) -> None:
        """Allocate all of them, filled with zeros."""
        self._plans, self._starts, size = dict(plans), {}, 0
        for name, plan in plans.items():
            self._starts[name] = size
            size += math.ceil(plan.nbytes / ALIGNMENT) * ALIGNMENT
        self._raw = context.RawArray("b", max(size, 1))

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """The array of that name, in the shared memory."""
        shape, dtype = self._plans[name]
        flat = np.frombuffer(self._raw, dtype, math.prod(shape), self._starts[name])
        return flat.reshape(shape)

    @property
    def block(self) -> npt.NDArray[np.uint8]:
        """The whole of the shared memory, as bytes."""
        return np.frombuffer(self._raw, np.uint8)
