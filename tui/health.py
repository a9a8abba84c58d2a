"""Whether a run looks healthy: rules over its last iterations, each with a source.

Pure: `findings` takes what is known and gives what is wrong, for whoever draws it. The rules and
their reasons are the table in `health_rules.py`. A warning must persist to be given, and after a
start, a resume or an edit most of them look at new iterations only, and not at the first of those.
Tested by `tests/tui/test_health.py`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from trainer.config import RunConfig
from trainer.config_health import HealthConfig
from trainer.control import Event
from trainer.metrics import IterationMetrics


@dataclass(frozen=True)
class Case:
    """What the rules judge."""

    window: Sequence[IterationMetrics]
    """The last iterations, oldest first."""
    config: RunConfig
    """What is in force; its section `health` has the thresholds."""
    events: Sequence[Event] = ()
    """What happened, newest last."""
    free_disk: float = math.nan
    """Free bytes where the run folder is; NaN when that is not known."""
    columns: dict[str, tuple[float, ...]] = field(default_factory=dict, compare=False)
    """Values by metric, as `values` has looked them up."""

    @property
    def health(self) -> HealthConfig:
        """The thresholds."""
        return self.config.health

    @property
    def steps(self) -> int:
        """Agent steps of the run; 0 before the first iteration that counts."""
        return self.window[-1].steps if self.window else 0

    def values(self, metric: str) -> tuple[float, ...]:
        """Of each iteration, NaN where it was not measured."""
        if metric not in self.columns:
            found = tuple(each.values.get(metric, math.nan) for each in self.window)
            self.columns[metric] = found
        return self.columns[metric]

    def last(self, metric: str, count: int) -> tuple[float, ...]:
        """The last `count` values when all of them are numbers; else none."""
        values = self.values(metric)[-count:]
        whole = len(values) == count and all(map(math.isfinite, values))
        return values if whole else ()


@dataclass(frozen=True)
class Rule:
    """One thing that may be wrong."""

    id: str
    """What it is called in `docs/health.md`."""
    judge: Callable[[Case], str | None]
    """What is seen, with its numbers; None when there is nothing to warn of."""
    threshold: Callable[[HealthConfig], str]
    """When it warns, in words."""
    source: str
    """Who says so."""
    advice: str
    """What to try, first things first."""
    settles: bool = True
    """Whether it keeps quiet after a start and after an edit."""
    unless: str = ""
    """Id of a rule before it that says the same when both hold."""


@dataclass(frozen=True)
class Finding:
    """One warning."""

    rule: str
    """The rule's id."""
    seen: str
    """What is seen, with its numbers."""
    threshold: str
    """When the rule warns."""
    source: str
    """Who says so."""
    advice: str
    """What to try."""


def findings(case: Case, rules: Sequence[Rule]) -> tuple[Finding, ...]:
    """All that is wrong in `case`, in the order of `rules`."""
    settled = settled_case(case)
    found: dict[str, Finding] = {}
    for rule in rules:
        seen = rule.judge(settled if rule.settles else case)
        if seen and rule.unless not in found:
            words = rule.threshold(case.health)
            found[rule.id] = Finding(rule.id, seen, words, rule.source, rule.advice)
    return tuple(found.values())


def settled_case(case: Case) -> Case:
    """`case` without the iterations up to the last start or edit, and the first few after it."""
    changes = [event.time for event in case.events if event.kind in ("start", "edit")]
    since = max(changes, default=-math.inf)
    after = [iteration for iteration in case.window if iteration.time > since]
    # A change may have left the window: then this forgets its oldest iterations, which no rule
    # reaches back to.
    kept = after[case.health.quiet_iterations :]
    return Case(kept, case.config, case.events, case.free_disk)
