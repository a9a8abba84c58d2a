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
    Page("charts", "2", "Charts", "Any metric over the whole run, beside others and other runs."),
    Page("rewards", "3", "Rewards", "What each reward pays, its share of the total, its trend."),
    Page("episodes", "4", "Episodes", "How episodes end, and what agents do in them."),
    Page(
        "checkpoints",
        "5",
        "Checkpoints",
        "Saved moments of the run: pin, name, delete, export, go back to one.",
    ),
    Page("config", "6", "Config", "Every setting; the live ones can be changed while it trains."),
    Page("log", "7", "Log", "What the trainer prints, and what happened, by kind and by words."),
    Page("system", "8", "System", "Processor, memory, disk, GPU, and where the time goes."),
    Page("runs", "9", "Runs", "All runs of a folder: turn to one, train it on, stop it."),
    Page("ratings", "0", "Ratings", "How strong each version is, how sure that is, the ladder."),
)
