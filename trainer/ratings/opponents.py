"""Which earlier versions a new one plays: the newest, and others ever farther back.

Those near say most of small differences, those far back keep the ratings of a long run together
(docs/experiments.md). Tested by `tests/trainer/ratings/test_opponents.py`.
"""

from collections.abc import Collection, Sequence


def earlier_opponents(earlier: Sequence[int], met: Collection[int], count: int) -> list[int]:
    """Whom a new version plays among the earlier ones, newest first.

    Args:
        earlier: Steps of all that there are, fewest first.
        met: Those that it has met before, whether they are still there or not. They stay its
            opponents: versions are removed in time, and nobody shall play again for that.
        count: How many in all.
    """
    kept = [steps for steps in earlier if steps in met]
    spread = [earlier[-back] for back in _steps_back(len(earlier), count)]
    fresh = [steps for steps in spread if steps not in met][: max(count - len(met), 0)]
    return sorted([*kept, *fresh], reverse=True)


def _steps_back(length: int, count: int) -> list[int]:
    """How far back in a list of `length` each of `count` is: 1 first, then by equal ratios."""
    found: list[int] = []
    for number in range(min(length, count)):
        # L^(i / n): 1, 4, 16 of 64
        ideal = round(length ** (number / count))
        found.append(min(max(ideal, len(found) + 1), length))
    return found
