"""A recorded game as a source of frames: reads it in a thread, plays it by the clock.

What cannot be read is said over the last picture that can. Knows no widget. Tested by
`tests/tui/test_replay_feed.py`.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from trainer.frames import Frame, notice
from trainer.replay import ReplayError
from tui.pitch_source import RECORDED
from tui.replay_deck import Deck, Place
from tui.replay_tape import Tape, blocks


class ReplayFeed:
    """One recorded game that plays; for one `run`."""

    orders = RECORDED

    def __init__(
        self,
        frames: Iterator[Frame],
        fps: int,
        on_frame: Callable[[Frame], None],
        on_place: Callable[[Place], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Nothing is read before `run`.

        Args:
            frames: The pictures, as `read_replay` yields them.
            fps: How often to look for another picture, a second.
            on_frame: Gets each picture that is due.
            on_place: Gets where it stands, as often.
            clock: Seconds.
        """
        self._frames = frames
        self._every_s = 1 / fps
        self._on_frame = on_frame
        self._on_place = on_place
        self._clock = clock
        self._tape = Tape()
        self._deck = Deck(self._tape)
        self._problem = ""
        self._shown: tuple[Frame, Place] | None = None
        self._stopping = False

    async def run(self) -> None:
        """Play until `stop`."""
        loop = asyncio.get_running_loop()
        reading = asyncio.create_task(asyncio.to_thread(self._read, loop))
        now = self._clock()
        while not self._stopping:
            await asyncio.sleep(self._every_s)
            before, now = now, self._clock()
            self._deck.advance(now - before)
            self._show()
        await reading

    def say(self, line: str) -> None:
        """Do what a line says, and show it."""
        self._deck.say(line)
        self._show()

    def stop(self) -> None:
        """Read and show no more."""
        self._stopping = True

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """In a thread: only whole blocks are handed over."""
        for block in blocks(self._undamaged()):
            if self._stopping:
                return
            loop.call_soon_threadsafe(self._tape.add, block)
        loop.call_soon_threadsafe(self._finish)

    def _undamaged(self) -> Iterator[Frame]:
        """The pictures that can be read."""
        try:
            yield from self._frames
        except ReplayError as error:
            self._problem = str(error)

    def _finish(self) -> None:
        self._tape.complete = True
        if not len(self._tape):
            self._on_frame(notice(self._problem or "There is no picture in this replay."))

    def _show(self) -> None:
        frame, place = self._deck.frame(), self._deck.place
        if frame is None or self._stopping:
            return
        if self._problem and self._deck.at_end:
            frame = replace(frame, note=self._problem)
        if self._shown != (frame, place):
            self._shown = frame, place
            self._on_frame(frame)
            self._on_place(place)
