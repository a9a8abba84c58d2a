"""What the machine and the trainer are at, as rows: a name, words, and how it went.

Pure. Tested by `tests/tui/test_system_rows.py`.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from rich.style import Style
from rich.text import Text

from tui.formatting import NOTHING, shorten
from tui.sparkline import sparkline
from tui.system_probe import Gpu, Reading

KEPT = 150
"""Readings that are remembered: five minutes of one each 2 s."""
NAME_WIDTH, SPARK_WIDTH = 16, 24
_GIB = 1 << 30


class Row(NamedTuple):
    """One line."""

    name: str
    """What it is about."""
    words: str
    """How it is now, with its unit."""
    history: tuple[float, ...] = ()
    """How it was at each reading, oldest first; nothing for what does not move."""


def rows(readings: Sequence[Reading]) -> list[Row]:
    """The newest of `readings`, and how they came to it; nothing before the first."""
    if not readings:
        return []
    return [*_machine(readings), *_trainer(readings), *_gpus(readings)]


def _machine(readings: Sequence[Reading]) -> list[Row]:
    now = readings[-1]
    return [
        Row(
            "processor",
            f"{percent(now.cpu)} of {now.cores} cores",
            _measured([each.cpu for each in readings], 0.01),
        ),
        Row(
            "memory",
            f"{gib(now.memory_used)} of {gib(now.memory_total)} GiB",
            _measured([each.memory_used for each in readings], _GIB / 10),
        ),
        Row(
            "disk of the run",
            f"{gib(now.disk_free)} of {gib(now.disk_total)} GiB free",
            _measured([each.disk_free for each in readings], _GIB / 10),
        ),
    ]


def _trainer(readings: Sequence[Reading]) -> list[Row]:
    now = readings[-1].trainer
    if now is None:
        return [Row("trainer", "no process that could be looked at")]
    known = [each.trainer for each in readings if each.trainer]
    processes = "1 process" if now.processes == 1 else f"{now.processes} processes"
    return [
        Row(
            "trainer",
            f"{number(now.cores)} cores, {processes}, {now.threads} threads",
            _measured([each.cores for each in known], 0.1),
        ),
        Row(
            "its memory",
            f"{gib(now.memory)} GiB, what is shared counted in each",
            _measured([each.memory for each in known], _GIB / 10),
        ),
    ]


def _gpus(readings: Sequence[Reading]) -> list[Row]:
    now = readings[-1]
    if not now.gpus:
        return [Row("GPU", now.gpu_words)]
    found = []
    for index, gpu in enumerate(now.gpus):
        past = [each.gpus[index] for each in readings if index < len(each.gpus)]
        found += _gpu(f"GPU {index}" if len(now.gpus) > 1 else "GPU", gpu, past)
    return found


def _gpu(name: str, now: Gpu, past: Sequence[Gpu]) -> list[Row]:
    warm = NOTHING if math.isnan(now.temperature) else f"{now.temperature:.0f} °C"
    return [
        Row(
            name,
            f"{percent(now.use)} busy, {now.name}",
            _measured([each.use for each in past], 0.01),
        ),
        Row(
            "  memory",
            f"{gib(now.memory_used)} of {gib(now.memory_total)} GiB",
            _measured([each.memory_used for each in past], _GIB / 10),
        ),
        Row("  temperature", warm, _measured([each.temperature for each in past], 1.0)),
    ]


def _measured(values: Sequence[float], unit: float) -> tuple[float, ...]:
    """What was measured, in steps of `unit`: what shows no other number shows no curve either."""
    return tuple(round(value / unit) * unit for value in values if math.isfinite(value))


def gib(size: float) -> str:
    """Bytes in GiB, such as 3.2."""
    return NOTHING if math.isnan(size) else f"{size / _GIB:.1f}"


def percent(share: float) -> str:
    """0.123 as 12 %."""
    return NOTHING if math.isnan(share) else f"{share:.0%}"


def number(value: float) -> str:
    """With one digit after the point."""
    return NOTHING if math.isnan(value) else f"{value:.1f}"


def picture(lines: Sequence[Row], width: int, quiet: Style, spark: Style) -> Text:
    """A line a row; sparklines stand at the right where there is room for them."""
    room = SPARK_WIDTH if width >= NAME_WIDTH + 2 * SPARK_WIDTH else 0
    words_width = max(1, width - NAME_WIDTH - room)
    drawn = [
        Text.assemble(
            (row.name.ljust(NAME_WIDTH), quiet),
            shorten(row.words, words_width).ljust(words_width),
            (sparkline(row.history, room), spark),
            no_wrap=True,
        )
        for row in lines
    ]
    return Text("\n").join(drawn)
