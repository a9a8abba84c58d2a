"""What shows each page of the table in `pages.py`.

Tested by `tests/tui/test_pages.py`.
"""

from tui.screens.episodes import EpisodesScreen
from tui.screens.rewards import RewardsScreen
from tui.screens.run_screen import RunScreen
from tui.screens.system import SystemScreen

SCREENS: dict[str, type[RunScreen]] = {
    "rewards": RewardsScreen,
    "episodes": EpisodesScreen,
    "system": SystemScreen,
}
"""The screen of each page but the first, by the page's id."""
