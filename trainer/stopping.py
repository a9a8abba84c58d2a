"""When a run ends: somebody asked once, somebody insisted, or its limit is reached.

Signals only count; the learner looks between decisions and between phases, so nothing is ever
interrupted half-way. Knows no learner. Tested by `tests/trainer/test_stopping.py`.
"""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


class Stop:
    """How often somebody asked the run to end."""

    def __init__(self) -> None:
        """Nobody asked."""
        self._count = 0

    def ask(self) -> None:
        """Ask once more."""
        self._count += 1

    @property
    def asked(self) -> bool:
        """Finish the iteration, save, end."""
        return self._count >= 1

    @property
    def insisted(self) -> bool:
        """Drop the rollout that is being collected, save, end."""
        return self._count >= 2


@contextmanager
def signals_ask(stop: Stop) -> Iterator[None]:
    """While inside, Ctrl-C, SIGTERM, SIGHUP and Windows' Ctrl-Break each ask `stop` once.

    Main thread only. A hang-up that is ignored already (by nohup) stays ignored.
    """

    def handle(number: int, frame: FrameType | None) -> None:
        stop.ask()

    previous = {number: signal.signal(number, handle) for number in _signals()}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _signals() -> list[int]:
    names = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"]  # the last two are not everywhere
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        names.remove("SIGHUP")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


@dataclass(frozen=True)
class Limit:
    """Where a session ends by itself."""

    last_iteration: int | None = None
    """Iteration of the run after which it ends; None goes on."""
    ends: float | None = None
    """Seconds since the epoch at which no further iteration begins; None goes on."""

    def reached(self, iteration: int) -> bool:
        """Whether a session that finished `iteration` ends."""
        late = self.ends is not None and time.time() >= self.ends
        return late or (self.last_iteration is not None and iteration >= self.last_iteration)
