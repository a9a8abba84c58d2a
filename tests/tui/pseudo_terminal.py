"""A dashboard in a pseudo-terminal of its own, with a fake trainer, and what it leaves behind."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.patience import PATIENCE_S
from tests.tui.conftest import FAKE_TRAINER
from trainer.run_dir import RunDir, Status, read_status

START = (
    "import sys; from tui import launcher, app, __main__ as entry;"
    f"launcher.TRAINER = (sys.executable, {str(FAKE_TRAINER)!r}); {{}}; entry.main()"
)
ALT_SCREEN = b"\x1b[?1049h"
MODES = {
    1049: "the other screen",
    1000: "mouse clicks",
    1003: "mouse movement",
    1004: "focus",
    1006: "mouse places",
    1015: "mouse places of urxvt",
    2004: "marks around what is pasted",
}
"""What a program may switch on by `ESC [ ? number h`, and must switch off by `l`."""
SWITCHES = re.compile(rb"\x1b\[\?(\d+)([hl])")


def own_environment(run: RunDir) -> dict[str, str]:
    """This checkout, and none of the settings of whoever runs the tests."""
    root = Path(__file__).parents[2]
    return {"PYTHONPATH": str(root), "XDG_CONFIG_HOME": str(run.path.parent.resolve() / "config")}


class Terminal:
    """A dashboard on a run, in a terminal of its own.

    Args:
        run: Its folder.
        prepare: Statements that run before the dashboard, with `app` in scope.
        size: Columns and lines.
        env: What the environment has besides.
    """

    def __init__(
        self,
        run: RunDir,
        prepare: str = "0",
        size: tuple[int, int] = (80, 24),
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.run = run
        self.master, self.slave = pty.openpty()
        self.resize(*size)
        self.before = termios.tcgetattr(self.slave)
        self.output = bytearray()
        self.process = subprocess.Popen(
            [sys.executable, "-c", START.format(prepare), "--run", str(run.path)],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            env=os.environ | own_environment(run) | {"TERM": "xterm-256color"} | (env or {}),
            start_new_session=True,
        )
        self._pump = threading.Thread(target=self._read)
        self._pump.start()
        self.wait(lambda: self.status is not None and self.status.iteration >= 1)
        self.wait(lambda: ALT_SCREEN in self.output)

    @property
    def status(self) -> Status | None:
        return read_status(self.run)

    def press(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def wait(self, true: Callable[[], bool], seconds: float = PATIENCE_S) -> None:
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, self.output[-2000:].decode(errors="replace")
            time.sleep(0.05)

    def left_on(self) -> set[str]:
        """What is not as it was before: modes, the cursor, how the kernel treats the line."""
        switched = {int(mode): way == b"h" for mode, way in SWITCHES.findall(bytes(self.output))}
        left = {words for mode, words in MODES.items() if switched.get(mode)}
        if not switched.get(25, True):
            left.add("the cursor hidden")
        if termios.tcgetattr(self.slave) != self.before:
            left.add("the line raw")
        return left

    def restored(self) -> bool:
        """Whether the dashboard had the terminal, and has given all of it back."""
        self.wait(lambda: not self.left_on())
        switched = {int(mode) for mode, way in SWITCHES.findall(bytes(self.output)) if way == b"h"}
        return {1049, 1000, 1003, 1006} <= switched and b"\x1b[?25l" in self.output

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE_S)
        if (status := self.status) and status.alive:
            os.kill(status.pid, signal.SIGTERM)
        os.close(self.slave)
        self._pump.join(PATIENCE_S)
        os.close(self.master)

    def _read(self) -> None:
        try:
            while data := os.read(self.master, 1 << 16):
                self.output += data
        except OSError:
            return  # Linux's word for a terminal that nobody holds any more
