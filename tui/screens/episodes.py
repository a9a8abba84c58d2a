"""How episodes end, and what agents do in them, with how it went.

The shares come from `tui/endings.py`. Tested by `tests/tui/screens/test_episodes.py`.
"""

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult, RenderResult
from textual.containers import VerticalScroll
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from trainer.config import RunConfig
from tui.endings import SUMMED, Ending, endings, picture
from tui.known import Known
from tui.screens.run_screen import RunScreen
from tui.widgets.metric_panel import MetricPanel

PLAY = {
    "Game/episode_length_s": "episode length, s",
    "Game/touches_per_minute": "touches a minute, each car",
    "Game/goals_per_minute": "goals a minute, each arena",
    "Game/in_air": "share of time in the air",
    "Game/speed": "speed, uu/s",
    "Game/boost": "boost held, of 100",
}
"""What agents do: metric to words."""
_OF_A_MODE = {
    "episode_length_s": "episode length, s",
    "touches_per_minute": "touches a minute, each car",
}


def mode_rows(config: RunConfig) -> dict[str, str]:
    """Metric to words of each mode, where a run has several."""
    modes = config.sim.played if len(config.sim.played) > 1 else ()
    return {
        f"Game/{mode}_{name}": f"{mode} {words}"
        for mode in modes
        for name, words in _OF_A_MODE.items()
    }


class EndingBars(Widget):
    """How episodes ended, as bars."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"ending-bars--bar", "ending-bars--quiet"}

    found: reactive[tuple[Ending, ...]] = reactive((), layout=True)

    def __init__(self) -> None:
        """Nothing ended before it is told."""
        super().__init__()
        self.border_title = f"How episodes ended, in the last {SUMMED} iterations"

    def render(self) -> RenderResult:
        """A line a cause."""
        bar, quiet = map(self._style, ("bar", "quiet"))
        return picture(self.found, self.content_size.width, bar, quiet) if self.found else Text()

    def _style(self, part: str) -> Style:
        return self.get_component_rich_style(f"ending-bars--{part}")


class EpisodesScreen(RunScreen):
    """The page of episodes."""

    PAGE = "episodes"
    CSS_PATH = "episodes.tcss"
    HELP = """\
# Episodes

How the episodes of the last 20 iterations ended, and what the agents did, each number with its last
40 iterations. Early on nobody touches the ball; then touches come, then goals. Where a run has
several modes, each has its rows.
"""

    def body(self) -> ComposeResult:
        """Endings above, play below, modes last."""
        yield Static("No iteration has ended yet.", id="episodes-none")
        with VerticalScroll(id="episodes-body"):
            yield EndingBars()
            yield MetricPanel("Play", PLAY, id="play")
            yield MetricPanel("Each mode", {}, id="modes")

    def show(self, known: Known) -> None:
        """Draw the last iterations."""
        if known.board is None:
            return
        self.add_class("-played")
        self.query_one(EndingBars).found = endings(known.board.window)
        modes, rows = self.query_one("#modes", MetricPanel), mode_rows(known.config)
        modes.display = bool(rows)
        if modes.rows != rows:
            modes.rows = rows
            modes.refresh(layout=True)
        for panel in self.query(MetricPanel):
            panel.board = known.board
