"""What shows each page of the table in `pages.py`.

Tested by `tests/tui/test_pages.py`.
"""

from tui.screens.charts import ChartsScreen
from tui.screens.checkpoints import CheckpointsScreen
from tui.screens.config import ConfigScreen
from tui.screens.episodes import EpisodesScreen
from tui.screens.log import LogScreen
from tui.screens.ratings import RatingsScreen
from tui.screens.rewards import RewardsScreen
from tui.screens.run_screen import RunScreen
from tui.screens.runs import RunsScreen
from tui.screens.system import SystemScreen

SCREENS: dict[str, type[RunScreen]] = {
    "charts": ChartsScreen,
    "rewards": RewardsScreen,
    "episodes": EpisodesScreen,
    "checkpoints": CheckpointsScreen,
    "config": ConfigScreen,
    "log": LogScreen,
    "system": SystemScreen,
    "runs": RunsScreen,
    "ratings": RatingsScreen,
}
"""The screen of each page but the first, by the page's id."""
