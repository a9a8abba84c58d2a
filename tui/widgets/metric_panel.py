"""The metrics of one group as a table: name, short history, value.

One widget draws a whole group, so that two hundred metrics cost no more than ten widgets. Tested by
`tests/tui/widgets/test_metric_panel.py`.
"""

import math
from collections.abc import Iterable, Mapping
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.app import RenderResult
from textual.reactive import reactive
from textual.widget import Widget

from trainer.metrics import GROUPS
from tui.formatting import compact, shorten
from tui.history import Board
from tui.sparkline import sparkline

VALUE_WIDTH = 9
_SPARK_SHARE = 4
_SPARK_WIDEST = 12


def grouped(metrics: Iterable[str]) -> dict[str, list[str]]:
    """Metric names by group: the known groups in their order, then others as they come."""
    groups: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name in metrics:
        groups.setdefault(name.partition("/")[0], []).append(name)
    return {group: names for group, names in groups.items() if names}


def label(name: str) -> str:
    """How a metric is called in its group's panel: "Loss/approx_kl" is "approx kl"."""
    return (name.partition("/")[2] or name).replace("_", " ")


class MetricPanel(Widget):
    """Rows of metrics under a title."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "metric-panel--name",
        "metric-panel--value",
        "metric-panel--spark",
    }

    board: reactive[Board | None] = reactive(None)

    def __init__(self, title: str, rows: Mapping[str, str], *, id: str | None = None) -> None:
        """Show `rows`, metric such as "Loss/entropy" to its label, under `title`."""
        super().__init__(id=id)
        self.border_title = title
        self.rows = rows

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """One line a metric."""
        return len(self.rows)

    def render(self) -> RenderResult:
        """The rows, as wide as the panel."""
        if self.board is None:
            return ""
        rows = [self._row(self.board, name, words) for name, words in self.rows.items()]
        return Text("\n").join(rows)

    def _row(self, board: Board, name: str, words: str) -> Text:
        width = self.content_size.width
        spark_width = min(_SPARK_WIDEST, width // _SPARK_SHARE)
        name_width = max(0, width - spark_width - VALUE_WIDTH - 2)
        value = compact(board.latest.values.get(name, math.nan))
        return Text.assemble(
            (shorten(words, name_width).ljust(name_width + 1), self._style("name")),
            (sparkline(board.recent.get(name, ()), spark_width), self._style("spark")),
            (value.rjust(VALUE_WIDTH + 1), self._style("value")),
            no_wrap=True,
        )

    def _style(self, part: str) -> Style:
        return self.get_component_rich_style(f"metric-panel--{part}")
