"""A device beside the host, where there is none: its numbers are real, its rules are a GPU's.

Its tensors call themselves `meta`. While `Elsewhere` is entered, whatever is made there or moved
there holds numbers that the CPU computes with, and an operation that is given tensors of both
places fails. What the host asks of the device and what it sends there is noted, and fails while
work is recorded.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import NoReturn

import pytest
import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.nn import functional
from torch.optim import Optimizer
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from trainer.recorder import Work

Tree = object
"""Tensors and numbers, in tuples, lists and dicts."""
DEVICE = torch.device("meta")
CPU = torch.device("cpu")
aten = torch.ops.aten
WRITES = aten.copy_.default
MOVES = (aten._to_copy.default, WRITES)
"""What may be given tensors of both places, or give one of the other."""
ASKS = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
"""Of operations that wait for numbers of the device, or for how many of them there are."""
INDEXES = (aten.index.Tensor, aten.index_put_.default, aten.index_put.default)
"""These ask where an index is a mask: how many rows it allows."""


class RuleError(AssertionError):
    """What a GPU does not do, or not there."""


class There(Tensor):
    """A tensor of the device."""

    numbers: Tensor

    @staticmethod
    def __new__(cls: type["There"], numbers: Tensor) -> "There":
        made: There = Tensor._make_wrapper_subclass(
            cls,
            numbers.shape,
            strides=numbers.stride(),
            storage_offset=numbers.storage_offset(),
            dtype=numbers.dtype,
            device=DEVICE,
        )
        made.numbers = numbers
        return made

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, run: object, *rest: object) -> NoReturn:
        raise RuleError(f"{run}, and nobody has entered the device")

    def tolist(self) -> Tree:
        """PyTorch does not let a subclass have one."""
        return self.cpu().tolist()

    def __repr__(self) -> str:
        return f"There({self.numbers})"


class Elsewhere(TorchDispatchMode):
    """The device, while it is entered."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        """By which operations the host got to know numbers of the device, in order."""
        self.sent: list[str] = []
        """By which it sent some there."""
        self._is_recording = False

    def record(self, work: Work) -> Work:
        """A `Recorder`. It replays by doing the work again, of which all must be the device's.

        What Python says is then of the replay; that no step needs it is for `tape.py` to find out.
        """

        def replay() -> None:
            self._is_recording = True
            try:
                work()
            finally:
                self._is_recording = False

        work()
        return replay

    def __torch_dispatch__(
        self,
        run: OpOverload,
        types: object,
        args: tuple[Tree, ...] = (),
        kwargs: dict[str, Tree] | None = None,
    ) -> Tree:
        kwargs = kwargs or {}
        if run._can_decompose():
            # Without gradients, what is made of others arrives whole.
            with self:
                return run.decompose(*args, **kwargs)
        given = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        there = {isinstance(tensor, There) for tensor in given}
        goes_there = kwargs["device"] == DEVICE if kwargs.get("device") else True in there
        if run is WRITES:
            goes_there = isinstance(args[0], There)
        if True not in there and not goes_there:
            return run(*args, **kwargs)
        if run in MOVES and there != {goes_there}:
            self._note(self.sent if goes_there else self.asked, run)
        elif len(there) == 2:
            raise RuleError(f"{run} of tensors of the device and of the host")
        elif asks(run, args):
            self._note(self.asked, run)
        found = run(*numbers_of(args), **numbers_of(kwargs))
        # What was written into is what it was.
        known = {id(tensor.numbers): tensor for tensor in given if isinstance(tensor, There)}
        return tree_map(lambda leaf: placed(leaf, known, goes_there), found)

    def _note(self, kind: list[str], run: OpOverload) -> None:
        if self._is_recording:
            raise RuleError(f"{run} while work is recorded")
        kind.append(str(run).split(".")[1])


def asks(run: OpOverload, args: tuple[Tree, ...]) -> bool:
    """Whether the host must wait for the device to go on."""
    return has_mask(args[1]) if run in INDEXES else not ASKS.isdisjoint(run.tags)


def has_mask(indices: Tree) -> bool:
    """Whether a tensor is indexed by which rows, and not by their numbers."""
    return any(isinstance(index, Tensor) and index.dtype == torch.bool for index in indices)


def placed(leaf: Tree, known: dict[int, There], there: bool) -> Tree:
    if not isinstance(leaf, Tensor):
        return leaf
    if id(leaf) in known:
        return known[id(leaf)]
    return There(leaf) if there else leaf


def numbers_of(tree: Tree) -> Tree:
    def here(leaf: Tree) -> Tree:
        if isinstance(leaf, There):
            return leaf.numbers
        return CPU if leaf == DEVICE else leaf

    return tree_map(here, tree)


class Calls(TorchFunctionMode):
    """What never comes to be an operation of the device by itself."""

    def __torch_function__(
        self,
        run: Callable[..., Tree],
        types: object,
        args: tuple[Tree, ...] = (),
        kwargs: dict[str, Tree] | None = None,
    ) -> Tree:
        kwargs = kwargs or {}
        if run is torch.tensor and kwargs.get("device") == DEVICE:
            return run(*args, **(kwargs | {"device": CPU})).to(DEVICE)
        return run(*args, **kwargs)


class Rounding(TorchFunctionMode):
    """`torch.autocast`, which knows no such device: Linear layers take and give bfloat16."""

    def __torch_function__(
        self,
        run: Callable[..., Tree],
        types: object,
        args: tuple[Tree, ...] = (),
        kwargs: dict[str, Tree] | None = None,
    ) -> Tree:
        if run is functional.linear:
            args = tuple(arg.bfloat16() for arg in args)
        return run(*args, **(kwargs or {}))


def autocast(device: str, dtype: torch.dtype, enabled: bool) -> AbstractContextManager[object]:
    return Rounding() if enabled else nullcontext()


@contextmanager
def entered() -> Iterator[Elsewhere]:
    """A device, where PyTorch takes it for one that it has kernels for."""
    optimizers, fused = sys.modules[Optimizer.__module__], "_get_fused_kernels_supported_devices"
    with pytest.MonkeyPatch.context() as patch, Elsewhere() as made, Calls():
        patch.setattr(optimizers, fused, lambda: ["meta", "cpu"])
        patch.setattr("torch.autocast", autocast)
        yield made
