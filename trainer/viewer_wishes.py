"""What whoever watches wants, and the lines that say so.

One wish a line: "deterministic on|off", "pause", "resume", "speed X", "kickoff", "follow N|none",
"play blue|orange NAME", "record on|off". A line that is none of them changes nothing. Pure: knows
no game, no clock and no pipe. Standard library only. Tested by
`tests/trainer/test_viewer_wishes.py`.
"""

import math
import re
from dataclasses import dataclass, replace
from typing import Final

NEWEST: Final = "newest"
"""In place of a checkpoint's name: whatever was written last."""
SLOWEST: Final = 0.1
FASTEST: Final = 8.0
"""Seconds of game in a second of the clock."""

_CHECKPOINT = re.compile(r"[0-9]{15}")
_SWITCH: Final = {"on": True, "off": False}
_TEAMS: Final = ("blue", "orange")


@dataclass(frozen=True)
class Wishes:
    """Everything that can be wished for, as last asked."""

    deterministic: bool = False
    """Play the likeliest action instead of sampling one."""
    paused: bool = False
    """Stand still."""
    speed: float = 1.0
    """Seconds of game in a second of the clock, `SLOWEST` to `FASTEST`."""
    follow: int | None = None
    """Index of the car whose mind is shown; None shows none."""
    players: tuple[str, str] = (NEWEST, NEWEST)
    """Who plays blue and orange: `NEWEST`, or the folder name of a checkpoint."""
    recording: bool = False
    """Write what is shown to a replay."""
    kickoffs: int = 0
    """How often the next kickoff was asked for."""


def obey(wishes: Wishes, line: str) -> Wishes:
    """`wishes` with what `line` asks for; the same object when it asks for nothing new."""
    asked = _asked(wishes, line.split())
    return wishes if asked == wishes else asked


def is_player(name: str) -> bool:
    """Whether `name` can name who plays."""
    return name == NEWEST or _CHECKPOINT.fullmatch(name) is not None


def _asked(wishes: Wishes, words: list[str]) -> Wishes:
    match words:
        case ["deterministic", "on" | "off" as switch]:
            return replace(wishes, deterministic=_SWITCH[switch])
        case ["record", "on" | "off" as switch]:
            return replace(wishes, recording=_SWITCH[switch])
        case ["pause"]:
            return replace(wishes, paused=True)
        case ["resume"]:
            return replace(wishes, paused=False)
        case ["kickoff"]:
            return replace(wishes, kickoffs=wishes.kickoffs + 1)
        case ["speed", number]:
            return replace(wishes, speed=_speed(number, wishes.speed))
        case ["follow", "none"]:
            return replace(wishes, follow=None)
        case ["follow", number] if re.fullmatch("[0-9]{1,2}", number):
            return replace(wishes, follow=int(number))
        case ["play", "blue" | "orange" as team, name] if is_player(name):
            players = list(wishes.players)
            players[_TEAMS.index(team)] = name
            return replace(wishes, players=(players[0], players[1]))
    return wishes


def _speed(number: str, before: float) -> float:
    """The nearest possible speed; `before` when `number` is no speed at all."""
    try:
        speed = float(number)
    except ValueError:
        return before
    return min(max(speed, SLOWEST), FASTEST) if math.isfinite(speed) and speed > 0 else before
