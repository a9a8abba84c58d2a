"""Which cells differ between two pictures, so that a slow connection is sent no others.

Knows no widget. Tested by `tests/tui/test_pitch_changes.py`.
"""

from collections.abc import Sequence

from textual.geometry import Region

from tui.pitch_style import Row


def changes(before: Sequence[Row], later: Sequence[Row]) -> list[Region]:
    """What to paint anew, for two pictures of the same size.

    A region a row, for Textual paints everything left of a region in its widget too.
    """
    regions = []
    for y, (old, new) in enumerate(zip(before, later, strict=True)):
        if old is not new:
            differ = [x for x, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
            if differ:
                regions.append(Region(differ[0], y, differ[-1] + 1 - differ[0], 1))
    return regions
