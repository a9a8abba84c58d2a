"""The keys of a pitch, once: the pitch's bindings, its help and the column beside it read this.

Each asks the source of the frames for something, and is there only for a source that understands
it. Knows no widget; `pitch.py` has an `action_…` for each row. Tested by
`tests/tui/test_pitch_controls.py`.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from textual.binding import Binding

from trainer.frames import Frame

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
"""Seconds of game in one of the clock, to choose from."""


class PitchKey(NamedTuple):
    """One thing a person can ask for while a pitch shows."""

    id: str
    """Name of the binding after "pitch."."""
    key: str
    """As Textual calls it."""
    sign: str
    """As a person calls it."""
    action: str
    """What `PitchPanel` does."""
    order: str
    """The first word of the line that is said."""
    label: str
    """A few words."""
    help: str
    """What happens, in one sentence."""
    shown: bool = False
    """Whether the footer has it."""


PITCH_KEYS = (
    PitchKey(
        "pause",
        "space",
        "Space",
        "hold",
        "pause",
        "pause, play",
        "Let the game stand still, or go on.",
        True,
    ),
    PitchKey("slower", "comma", ",", "slower", "speed", "slower", "Play slower, down to a tenth."),
    PitchKey(
        "faster", "full_stop", ".", "faster", "speed", "faster", "Play faster, up to 4 times."
    ),
    PitchKey("back", "left", "←", "seek(-5)", "seek", "5 s back", "Go 5 seconds of game back."),
    PitchKey("ahead", "right", "→", "seek(5)", "seek", "5 s ahead", "Go 5 seconds of game ahead."),
    PitchKey(
        "kickoff",
        "k",
        "K",
        "kickoff",
        "kickoff",
        "next kickoff",
        "Leave this rally for the next kickoff.",
        True,
    ),
    PitchKey(
        "previous",
        "j",
        "J",
        "previous",
        "previous",
        "previous kickoff",
        "Go back to this rally's kickoff; right after it, to the one before.",
    ),
    PitchKey(
        "follow",
        "f",
        "F",
        "follow",
        "follow",
        "follow a car",
        "Follow the next car: what it does and thinks stands beside the pitch.",
        True,
    ),
    PitchKey(
        "blue",
        "b",
        "B",
        "play(0)",
        "play",
        "who plays blue",
        "Choose the checkpoint that plays blue.",
    ),
    PitchKey(
        "orange",
        "o",
        "O",
        "play(1)",
        "play",
        "who plays orange",
        "Choose the checkpoint that plays orange.",
    ),
    PitchKey(
        "record",
        "v",
        "V",
        "record",
        "record",
        "record, or stop",
        "Write the game to a file in the run's folder `replays`, or stop.",
    ),
)

_HINTS = (
    ("pause", "Space", "pause, play"),
    ("speed", ", .", "slower, faster"),
    ("seek", "← →", "5 s back, ahead"),
    ("kickoff", "K", "next kickoff"),
    ("previous", "J", "previous kickoff"),
    ("follow", "F", "follow a car"),
    ("play", "B O", "who is blue, orange"),
    ("record", "V", "record, or stop"),
)
"""The same by order, in few words."""

HELP = "\n\n".join(
    (
        "**The pitch**, seen from above, as it is played.",
        "Arrows are cars, double ones are orange's. `↑6` is 6 m up; `▴` and `▾` are a nose up and "
        "down; `×` is demolished; `[ ]` is followed. A ring around the ball is a fresh touch.",
        "`◆` is a big boost pad and `•` a small one; `◇` and `·` were taken.",
        "The value is the critic's estimate of the reward that is still to come.",
    )
)
"""What Textual's help says of a pitch, above its keys."""


def pitch_bindings() -> list[Binding]:
    """The table as Textual wants it; a letter's capital does the same."""
    return [
        Binding(
            f"{key.key},{key.key.upper()}" if len(key.key) == 1 else key.key,
            key.action,
            key.label.capitalize(),
            show=key.shown,
            key_display=key.sign,
            tooltip=key.help,
            id=f"pitch.{key.id}",
        )
        for key in PITCH_KEYS
    ]


def hints(orders: Iterable[str]) -> Sequence[tuple[str, str]]:
    """Keys and what they do, for whatever a source understands."""
    known = set(orders)
    return tuple((keys, words) for order, keys, words in _HINTS if order in known)


def order_of(action: str) -> str | None:
    """What an action of this table asks for; None for any other action."""
    orders = (key.order for key in PITCH_KEYS if key.action.partition("(")[0] == action)
    return next(orders, None)


def next_speed(speed: float, faster: bool) -> float:
    """The neighbour of a speed in `SPEEDS`; itself at either end."""
    if faster:
        return min((other for other in SPEEDS if other > speed), default=speed)
    return max((other for other in SPEEDS if other < speed), default=speed)


def next_car(frame: Frame) -> int | None:
    """Whom to follow after the one that is followed; None after the last."""
    following = frame.mind.car + 1 if frame.mind else 0
    return following if following < len(frame.cars) else None
