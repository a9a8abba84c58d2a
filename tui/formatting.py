"""Numbers and spans of time as a person reads them: 1.24M, 3h04m, and "–" for what is not there.

Pure functions that know nothing of the run or the screen. Tested by `tests/tui/test_formatting.py`.
"""

import math

NOTHING = "–"
"""What stands where there is no number."""

_SUFFIXES = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"))
_LARGEST_WITH_SUFFIX = 1e15
_SMALLEST_PLAIN = 1e-3
_HOUR_MIN, _DAY_MIN = 60, 24 * 60


def compact(value: float) -> str:
    """`value` in three significant digits: 1240000 is 1.24M, 0.0312 is 0.0312, 1e30 is 1.00e30."""
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == 0:
        return "0"
    rounded = float(f"{value:.3g}")
    size = abs(rounded)
    if size >= _LARGEST_WITH_SUFFIX or size < _SMALLEST_PLAIN:
        return _scientific(value)
    for unit, suffix in _SUFFIXES:
        if size >= unit:
            return _three_digits(rounded / unit) + suffix
    return f"{value:.0f}" if value == int(value) else _three_digits(rounded)


def duration(seconds: float) -> str:
    """A span of time by its two largest units: 42s, 3m04s, 3h04m, 2d05h; negative spans are 0s."""
    if not math.isfinite(seconds):
        return NOTHING
    whole = max(0, int(seconds))
    minutes, secs = divmod(whole, 60)
    hours, mins = divmod(minutes, 60)
    days, hrs = divmod(hours, 24)
    if days:
        return f"{days}d{hrs:02}h"
    if hours:
        return f"{hours}h{mins:02}m"
    if minutes:
        return f"{minutes}m{secs:02}s"
    return f"{whole}s"


def age(seconds: float) -> str:
    """How long ago something was, by one unit: <1m, 3m, 3h, 2d; the future is <1m ago too."""
    if not math.isfinite(seconds):
        return NOTHING
    minutes = max(0, int(seconds)) // 60
    if minutes >= _DAY_MIN:
        return f"{minutes // _DAY_MIN}d"
    if minutes >= _HOUR_MIN:
        return f"{minutes // _HOUR_MIN}h"
    return f"{minutes}m" if minutes else "<1m"


def shorten(text: str, width: int) -> str:
    """`text` in at most `width` characters, with … where it was cut."""
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"


def _three_digits(value: float) -> str:
    """`value` with three significant digits and no exponent: 12.3, 1.23, 0.0123."""
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}"


def _scientific(value: float) -> str:
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(exponent)}"
