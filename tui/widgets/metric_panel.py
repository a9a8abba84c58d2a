"""The metrics of one group as a table: name, short history, value.

One widget draws a whole group, so that two hundred metrics cost no more than ten widgets. Tested by
`tests/tui/widgets/test_metric_panel.py`.
"""

import math
from collections.abc import Iterable, Mapping
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.reactive import reactive
from textual.strip import Strip
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
        self._strips: dict[int, Strip] = {}

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """One line a metric."""
        return len(self.rows)

    def watch_board(self) -> None:
        """Draw every row anew."""
        self._strips.clear()

    def on_resize(self) -> None:
        """Draw every row in another width, also what was drawn before this was told."""
        self._strips.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        """Draw every row in other colours."""
        super().notify_style_update()
        self._strips.clear()

    def render_line(self, y: int) -> Strip:
        """One row, drawn when it is in sight: a long list costs what is seen of it."""
        if self.board is None or y >= len(self.rows):
            return Strip.blank(self.content_size.width, self.rich_style)
        if y not in self._strips:
            self._strips[y] = self._row(self.board, *list(self.rows.items())[y])
        return self._strips[y]

    def _row(self, board: Board, name: str, words: str) -> Strip:
        width = self.content_size.width
        spark_width = min(_SPARK_WIDEST, width // _SPARK_SHARE)
        name_width = max(0, width - spark_width - VALUE_WIDTH - 2)
        value = compact(board.latest.values.get(name, math.nan))
        parts = (
            ("name", shorten(words, name_width).ljust(name_width + 1)),
            ("spark", sparkline(board.recent.get(name, ()), spark_width)),
            ("value", value.rjust(VALUE_WIDTH + 1)),
        )
        row = Strip([Segment(text, self._style(part)) for part, text in parts])
        return row.crop(0, width).apply_style(self.rich_style)

    def _style(self, part: str) -> Style:
        return self.get_component_rich_style(f"metric-panel--{part}")
