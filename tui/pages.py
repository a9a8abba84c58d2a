"""Every page of the dashboard, once: tabs, number keys, command palette and README read this table.

Knows no screen; `app.py` has one for each row. Tested by `tests/tui/test_keys.py`.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """One view of the run."""

    id: str
    """What it is called in the code."""
    key: str
    """The digit that shows it."""
    label: str
    """Word in the tabs and the command palette."""
    help: str
    """What it shows, in one sentence."""


PAGES = (
    Page("dashboard", "1", "Dashboard", "Numbers, curves, events and the pitch at a glance."),
    Page("rewards", "3", "Rewards", "What each reward pays, its share of the total, its trend."),
    Page("episodes", "4", "Episodes", "How episodes end, and what agents do in them."),
    Page("system", "8", "System", "Processor, memory, disk, GPU, and where the time goes."),
)
