"""What shows each page of the table in `pages.py`.

Tested by `tests/tui/test_pages.py`.
"""

from tui.screens.run_screen import RunScreen

SCREENS: dict[str, type[RunScreen]] = {}
"""The screen of each page but the first, by the page's id."""
