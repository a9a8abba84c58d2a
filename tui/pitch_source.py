"""Where the frames of a pitch come from: a viewer that plays, or the file of a recorded game.

A source is told what to do in lines of the viewer's language (`trainer/viewer.py`), such as "pause"
or "speed 0.5". Implemented by `viewer_feed.py` and `replay_feed.py`. Knows no widget.
"""

from collections.abc import Callable
from typing import Protocol

from trainer.frames import Frame

LIVE = frozenset({"pause", "speed", "kickoff", "follow", "play", "record"})
"""What can be asked of a viewer that plays."""
RECORDED = frozenset({"pause", "speed", "kickoff", "previous", "seek", "follow"})
"""What can be asked of a recorded game."""


class Source(Protocol):
    """Frames, one after the other."""

    @property
    def orders(self) -> frozenset[str]:
        """The first words of the lines that it understands, beside "resume"."""
        ...

    async def run(self) -> None:
        """Hand on frames until `stop` is called or there are no more."""
        ...

    def say(self, line: str) -> None:
        """Ask for something, now or as soon as it has started."""
        ...

    def stop(self) -> None:
        """Let `run` return soon."""
        ...


MakeSource = Callable[[Callable[[Frame], None], Callable[[str], None]], Source]
"""A source from whoever gets its frames and whoever gets the sentence in which it failed."""
