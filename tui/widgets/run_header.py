"""Two lines at the top: which run, what it does, and how far it is.

`heading` and `figures` are pure text; the widget only places them. Tested by
`tests/tui/widgets/test_run_header.py`.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from rich.console import Group
from rich.table import Table
from rich.text import Text
from textual.app import RenderResult
from textual.reactive import reactive
from textual.widget import Widget

from trainer.metrics import IterationMetrics
from trainer.run_dir import Status
from tui.formatting import NOTHING, compact, duration, shorten
from tui.run_reader import Situation

_DOT = {"starting": "◌", "running": "●", "stopped": "■", "died": "✕"}
_WIDE_FROM, _LESSON_FROM = 64, 80


@dataclass(frozen=True)
class Headline:
    """What the two lines say."""

    name: str
    """The run folder's name."""
    situation: Situation
    """Whether it trains."""
    status: Status | None
    """The trainer's last words; None before its first."""
    latest: IterationMetrics | None
    """The last finished iteration; None before it."""
    now: float
    """Seconds since the epoch."""

    @property
    def doing(self) -> str:
        """The situation in one word: the phase while it runs."""
        if self.situation == "running" and self.status:
            return self.status.phase
        return "failed" if self.situation == "died" else self.situation

    @property
    def taught(self) -> bool:
        """Whether the trainer, or the last one, learned from a teacher in its last iteration."""
        if self.latest is None or not self.latest.is_taught:
            return False
        # Of a trainer that has begun just now, nobody knows yet.
        over = self.situation in ("stopped", "died")
        return over or (self.status is not None and self.latest.time >= self.status.started)

    @property
    def place(self) -> tuple[int, int] | None:
        """Agent steps and iteration; a trainer that starts does not know them from the first."""
        starting = self.status is None or self.situation == "starting"
        known = self.latest if starting and self.latest else self.status
        return (known.steps, known.iteration) if known else None

    @property
    def steps_per_second(self) -> float:
        """Of the last finished iteration; NaN before it."""
        values = self.latest.values if self.latest else {}
        return values.get("Throughput/overall_sps", math.nan)

    @property
    def elapsed_s(self) -> float:
        """Seconds this trainer has trained, or trained before it ended."""
        if self.status is None:
            return math.nan
        end = self.now if self.situation in ("starting", "running") else self.status.heartbeat
        return end - self.status.started


class Figure(NamedTuple):
    """A number between its words, of which one is empty."""

    before: str
    value: str
    after: str


def figures(headline: Headline, width: int) -> list[Figure]:
    """Steps, iteration, speed and elapsed time; the words are short where `width` is small."""
    place, wide = headline.place, width >= _WIDE_FROM
    steps, iteration = (compact(place[0]), f"{place[1]:,}") if place else (NOTHING, NOTHING)
    return [
        Figure("", steps, " steps"),
        Figure("iteration " if wide else "it ", iteration, ""),
        Figure("", compact(headline.steps_per_second), " steps/s" if wide else "/s"),
        Figure("", duration(headline.elapsed_s), " elapsed" if wide else ""),
    ]


class RunHeader(Widget):
    """The dashboard's head."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "run-header--name",
        "run-header--quiet",
        "run-header--value",
        "run-header--starting",
        "run-header--running",
        "run-header--stopped",
        "run-header--died",
    }

    headline: reactive[Headline | None] = reactive(None)

    def render(self) -> RenderResult:
        """The run and what it does on the left, the device on the right, the numbers below."""
        headline = self.headline
        if headline is None:
            return ""
        width = self.content_size.width
        table = Table.grid(expand=True)
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True, justify="right")
        device = headline.status.device if headline.status else ""
        table.add_row(self._title(headline, width), self._quiet(shorten(device, width // 3)))
        return Group(table, self._numbers(headline, width))

    def _title(self, headline: Headline, width: int) -> Text:
        colour = self.get_component_rich_style(f"run-header--{headline.situation}")
        name = self.get_component_rich_style("run-header--name")
        lesson = "  distillation" if headline.taught and width >= _LESSON_FROM else ""
        return Text.assemble(
            (f"{_DOT[headline.situation]} ", colour),
            (shorten(headline.name, width // 3), name),
            "  ",
            (headline.doing, colour),
            self._quiet(lesson),
        )

    def _numbers(self, headline: Headline, width: int) -> Text:
        value = self.get_component_rich_style("run-header--value")
        parts = [
            Text.assemble(
                self._quiet(figure.before), (figure.value, value), self._quiet(figure.after)
            )
            for figure in figures(headline, width)
        ]
        return Text("   " if width >= _WIDE_FROM else "  ").join(parts)

    def _quiet(self, text: str) -> Text:
        return Text(text, self.get_component_rich_style("run-header--quiet"))
