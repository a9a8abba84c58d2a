"""The column beside the pitch: who plays, what the followed car does and thinks, which keys help.

A pure function of a frame and a height. Knows nothing of the pitch itself. Tested by
`tests/tui/test_pitch_side.py`.
"""

import textwrap
from collections.abc import Sequence
from typing import NamedTuple

from trainer.frames import CarFrame, Frame, Mind
from tui.pitch_lines import eighths
from tui.pitch_recent import Recent
from tui.pitch_style import (
    BRIGHT,
    CHALK,
    FLAME,
    NAMES,
    QUIET,
    TEAM,
    Row,
    blank,
    fitted,
    inked,
    style,
)

WIDTH = 30
_TEXT = WIDTH - 2
_LABEL = 9
_MOST, _FEWEST = 5, 3
"""Likeliest actions that are listed."""
_KMH = 0.036
"""km/h in a uu/s: 100 uu are a metre."""


class Extras(NamedTuple):
    """What the column says beyond the frame."""

    keys: Sequence[tuple[str, str]] = ()
    """Keys, and what each does."""
    recording: bool = False
    """Whether the game is written to a file."""


NO_EXTRAS = Extras()


def side(frame: Frame, recent: Recent, extras: Extras, height: int) -> list[Row]:
    """`height` rows of `WIDTH` cells; when it is low, some actions go, then the keys."""
    keys = [_pair(key, what, QUIET) for key, what in extras.keys]
    whole = [*_players(frame, extras.recording), *_followed(frame, recent, _MOST)]
    fewer = [*_players(frame, extras.recording), *_followed(frame, recent, _FEWEST)]
    top = whole if len(whole) + len(keys) < height else fewer
    spare = height - len(top) - len(keys)
    rows = [*top, *[[]] * spare, *keys] if spare > 0 else whole
    return [[*blank(2), *fitted(row, _TEXT)] for row in [*rows, *[[]] * height][:height]]


def _players(frame: Frame, recording: bool) -> list[Row]:
    """Who plays which side."""
    rows = [_pair(NAMES[team], name, TEAM[team]) for team, name in enumerate(frame.names) if name]
    if recording:
        rows.append(inked("● recording", style(BRIGHT, bold=True)))
    return [*rows, []] if rows else []


def _followed(frame: Frame, recent: Recent, actions: int) -> list[Row]:
    """The followed car, as far as it is known."""
    mind = frame.mind
    if mind is None or mind.car >= len(frame.cars):
        return []
    car, speed = frame.cars[mind.car], recent.speed(mind.car)
    rows = [
        inked(f"▸ {_name(frame, mind.car)}", style(TEAM[car.team], bold=True)),
        _pair("boost", f"{car.boost:.0f}"),
        _pair("speed", "–" if speed is None else f"{speed:,.0f} uu/s {speed * _KMH:.0f} km/h"),
        _pair("height", _height(car)),
    ]
    if mind.value is not None:
        rows.append(_pair("value", f"{mind.value:+.2f}"))
    return [*rows, *_action(mind, actions)]


def _action(mind: Mind, most: int) -> list[Row]:
    """What it does, and what it might have done."""
    rows: list[Row] = []
    if mind.action:
        lines = textwrap.wrap(mind.action, _TEXT)[:2]
        rows += [[], _heading("does"), *(inked(line, style(None, bold=True)) for line in lines)]
    if mind.likeliest:
        rows += [[], _heading("likeliest")]
    for words, chance in mind.likeliest[:most]:
        rows += [inked(textwrap.shorten(words, _TEXT, placeholder="…"), style(None)), _bar(chance)]
    return rows


def _bar(chance: float) -> Row:
    """A probability, as a bar and in percent."""
    cells = _TEXT - 6
    full = eighths(chance, cells)
    return [
        *inked(full, style(FLAME)),
        *inked("·" * (cells - len(full)), style(CHALK)),
        *inked(f"{chance:6.0%}", style(None)),
    ]


def _name(frame: Frame, index: int) -> str:
    """The team, and which of it when it has several."""
    team = frame.cars[index].team
    mates = [other for other, car in enumerate(frame.cars) if car.team == team]
    return NAMES[team] if len(mates) == 1 else f"{NAMES[team]} {mates.index(index) + 1}"


def _height(car: CarFrame) -> str:
    if car.demolished:
        return "demolished"
    return f"{car.z / 100:.1f} m" if not car.on_ground else "on its wheels"


def _heading(text: str) -> Row:
    return inked(text, style(QUIET))


def _pair(label: str, text: str, colour: str = QUIET) -> Row:
    return [*inked(f"{label:<{_LABEL}}", style(colour)), *inked(text, style(None))]
