"""What charts show of some runs: the curves of chosen metrics, those of one unit in one panel.

Knows how metrics are kept, and nothing of drawing. Tested by `tests/tui/test_chart_scene.py`.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trainer.control import Event
from tui.chart_view import Range
from tui.curve import Curve
from tui.history import RunHistory
from tui.metric_units import by_unit


@dataclass(frozen=True)
class Source:
    """One run that is drawn."""

    name: str
    """What it is called."""
    history: RunHistory
    """All of it."""
    detail: RunHistory | None = None
    """Every iteration of the part that is shown, once that was read."""

    def curves(self, metric: str) -> tuple[Curve, ...]:
        """What was abandoned of `metric`, then the line that goes on, where known in detail."""
        found = self.history.curves(metric)
        if not found or self.detail is None or not (finer := self.detail.curves(metric)):
            return found
        return (*found[:-1], *finer[:-1], found[-1].with_detail(finer[-1]))


@dataclass(frozen=True)
class Line:
    """One metric of one run."""

    metric: str
    """Its metric."""
    label: str
    """What it is called in the legend."""
    colour: int
    """Its place among the colours."""
    curves: tuple[Curve, ...]
    """What was abandoned, then the line that goes on; at least one."""
    began: float
    """When its run began (seconds since the epoch)."""

    def xs(self, curve: Curve, *, by_time: bool) -> Sequence[float]:
        """Where the buckets of one of its curves stand: seconds since it began, or agent steps."""
        return [time - self.began for time in curve.times] if by_time else curve.steps

    def nearest(self, x: float, *, by_time: bool) -> int:
        """The bucket of the line that goes on that is nearest to `x`."""
        xs = self.xs(self.curves[-1], by_time=by_time)
        after = min(bisect_left(xs, x), len(xs) - 1)
        before = max(after - 1, 0)
        return before if abs(xs[before] - x) < abs(xs[after] - x) else after


@dataclass(frozen=True)
class Panel:
    """Lines that share both axes."""

    unit: str
    """What they are counted in, or the only one's name."""
    lines: tuple[Line, ...]
    """At least one."""


@dataclass(frozen=True)
class Scene:
    """Everything that is drawn."""

    panels: tuple[Panel, ...] = ()
    """From top to bottom."""
    events: tuple[Event, ...] = ()
    """Edits and saves of the first run."""
    began: float = 0.0
    """When the first run began (seconds since the epoch)."""

    @property
    def lines(self) -> tuple[Line, ...]:
        """Those of all panels."""
        return tuple(line for panel in self.panels for line in panel.lines)

    def whole(self, *, by_time: bool) -> Range | None:
        """From the first to the last of all that is drawn; None when there is nothing."""
        ends = [
            x
            for line in self.lines
            for curve in line.curves
            for x in (line.xs(curve, by_time=by_time)[0], line.xs(curve, by_time=by_time)[-1])
        ]
        if not ends:
            return None
        low, high = min(ends), max(ends)
        return (low, high) if low < high else (low - 0.5, high + 0.5)

    def x_of(self, event: Event, *, by_time: bool) -> float:
        """Where something happened: seconds since the run began, or agent steps."""
        return event.time - self.began if by_time else event.steps


def scene(sources: Sequence[Source], metrics: Iterable[str], events: Iterable[Event]) -> Scene:
    """The curves of `metrics` in all runs, the first being the watched one."""
    shown = [source for source in sources if source.history.latest is not None]
    panels, order = [], list(metrics)
    for unit, names in by_unit(order).items():
        lines = [
            Line(
                name,
                _label(name, names, source.name if len(shown) > 1 else ""),
                names.index(name) * len(shown) + place if len(shown) > 1 else order.index(name),
                curves,
                source.history.began,
            )
            for name in names
            for place, source in enumerate(shown)
            if (curves := source.curves(name))
        ]
        if lines:
            panels.append(Panel(unit, tuple(lines)))
    marked = tuple(event for event in events if event.kind in ("edit", "save"))
    return Scene(tuple(panels), marked, shown[0].history.began if shown else 0.0)


def _label(metric: str, beside: Sequence[str], run: str) -> str:
    """Its name, without the group when all `beside` it have the same; the run where there are two.

    One that is alone keeps its group: its panel has no other title.
    """
    group = metric.partition("/")[0]
    one = len(beside) > 1 and all(name.startswith(f"{group}/") for name in beside)
    words = metric.partition("/")[2] if one else metric
    return f"{words} ({run})" if run else words
