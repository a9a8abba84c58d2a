"""The two lines around the pitch: score and time above, one boost bar a car below.

Pure functions of a frame and a width. Knows nothing of the pitch itself. Tested by
`tests/tui/test_pitch_canvas.py`.
"""

from trainer.frames import CarFrame, Frame
from tui.pitch_style import CHALK, DARK, NAMES, QUIET, TEAM, Row, blank, fitted, inked, style

_LONGEST_BAR = 20
_EIGHTHS = " ▏▎▍▌▋▊▉"


def score_line(frame: Frame, width: int) -> Row:
    """Score, time and pace left; right, when somebody plays, as much of the policy as fits."""
    left = [
        *inked(f" {NAMES[0]} {frame.blue} ", style(DARK, TEAM[0], bold=True)),
        *inked(f" {frame.orange} {NAMES[1]} ", style(DARK, TEAM[1], bold=True)),
        *inked(f" {clock(frame.time_s)}{_pace(frame)}", style(None, bold=True)),
    ]
    right = next(text for text in _offers(frame) if len(left) + 2 + len(text) <= width or not text)
    gap = blank(width - len(left) - len(right))
    return [*left, *gap, *inked(right, style(QUIET))][:width]


def boost_line(frame: Frame, width: int) -> Row:
    """An equal share of the width for each car, in their order; a mark at the followed one."""
    share = width // max(1, len(frame.cars))
    followed = frame.mind.car if frame.mind else None
    gauges = (_gauge(car, share, index == followed) for index, car in enumerate(frame.cars))
    return fitted([ink for gauge in gauges for ink in gauge], width)


def eighths(share: float, cells: int) -> str:
    """The full part of a bar of so many cells, as long as `share` (0 to 1) of it."""
    count = round(8 * cells * min(1.0, max(0.0, share)))
    return "█" * (count // 8) + _EIGHTHS[count % 8].strip()


def clock(seconds: float) -> str:
    """Minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def _pace(frame: Frame) -> str:
    if frame.paused:
        return " paused"
    return "" if frame.speed == 1 else f" {frame.speed:g}x"


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


def _gauge(car: CarFrame, width: int, followed: bool) -> Row:
    """Team's letter (× when demolished), bar and number of one car, `width` cells."""
    team = style(TEAM[car.team == 1], bold=True)
    mark = "×" if car.demolished else NAMES[car.team == 1][0]
    bar = min(_LONGEST_BAR, max(0, width - 7))
    full = eighths(car.boost / 100, bar)
    inks = [
        *inked(mark + (" ", "▸")[followed], team),
        *inked(full, style(TEAM[car.team == 1])),
        *inked("·" * (bar - len(full)), style(CHALK)),
        *inked(f"{car.boost:4.0f} ", team),
    ]
    return fitted(inks, width)


def _short(steps: int) -> str:
    for size, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if steps >= size:
            return f"{steps / size:.1f}{name}"
    return str(steps)
