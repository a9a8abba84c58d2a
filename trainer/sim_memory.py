"""Balls and cars straight out of RocketSim's memory: all of them in one gather, whatever they are.

RocketSim's interface makes an object of each car and another of each number asked for, which takes
a tenth of the time of a process that plays. Their places in memory belong to one release of one
platform; elsewhere nothing here may be used, and `is_known` says so. Whoever reads through this
compares it with the interface, first and then now and again: `sim_reading.py` does. Knows no
RocketSim, only addresses.
Tested by `tests/trainer/test_sim_reading.py`, against the interface.

Axes: K cars, B balls.
"""

import ctypes
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

RELEASE: Final = "2.2.1"
"""Of `rocketsim`, whose wheels for Linux on x86-64 have everything where it is said here."""

MAPS: Final = Path("/proc/self/maps")
"""Where Linux lists the memory of this process."""


class Cell(NamedTuple):
    """One number of an object."""

    start: int
    """Bytes from the object's first."""
    kind: str = "float32"
    """How it is written there."""
    scale: float = 1.0
    """What it is multiplied by, as RocketSim itself does when it is asked."""


class Objects(NamedTuple):
    """What is alike in all objects of a kind."""

    header: int
    """Bytes of the Python object, which tell another layout apart."""
    pointer: int
    """Where in it the address of the C++ object is."""
    size: int
    """Bytes of the C++ object in which all cells lie."""
    cells: tuple[Cell, ...]
    """Of which column 0, 1, ... are read."""


def _vector(start: int, scale: float = 1.0) -> tuple[Cell, ...]:
    return tuple(Cell(start + 4 * axis, scale=scale) for axis in range(3))


def _flag(start: int) -> Cell:
    return Cell(start, "uint8")


UU: Final = 50.0
"""uu of one unit of length of the physics engine below."""
BALLS: Final = Objects(40, 32, 672, (*_vector(224, UU), *_vector(640, UU), *_vector(656)))
"""Columns as `sim_reading.BALL` lists them."""
CARS: Final = Objects(
    *(416, 384, 1976),
    (
        *_vector(464, UU),
        *(*_vector(1648), *_vector(1680)),
        *_vector(880, UU),
        *_vector(896),
        *(Cell(1780), Cell(1868), _flag(1736), Cell(1792), Cell(1800)),
        *(_flag(1972), Cell(1804), _flag(1741), _flag(1769), _flag(1743)),
        *(Cell(1764), _flag(1742), Cell(1936, "uint64")),
        *(Cell(1776), _flag(1808)),
    ),
)
"""Columns as `sim_reading.CAR` lists them. Of a demolished car the first fifteen are stale."""


class _Gather(NamedTuple):
    """Cells of one kind."""

    columns: list[int]
    memory: npt.NDArray[Any]
    """The process's memory from some address on, as numbers of that kind."""
    places: Places
    """(K, len(columns)) of each cell in `memory`."""
    scales: npt.NDArray[np.float32] | None
    """(len(columns),), where there are any."""


class MemoryReader:
    """Reads the `cells` of K objects that live as long as it does and never move."""

    def __init__(self, objects: Sequence[object], kind: Objects) -> None:
        """Look where `objects` are; `leads_somewhere` must have said that they are of `kind`."""
        starts = _addresses(objects, kind)
        # Aligned for the widest cell, so that the same block can be seen as numbers of any width.
        low = int(starts.min()) // 8 * 8
        size = (int(starts.max()) + kind.size - low + 7) // 8 * 8
        block = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(low))
        self._gathers = [
            _gather(block, starts - low, kind.cells, name)
            for name in sorted({cell.kind for cell in kind.cells})
        ]
        self._shape = len(objects), len(kind.cells)

    def read(self) -> Doubles:
        """(K, number of cells) what they hold now."""
        values = np.empty(self._shape)
        for columns, memory, places, scales in self._gathers:
            # Every place is inside, see `size`: "clip" saves the search for one that is not.
            found = memory.take(places, mode="clip")
            values[:, columns] = found if scales is None else found * scales
        return values


def is_known(objects: Sequence[object], kind: Objects) -> bool:
    """Whether this release on this platform is one whose memory is known to look like `kind`."""
    return (
        (sys.platform, platform.machine()) == ("linux", "x86_64")
        and version("rocketsim") == RELEASE
        and all(type(each).__basicsize__ == kind.header for each in objects)
        and _are_readable(_addresses(objects, kind), kind.size)
    )


def _addresses(objects: Sequence[object], kind: Objects) -> Places:
    """(K,) of their C++ objects."""
    pointers = (ctypes.c_uint64.from_address(id(each) + kind.pointer) for each in objects)
    return np.array([pointer.value for pointer in pointers], np.uint64).astype(np.int64)


def _are_readable(starts: Places, size: int) -> bool:
    """Whether `size` bytes from each of `starts` on are memory that this process may read."""
    try:
        # As bytes: files have names in any encoding, with any sign but the end of a line.
        lines = MAPS.read_bytes().split(b"\n")[:-1]
    except OSError:
        return False
    lows, highs = [0], [0]
    for line in lines:
        place, rights, _ = line.split(b" ", 2)
        low, high = (int(end, 16) for end in place.split(b"-"))
        if not rights.startswith(b"r"):
            continue
        # Neighbours are one: an object may lie across two, as where one lies in huge pages.
        if highs[-1] == low:
            highs[-1] = high
        else:
            lows.append(low)
            highs.append(high)
    within = np.searchsorted(np.array(lows), starts, side="right") - 1
    return bool(((within >= 0) & (starts + size <= np.array(highs)[within])).all())


def _gather(
    block: npt.NDArray[np.uint8], starts: Places, cells: Sequence[Cell], kind: str
) -> _Gather:
    """Where the cells of `kind` are, for objects that begin `starts` (K,) bytes into `block`."""
    columns = [column for column, cell in enumerate(cells) if cell.kind == kind]
    memory = block.view(kind)
    offsets = np.array([cells[column].start for column in columns])
    scales = np.array([cells[column].scale for column in columns], np.float32)
    return _Gather(
        columns,
        memory,
        (starts[:, None] + offsets) // memory.itemsize,
        scales if (scales != 1).any() else None,
    )
