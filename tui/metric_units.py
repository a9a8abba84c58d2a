"""Which metrics may share an axis: those that count the same thing in the same unit.

Two axes on one chart are misread, for where their lines cross means nothing; so metrics of
different units stand one above the other. Pure. Tested by `tests/tui/test_metric_units.py`.
"""

from collections.abc import Iterable
from typing import Final

_BY_END: Final = {
    "_share": "share, 0 to 1",
    "_fraction": "share, 0 to 1",
    "clipfrac": "share, 0 to 1",
    "in_air": "share, 0 to 1",
    "_s": "seconds",
    "_sps": "steps/s",
    "_mb": "MB",
    "_per_minute": "a minute",
    "_grad_norm": "gradient norm",
    "_weight_norm": "weight norm",
    "_stable_rank": "stable rank",
    "_games": "games",
    "_magnitude": "magnitude of the update",
}
_BY_BEGIN: Final = {"learning_rate": "learning rate", "ended_by": "episodes"}
_BY_GROUP: Final = {"Reward": "reward per decision", "Rating": "points"}


def unit_of(metric: str) -> str:
    """What `metric` is counted in; its own name when nothing else is counted like it."""
    group, _, name = metric.partition("/")
    for end, unit in _BY_END.items():
        if name.endswith(end):
            return unit
    for begin, unit in _BY_BEGIN.items():
        if name.startswith(begin):
            return unit
    return _BY_GROUP.get(group, metric)


def by_unit(metrics: Iterable[str]) -> dict[str, list[str]]:
    """The metrics of each unit, in the order they come."""
    found: dict[str, list[str]] = {}
    for metric in metrics:
        found.setdefault(unit_of(metric), []).append(metric)
    return found
