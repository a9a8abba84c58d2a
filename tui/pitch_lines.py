"""The two lines around the pitch: score and time above, one boost bar a car below.

Pure functions of a frame and a width. Knows nothing of the pitch itself. Tested by
`tests/tui/test_pitch_canvas.py`.
"""

from collections.abc import Sequence

from textual.strip import Strip

from trainer.frames import CarFrame, Frame
from tui.pitch_style import CHALK, DARK, QUIET, TEAM, Ink, inked, strip, style

_NAMES = ("Blue", "Orange")
_LONGEST_BAR = 20
_EIGHTHS = " ▏▎▍▌▋▊▉"


def score_line(frame: Frame, width: int) -> Strip:
    """Score and time left; right, when somebody plays, as much of the policy as fits."""
    left = [
        *inked(f" {_NAMES[0]} {frame.blue} ", style(DARK, TEAM[0], bold=True)),
        *inked(f" {frame.orange} {_NAMES[1]} ", style(DARK, TEAM[1], bold=True)),
        *inked(f" {_clock(frame.time_s)}", style(None, bold=True)),
    ]
    right = next(text for text in _offers(frame) if len(left) + 2 + len(text) <= width or not text)
    gap = inked(" " * (width - len(left) - len(right)), style(None))
    return strip([*left, *gap, *inked(right, style(QUIET))][:width])


def boost_line(cars: Sequence[CarFrame], width: int) -> Strip:
    """An equal share of the width for each car, in their order."""
    share = width // max(1, len(cars))
    inks = [ink for car in cars for ink in _gauge(car, share)]
    return strip([*inks, *inked(" " * (width - len(inks)), style(None))])


def _offers(frame: Frame) -> tuple[str, ...]:
    """What can be said of the policy, longest first, nothing last."""
    way = "deterministic" if frame.deterministic else "sampled"
    known = (
        f"policy of {frame.steps:,} steps, {way}",
        f"{_short(frame.steps)} steps, {way}",
        f"{_short(frame.steps)} {way}",
        way,
    )
    return (*known, "") if frame.cars else ("",)


def _gauge(car: CarFrame, width: int) -> list[Ink]:
    """Team's letter (× when demolished), bar and number of one car, `width` cells."""
    team = style(TEAM[car.team == 1], bold=True)
    mark = "×" if car.demolished else _NAMES[car.team == 1][0]
    bar = min(_LONGEST_BAR, max(0, width - 7))
    eighths = round(8 * bar * min(100.0, max(0.0, car.boost)) / 100)
    full = "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
    inks = [
        *inked(f"{mark} ", team),
        *inked(full, style(TEAM[car.team == 1])),
        *inked("·" * (bar - len(full)), style(CHALK)),
        *inked(f"{car.boost:4.0f} ", team),
    ]
    return [*inks, *inked(" " * (width - len(inks)), style(None))][:width]


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def _short(steps: int) -> str:
    for size, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if steps >= size:
            return f"{steps / size:.1f}{name}"
    return str(steps)
