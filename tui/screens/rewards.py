"""What each reward pays: mean, weight, contribution, share of the total, trend.

The rows come from `tui/reward_rows.py`. Tested by `tests/tui/screens/test_rewards.py`.
"""

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import DataTable, Static

from tui.formatting import NOTHING, compact
from tui.known import Known
from tui.reward_rows import TOTAL, RewardRow, reward_rows
from tui.screens.run_screen import RunScreen
from tui.sparkline import ARROWS, direction, sparkline

COLUMNS = {
    "reward": "Reward",
    "share": "Share",
    "pays": "Pays",
    "mean": "Mean",
    "weight": "Weight",
    "trend": "Trend of the mean",
}
_SPARK_WIDTH = 16
_NOTHING_YET = "Nothing was paid yet: the first iteration has not ended."


class RewardTable(DataTable[Text]):
    """A row a reward."""

    HELP = """\
# Rewards

One row a reward that is paid, the largest share first.

- **Share**: its part of all that is paid and fined. A reward above `health.reward_share` is marked:
  it drowns the others.
- **Pays**: mean times weight, what it adds to the total of a decision, on average.
- **Mean**: of all decisions of all agents, before the weight.
- **Weight**: as the config has it, for an event, or for 8 ticks of what lasts.
- **Trend**: the mean of the last iterations; an arrow that rises or falls moved more than it
  scatters.
"""


class RewardsScreen(RunScreen):
    """The page of rewards."""

    PAGE = "rewards"
    CSS_PATH = "rewards.tcss"

    def __init__(self) -> None:
        """Nothing is drawn before it is told."""
        super().__init__()
        self._drawn: tuple[object, object] | None = None

    def body(self) -> ComposeResult:
        """The table, and the total below it."""
        yield Static(_NOTHING_YET, id="rewards-none")
        yield RewardTable(id="rewards-table", cursor_type="row", zebra_stripes=True)
        yield Static(id="rewards-total", markup=False)

    def on_mount(self) -> None:
        """Name the columns."""
        table = self.query_one(RewardTable)
        for key, label in COLUMNS.items():
            table.add_column(label, key=key)

    def show(self, known: Known) -> None:
        """Draw the rewards of the last iteration, when there is a newer one or another config."""
        if known.board is None or self._drawn == (known.board, known.config):
            return
        self._drawn = (known.board, known.config)
        self.add_class("-paid")
        rows, table = reward_rows(known.board, known.config), self.query_one(RewardTable)
        cursor, scrolled = table.cursor_row, table.scroll_offset
        table.clear()
        for row in rows:
            table.add_row(*self._cells(row), key=row.name)
        table.move_cursor(row=cursor, animate=False)
        table.scroll_to(*scrolled, animate=False)
        self.query_one("#rewards-total", Static).update(self._total(known, rows))

    def _cells(self, row: RewardRow) -> list[Text]:
        share = NOTHING if row.share != row.share else f"{row.share:.1%}"
        words = (share, compact(row.contribution), compact(row.mean), compact(row.weight))
        mark = self.app.theme_variables["warning"] if row.dominates else ""
        name = Text(f"{'! ' if row.dominates else ''}{row.name}", f"bold {mark}" if mark else "")
        trend = f"{sparkline(row.recent, _SPARK_WIDTH)} {ARROWS[direction(row.recent)]}"
        return [name, *(Text(word, justify="right") for word in words), Text(trend)]

    def _total(self, known: Known, rows: tuple[RewardRow, ...]) -> str:
        assert known.board
        total = compact(known.board.latest.values.get(TOTAL, float("nan")))
        recent = known.board.recent.get(TOTAL, ())
        line = f"Together {total} a decision  {sparkline(recent, _SPARK_WIDTH)}"
        loud = [row.name for row in rows if row.dominates]
        if loud:
            most = known.config.health.reward_share
            line += (
                f"\n! {loud[0]} is more than {most:.0%} of all that is paid and fined: weigh it "
                "less, or the others more (health.reward_share, docs/health.md)."
            )
        return line
