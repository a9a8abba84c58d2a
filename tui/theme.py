"""The colours: themes for dark and light rooms, for the colour-blind and for no colour at all.

Named for what they mean: blue is the accent of what is healthy, orange of what wants attention, as
the two teams are. Every text is readable on every ground (4.5 to 1), and what differs by colour
differs for the colour-blind too where the theme says so: `tests/tui/test_theme.py` computes both.
Knows no widget; the styles use the names, `$team-blue` and `$team-orange` among them.
"""

from textual.theme import Theme

TEAM_COLOURS = {"team-blue": "#6cb2eb", "team-orange": "#f6a05c"}
"""Where a theme has none of its own."""

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
    variables=TEAM_COLOURS,
    dark=True,
)
LIGHT = Theme(
    name="rlppo-light",
    primary="#1b62a0",
    secondary="#55647a",
    accent="#9c4a0c",
    foreground="#1d2430",
    background="#f4f6f9",
    surface="#ffffff",
    panel="#e3e8ef",
    success="#1b6e3f",
    warning="#7a5a00",
    error="#b02f2f",
    variables={"team-blue": "#1b62a0", "team-orange": "#9c4a0c"},
    dark=False,
)
# The colours of Okabe and Ito (2008); on light ground their darker half, deepened.
SAFE_DARK = Theme(
    name="rlppo-safe-dark",
    primary="#56b4e9",
    secondary="#9aa7b8",
    accent="#e69f00",
    foreground="#e2e7ee",
    background="#101318",
    surface="#161a21",
    panel="#1f2530",
    success="#56b4e9",
    warning="#f0e442",
    error="#f0784a",
    variables={"team-blue": "#56b4e9", "team-orange": "#e69f00"},
    dark=True,
)
SAFE_LIGHT = Theme(
    name="rlppo-safe-light",
    primary="#005f96",
    secondary="#4f5b6b",
    accent="#8a4b00",
    foreground="#161b22",
    background="#f7f8fa",
    surface="#ffffff",
    panel="#e6eaf0",
    success="#005f96",
    warning="#6b5a00",
    error="#a83c00",
    variables={"team-blue": "#005f96", "team-orange": "#a34a00"},
    dark=False,
)
MONO = Theme(
    name="rlppo-mono",
    primary="#ffffff",
    secondary="#b0b0b0",
    accent="#e0e0e0",
    foreground="#e0e0e0",
    background="#0c0c0c",
    surface="#141414",
    panel="#303030",
    success="#ffffff",
    warning="#d0d0d0",
    error="#ffffff",
    variables={"team-blue": "#ffffff", "team-orange": "#a0a0a0"},
    dark=True,
)

THEMES = {
    "dark": DARK,
    "light": LIGHT,
    "safe-dark": SAFE_DARK,
    "safe-light": SAFE_LIGHT,
    "mono": MONO,
}
"""Every theme by its name in the settings."""
