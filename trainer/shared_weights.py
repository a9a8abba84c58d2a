"""The weights in shared memory, with a number that says which they are.

The trainer publishes before each rollout; each worker looks before its first decision and after its
last. That a rollout is played by the weights which its order names is thereby checked, and not only
so by construction. Numpy only. Tested by `tests/trainer/test_shared_weights.py`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from trainer.shared_arrays import Plan, SharedArrays

HALF_WRITTEN: Final = -1
"""Stands for the number while weights are written."""


class WrongWeightsError(Exception):
    """Not the weights that were to play: a mistake of this program, whatever the user did."""


def weights_plans(parameters: int, versions: tuple[int, int] | None) -> dict[str, Plan]:
    """Room for so many `parameters`, and for (G, P) of old versions where they may play."""
    plans = {"parameters": Plan((parameters,), "float32"), "weights_number": Plan((1,), "int64")}
    return plans if versions is None else plans | {"versions": Plan(versions, "float32")}


class SharedWeights:
    """The "parameters" to decide by and the "versions" of a crew; all of one number, from 1 on."""

    def __init__(self, shared: SharedArrays) -> None:
        """Look at what `weights_plans` made room for; nothing is published yet."""
        self._shared, self._published = shared, 0

    @contextmanager
    def publishing(self) -> Iterator[SharedArrays]:
        """Where to write the next weights; they count as half written until that went well."""
        number = self._shared["weights_number"]
        number[0] = HALF_WRITTEN
        yield self._shared
        self._published += 1
        number[0] = self._published

    def require(self, wanted: int, when: str) -> None:
        """Make sure that weights number `wanted` lie there, whole.

        Args:
            wanted: Their number.
            when: Such as "before the first decision", for the sentence.

        Raises:
            WrongWeightsError: When others do.
        """
        found = int(self._shared["weights_number"][0])
        if found != wanted:
            there = "half-written ones" if found == HALF_WRITTEN else f"number {found}"
            raise WrongWeightsError(
                f"weights number {wanted} were to play, but {there} lay there {when}"
            )

    def require_read(self, parts: Sequence[npt.NDArray[Any]]) -> None:
        """Make sure that `parts`, which somebody decides by, are of this memory and no copies.

        Raises:
            WrongWeightsError: When one is a copy, which the next weights would not reach.
        """
        parameters = self._shared["parameters"]
        if not all(np.may_share_memory(part, parameters) for part in parts):
            raise WrongWeightsError("what decides reads a copy of weights, not the shared ones")
