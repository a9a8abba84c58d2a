"""Words over the pitch: a sentence, or a banner across it for a goal.

Knows no frame. Tested by `tests/tui/test_pitch_canvas.py` and `test_pitch_marks.py`.
"""

import textwrap

from tui.pitch_field import View
from tui.pitch_style import BRIGHT, DARK, NAMES, TEAM, Layer, style, written


def note(sentence: str, view: View) -> Layer:
    """A sentence in the middle, wrapped to the width."""
    lines = textwrap.wrap(sentence, view.columns - 2)
    top = (view.rows - len(lines)) // 2
    layer: Layer = {}
    for index, line in enumerate(lines):
        column = (view.columns - len(line)) // 2
        layer |= written(f" {line} ", column - 1, top + index, style(BRIGHT, DARK, bold=True))
    return layer


def banner(team: int, view: View) -> Layer:
    """Who scored, in three lines from one side to the other."""
    words = f"{NAMES[team]} scores".upper()
    spaced = " ".join(words)
    text = (spaced if len(spaced) < view.columns else words).center(view.columns)
    rule, top = "═" * view.columns, (view.rows - 3) // 2
    look = style(DARK, TEAM[team], bold=True)
    return (
        written(rule, 0, top, look)
        | written(text, 0, top + 1, look)
        | written(rule, 0, top + 2, look)
    )
