"""What is watched, written to a replay while somebody wishes it.

Knows no game and no pipe; a disk that refuses ends the recording and nothing else. Tested by
`tests/trainer/test_viewer_recording.py`.
"""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from trainer.frames import Frame
from trainer.replay import SUFFIX, ReplayHeader, ReplayWriter
from trainer.run_dir import RunDir


class Recording:
    """Off at first."""

    def __init__(
        self, run: RunDir, fps: int, now: Callable[[], datetime], say: Callable[[str], None]
    ) -> None:
        """Write into the run's replays.

        Args:
            run: The run folder.
            fps: Pictures a second of game.
            now: Gives the date that a replay is named by.
            say: Gets a sentence when a recording ends.
        """
        self._run, self._fps, self._now, self._say = run, fps, now, say
        self._writer: ReplayWriter | None = None
        self._wished = False

    def switch(self, wished: bool) -> None:
        """Record from the next picture on, or finish what was recorded."""
        if self._wished and not wished:
            self.finish()
        self._wished = wished

    def take(self, frame: Frame) -> None:
        """Write a picture of a game, if that is wished."""
        if not self._wished:
            return
        try:
            if self._writer is None:
                self._writer = ReplayWriter(
                    replay_path(self._run, self._now(), frame.steps),
                    header_of(self._run, self._fps, frame),
                )
            self._writer.write(frame)
        except OSError as error:
            self._give_up(error)

    def finish(self) -> None:
        """Give what was recorded its name."""
        writer, self._writer = self._writer, None
        if writer is None:
            return
        try:
            writer.close()
        except OSError as error:
            self._say(f"The recording could not be finished: {error.strerror}")
        else:
            self._say(f"Recorded to {writer.path.parent.name}/{writer.path.name}")

    def _give_up(self, error: OSError) -> None:
        if self._writer is not None:
            self._writer.abandon()
        self._writer, self._wished = None, False
        self._say(f"The recording ended: {error.strerror}")


def header_of(run: RunDir, fps: int, first: Frame) -> ReplayHeader:
    """The header of a replay that begins with the picture `first`."""
    name = "".join(sign for sign in run.path.resolve().name if sign.isprintable())
    return ReplayHeader(fps, name, first.names, tuple(car.team for car in first.cars))


def replay_path(run: RunDir, date: datetime, steps: int) -> Path:
    """Where a replay of that moment belongs; no file has that name yet."""
    stem = f"{date:%Y-%m-%d_%H-%M-%S}_{steps}"
    path, number = run.replays / f"{stem}{SUFFIX}", 1
    while path.exists():
        number += 1
        path = run.replays / f"{stem}_{number}{SUFFIX}"
    return path
