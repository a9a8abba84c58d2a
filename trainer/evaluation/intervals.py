"""How sure a result is: 95 % intervals of points a game and of goal differences.

Arithmetic only. Tested by `tests/trainer/evaluation/test_intervals.py`.
"""

import math
import statistics
from collections.abc import Sequence
from typing import Final, NamedTuple

Z: Final = 1.959964
"""Standard deviations on either side of a normal mean that hold 95 % of it."""


class Interval(NamedTuple):
    """An estimate and its bounds."""

    low: float
    mean: float
    high: float


def wilson(points: float, games: int) -> Interval:
    """Wilson's score interval of points a game, with draws as half a win.

    centre = (p + z²/2n) / (1 + z²/n), half = z / (1 + z²/n) · sqrt(p (1 - p) / n + z²/4n²), for
    p = points / n. Of all results with that mean, wins and losses alone vary most, so draws make it
    too wide and never too narrow. The two games of a start are taken as independent.

    Args:
        points: 0 to `games`.
        games: n. Without any, nothing is known: 0 to 1.
    """
    if not games:
        return Interval(0.0, math.nan, 1.0)
    p, spread = points / games, Z**2 / games
    centre = (p + spread / 2) / (1 + spread)
    half = Z / (1 + spread) * math.sqrt(p * (1 - p) / games + spread / (4 * games))
    # At p = 0 or 1 rounding would leave a bound a hair outside, or inside of p.
    return Interval(max(0.0, min(p, centre - half)), p, min(1.0, max(p, centre + half)))


def normal_mean(values: Sequence[float]) -> Interval:
    """Normal interval of a mean, mean ± z · s / sqrt(n); no bounds for fewer than two values."""
    if not values:
        return Interval(-math.inf, math.nan, math.inf)
    mean = statistics.fmean(values)
    if len(values) < 2:
        return Interval(-math.inf, mean, math.inf)
    half = Z * statistics.stdev(values) / math.sqrt(len(values))
    return Interval(mean - half, mean, mean + half)
