"""Where the marks of an axis stand, and their words: round numbers that differ from each other.

Pure. Tested by `tests/tui/test_plot_ticks.py`.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

_SUFFIXES: Final = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_SMALLEST_PLAIN: Final = 1e-3
_LARGEST_PLAIN: Final = 1e15
_ROUND: Final = (1.0, 2.0, 5.0, 10.0)
_FINER: Final = 0.39  # of 5, 2 and 1, the next round number up is 2, 1 and 0.5
_FEWEST: Final = 2
_DAY: Final = 86_400.0
_CLOCK_STEPS: Final = (
    *(1.0, 2.0, 5.0, 10.0, 15.0, 30.0),
    *(60.0, 120.0, 300.0, 600.0, 900.0, 1800.0),
    *(3600.0, 7200.0, 10_800.0, 21_600.0, 43_200.0),
)


class Tick(NamedTuple):
    """One mark of an axis."""

    place: float
    """The value that it marks."""
    words: str
    """How it is written."""


def linear(low: float, high: float, wanted: int) -> list[Tick]:
    """About `wanted` round numbers from `low` to `high`, two at least: one tells no scale."""
    step = _round_up((high - low) / max(1, wanted))
    while len(places := _multiples(low, high, step)) < _FEWEST:
        step = _round_up(step * _FINER)
    return _marked(places, step)


def logarithmic(low: float, high: float, wanted: int) -> list[Tick]:
    """Powers of ten from `low` to `high`, both positive, or round numbers when few are there."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    every = max(1, math.ceil((last - first + 1) / max(1, wanted)))
    powers = [10.0**exponent for exponent in range(first, last + 1, every)]
    if len(powers) > 1:
        return [Tick(power, _power(power)) for power in powers]
    return linear(low, high, wanted)


def clock(low: float, high: float, wanted: int) -> list[Tick]:
    """The same of seconds, in spans of time that people count in: 0, 1h30m, 2d."""
    least = (high - low) / max(1, wanted)
    if least < 1.0:
        return [Tick(tick.place, f"{tick.words}s") for tick in linear(low, high, wanted)]
    days = _round_up(least / _DAY) * _DAY
    step = next((step for step in _CLOCK_STEPS if step >= least), max(_DAY, days))
    found = [Tick(place, span(place)) for place in _multiples(low, high, step)]
    return found if len(found) >= _FEWEST else clock(low, high, wanted + 1)


def span(seconds: float) -> str:
    """A span of time to the second, without the units that it has none of: 90 is 1m30s."""
    minutes, secs = divmod(round(seconds), 60)
    hours, mins = divmod(minutes, 60)
    days, hrs = divmod(hours, 24)
    parts = ((days, "d"), (hrs, "h"), (mins, "m"), (secs, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number) or "0"


def _marked(places: Sequence[float], step: float) -> list[Tick]:
    """Words with just the decimals that tell one from the next."""
    largest = max((abs(place) for place in places), default=0.0)
    if largest >= _LARGEST_PLAIN or 0 < largest < _SMALLEST_PLAIN:
        power = math.floor(math.log10(largest))
        unit, suffix = 10.0**power, f"e{power}"
    else:
        unit, suffix = next(((u, s) for u, s in _SUFFIXES if largest >= u), (1.0, ""))
    decimals = max(0, -math.floor(math.log10(step / unit) + 1e-9))
    return [Tick(p, f"{p / unit:.{decimals}f}{suffix}" if p else "0") for p in places]


def _multiples(low: float, high: float, step: float) -> list[float]:
    slack = 1e-9
    first, last = math.ceil(low / step - slack), math.floor(high / step + slack)
    return [number * step for number in range(first, last + 1)]


def _round_up(step: float) -> float:
    """The least of 1, 2, 5 times a power of ten that is no less than `step`, which is positive."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(times * power for times in _ROUND if times * power >= step * (1 - 1e-9))


def _power(value: float) -> str:
    plain = _SMALLEST_PLAIN <= value < _LARGEST_PLAIN
    return _marked([value], value)[0].words if plain else f"{value:.0e}".replace("e-0", "e-")
