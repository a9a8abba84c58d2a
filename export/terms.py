"""On what terms a match is played: every option of `rlppo match` that changes the game.

Loads nothing slow.
"""

from dataclasses import dataclass
from typing import Literal

Fps = Literal["120", "60", "irregular"]
InputDelay = Literal[0, 1]


@dataclass(frozen=True)
class Terms:
    """The defaults are those of RLBot on a good machine, as fast as the bots answer."""

    seconds: float = 60.0
    """Game time of kickoffs and play."""
    realtime: bool = False
    """Send packets at the pace of the game, answered or not, instead of waiting for answers."""
    mode: str | None = None
    """Such as "2v2"; the first that a bundle was trained in when None."""
    fps: Fps = "120"
    """Packets a second of game."""
    input_delay: InputDelay = 0
    """Ticks that the game takes from an answer to its effect; bundles are told."""
    pauses: bool = False
    """Whether somebody pauses the game now and then."""
    shuffled: bool = False
    """Whether cars stand in another order in the packets than by team, and in yet another in the
    match's configuration."""
