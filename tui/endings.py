"""How episodes ended in the last iterations: counts, shares and mean lengths.

Pure. Tested by `tests/tui/test_endings.py`.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from rich.style import Style
from rich.text import Text

from trainer.metrics import IterationMetrics
from tui.formatting import compact, duration

SUMMED = 20
"""Iterations that are taken together: one alone may end few episodes."""
CAUSES: Final = {
    "goal": "a goal",
    "no_touch": "nobody touched the ball",
    "time_limit": "the time was up",
    "broken": "the physics broke",
}
"""By the name in `Game/ended_by_…`, in words."""
_WORDS_WIDTH, _NUMBERS_WIDTH = 24, 30
_PARTS = " ▏▎▍▌▋▊▉█"


class Ending(NamedTuple):
    """One way to end."""

    cause: str
    """A key of `CAUSES`."""
    episodes: float
    """How many ended so."""
    share: float
    """Of all that ended, 0 to 1; NaN when none did."""
    length_s: float
    """Their mean game time, in seconds; NaN when there were none."""


def endings(window: Sequence[IterationMetrics]) -> tuple[Ending, ...]:
    """Each cause over the last `SUMMED` iterations of `window`, in the order of `CAUSES`."""
    sums = [_summed(window[-SUMMED:], cause) for cause in CAUSES]
    whole = sum(count for count, _ in sums)
    return tuple(
        Ending(cause, count, _over(count, whole), _over(seconds, count))
        for cause, (count, seconds) in zip(CAUSES, sums, strict=True)
    )


def _summed(window: Sequence[IterationMetrics], cause: str) -> tuple[float, float]:
    """Episodes that ended by `cause`, and their game time together (s)."""
    count = seconds = 0.0
    for iteration in window:
        ended = iteration.values.get(f"Game/ended_by_{cause}", math.nan)
        length = iteration.values.get(f"Game/ended_by_{cause}_length_s", math.nan)
        if ended > 0 and math.isfinite(length):
            count, seconds = count + ended, seconds + ended * length
    return count, seconds


def _over(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def picture(found: Sequence[Ending], width: int, bar: Style, quiet: Style) -> Text:
    """A line a cause: words, a bar as long as its share, share, count, mean length."""
    if all(not ending.episodes for ending in found):
        return Text("No episode has ended yet.", quiet)
    room = width - _WORDS_WIDTH - _NUMBERS_WIDTH
    return Text("\n").join(_line(ending, room, bar, quiet) for ending in found)


def _line(ending: Ending, room: int, bar: Style, quiet: Style) -> Text:
    style = "" if ending.episodes else quiet
    share = f"{ending.share:.1%}".rjust(7)
    count = compact(ending.episodes).rjust(7)
    length = f"{duration(ending.length_s)} each".rjust(13) if ending.episodes else " " * 13
    return Text.assemble(
        (CAUSES[ending.cause].ljust(_WORDS_WIDTH), style),
        (_bar(ending.share, room), bar),
        (f"{share} {count} {length}", style),
        no_wrap=True,
    )


def _bar(share: float, width: int) -> str:
    """A bar of `share` of `width` columns, to an eighth of a column."""
    if width < 1:
        return ""
    eighths = round(share * width * 8)
    full, rest = divmod(eighths, 8)
    return (("█" * full) + (_PARTS[rest] if rest else "")).ljust(width)
