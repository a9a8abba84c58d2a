"""Memory that a GPU copies from and to by itself, while this process goes on.

Tested by `tests/trainer/test_pinning.py`.
"""

from contextlib import suppress
from typing import Any, Final

import numpy.typing as npt
import torch

PORTABLE: Final = 1
"""`cudaHostRegisterPortable`: pinned for every context of this process."""


def pin(memory: npt.NDArray[Any]) -> bool:
    """Fix `memory` in its place until `unpin`, which must come before it goes; False if refused.

    Copies that are asked not to block still work when it is: they block.
    """
    runtime = torch.cuda.cudart()  # type: ignore[no-untyped-call]
    error = int(runtime.cudaHostRegister(memory.ctypes.data, memory.nbytes, PORTABLE))
    if error:
        # The next kernel to start would take that error for its own, and clear it: let it be one
        # that nobody misses.
        with suppress(RuntimeError):
            torch.ones(1, device="cuda")
    return not error


def unpin(memory: npt.NDArray[Any]) -> None:
    """Give back what `pin` fixed, once no copy is under way."""
    torch.cuda.synchronize()
    runtime = torch.cuda.cudart()  # type: ignore[no-untyped-call]
    runtime.cudaHostUnregister(memory.ctypes.data)
