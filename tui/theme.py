"""The colours: one dark and one light theme, named for what they mean.

Blue is the accent of what is healthy, orange of what wants attention, as the two teams are. Knows
no widget; `app.tcss` uses the names.
"""

from textual.theme import Theme

DARK = Theme(
    name="rlppo-dark",
    primary="#6cb2eb",
    secondary="#8fa3bf",
    accent="#f6a05c",
    foreground="#d7dee8",
    background="#12161d",
    surface="#181d26",
    panel="#222936",
    success="#7fcf9b",
    warning="#e8c26a",
    error="#ef7d7d",
    dark=True,
)
LIGHT = Theme(
    name="rlppo-light",
    primary="#1f6fb2",
    secondary="#5b6b82",
    accent="#c2631a",
    foreground="#1d2430",
    background="#f4f6f9",
    surface="#ffffff",
    panel="#e3e8ef",
    success="#23804a",
    warning="#8f6a00",
    error="#b93434",
    dark=False,
)
