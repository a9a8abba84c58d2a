"""Records work on the CPU as a GPU does: its kernels and the places they read and write, no Python.

What a recorded step took from Python, such as a number that a schedule changes, stays as it was.
Where a number is read back into Python the recording fails, as on a GPU.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from trainer.recorder import RecordingError, Work

Tree = object
"""Tensors and numbers, in tuples, lists and dicts."""
READS_BACK = torch.ops.aten._local_scalar_dense.default


class Kernel(NamedTuple):
    """One that was recorded, with what it was given and what it gave."""

    run: Callable[..., Tree]
    args: tuple[Tree, ...]
    kwargs: dict[str, Tree]
    out: Tree


def tensors_in(tree: Tree) -> list[Tensor]:
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, Tensor)]


class Tape(TorchDispatchMode):
    """A `Recorder`. It computes while it records, and takes that back afterwards."""

    recordings = 0
    """Of all tapes, since a test set it to 0."""

    def __call__(self, work: Work) -> Work:
        work()
        self._kernels: list[Kernel] = []
        self._places: set[int] = set()
        self._before: list[tuple[Tensor, torch.UntypedStorage]] = []
        with self:
            work()
        for tensor, storage in self._before:
            tensor.untyped_storage().copy_(storage)
        Tape.recordings += 1
        kernels = self._kernels
        return lambda: replay(kernels)

    def __torch_dispatch__(
        self,
        run: Callable[..., Tree],
        types: object,
        args: tuple[Tree, ...] = (),
        kwargs: dict[str, Tree] | None = None,
    ) -> Tree:
        if run is READS_BACK:
            raise RecordingError("a number was read back")
        for tensor in tensors_in((args, kwargs)):
            storage = tensor.untyped_storage()
            if storage.data_ptr() not in self._places:
                self._before.append((tensor, storage.clone()))
                self._places.add(storage.data_ptr())
        out = run(*args, **(kwargs or {}))
        self._places |= {found.untyped_storage().data_ptr() for found in tensors_in(out)}
        self._kernels.append(Kernel(run, args, kwargs or {}, out))
        return out


@torch.no_grad()
def replay(kernels: list[Kernel]) -> None:
    """Run all of them again, each into the places that it wrote to when it was recorded."""
    for run, args, kwargs, out in kernels:
        found = run(*args, **kwargs)
        for place, result in zip(tensors_in(out), tensors_in(found), strict=True):
            # A view, or what was changed in place, is there already.
            if place.data_ptr() != result.data_ptr():
                place.detach().copy_(result)


def refuse(work: Work) -> Work:
    """A `Recorder` that cannot record."""
    work()
    raise RecordingError("it has no tape")
