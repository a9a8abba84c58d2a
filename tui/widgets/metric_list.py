"""All metrics, a panel a group, in a column that scrolls.

Builds its panels from the names it meets, so that a metric nobody foresaw appears too. Tested by
`tests/tui/test_app.py`.
"""

from textual.containers import VerticalScroll

from tui.history import Board
from tui.widgets.metric_panel import MetricPanel, grouped, label


class MetricList(VerticalScroll):
    """Every group of metrics."""

    HELP = """\
## Metrics

Every number of the last iteration, by group, with its shape over the last iterations. Arrows, PgUp,
PgDn, Home and End scroll. `docs/metrics.md` says what each one is.
"""

    def __init__(self, *, id: str) -> None:
        """Begin empty."""
        super().__init__(id=id)
        self._names: dict[str, None] = {}

    def show(self, board: Board) -> None:
        """Draw `board`; names seen once keep their row."""
        unseen = board.latest.values.keys() - self._names.keys()
        if unseen:
            self._names.update(dict.fromkeys(board.latest.values))
            self.remove_children(MetricPanel)
            groups = grouped(self._names)
            self.mount_all(
                MetricPanel(group, {name: label(name) for name in names})
                for group, names in groups.items()
            )
        for panel in self.query(MetricPanel):
            panel.board = board
