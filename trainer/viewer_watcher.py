"""Whoever watches, at the other end of two pipes: gets frames, sends wishes, and may be gone.

Knows no game. Tested by `tests/trainer/test_viewer.py`, in the process that it is made for.
"""

import os
import sys
import threading

from trainer.frames import Frame, to_line
from trainer.viewer_wishes import Wishes, obey

LONGEST_LINE = 4096
"""Bytes: what is longer is no wish and is dropped."""


class Watcher:
    """Whoever watches; gone when standard input closes."""

    def __init__(self, wishes: Wishes) -> None:
        """Begin to listen; `wishes` hold until others arrive."""
        self.wishes = wishes
        """What it wants, as last asked; another object whenever that changes."""
        self.gone = False
        """Whether standard input is closed."""
        self._changed = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()

    def show(self, frame: Frame) -> None:
        """Print a frame at once.

        Raises:
            BrokenPipeError: When nobody reads any more.
        """
        # Past Python's own buffer: nothing is left in it to fail on when the pipe has broken.
        os.write(sys.stdout.fileno(), f"{to_line(frame)}\n".encode())

    def wait(self, seconds: float, known: Wishes) -> None:
        """Sleep, but no longer than until it is gone or wants anything else than `known`."""
        with self._changed:
            self._changed.wait_for(lambda: self.gone or self.wishes is not known, seconds)

    def _listen(self) -> None:
        rest = b""
        # Not sys.stdin: a thread that waits in it would hold its lock when the interpreter ends.
        while data := os.read(sys.stdin.fileno(), 4096):
            *lines, rest = (rest + data).split(b"\n")
            rest = rest[-LONGEST_LINE:]
            with self._changed:
                for line in lines:
                    self.wishes = obey(self.wishes, line.decode(errors="replace"))
                self._changed.notify_all()
        with self._changed:
            self.gone = True
            self._changed.notify_all()
