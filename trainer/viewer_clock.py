"""When game time is due on the wall's clock, at any speed.

Knows no game and never sleeps: who asks waits. Tested by
`tests/trainer/test_viewer_clock.py`.
"""

import time
from collections.abc import Callable, Iterator

from rlbot_agent.field import TICKS_PER_SECOND


class GameClock:
    """Maps seconds of game to seconds of the clock."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Game time 0 is due at once, and from there on in real time; `now` gives seconds."""
        self._now = now
        self._wall_s, self._game_s = now(), 0.0
        self._speed = 1.0

    def due_in(self, game_s: float) -> float:
        """Seconds until `game_s` is due; below 0 when it is late."""
        return self._wall_s + (game_s - self._game_s) / self._speed - self._now()

    def set_speed(self, speed: float) -> None:
        """Go on at `speed` seconds of game a second, from where the game is now."""
        if speed != self._speed:
            now = self._now()
            self._game_s += (now - self._wall_s) * self._speed
            self._wall_s, self._speed = now, speed

    def hold(self, game_s: float) -> None:
        """Give up what was due: `game_s` is due now."""
        self._wall_s, self._game_s = self._now(), game_s


def picture_times(earlier: int, later: int, rate: float) -> Iterator[float]:
    """Ticks in (earlier, later] at which one of `rate` evenly spaced pictures a second is due."""
    first = int(earlier * rate / TICKS_PER_SECOND) + 1
    last = int(later * rate / TICKS_PER_SECOND)
    return (picture * TICKS_PER_SECOND / rate for picture in range(first, last + 1))
