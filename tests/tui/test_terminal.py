"""The whole command in a real terminal (a pty), with a fake trainer."""

import os
import pty
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tui.conftest import FAKE_TRAINER
from trainer.run_dir import RunDir, Status, read_status

START = (
    "import sys; from tui import launcher, app, __main__ as entry;"
    f"launcher.TRAINER = (sys.executable, {str(FAKE_TRAINER)!r}); {{}}; entry.main()"
)
ALT_SCREEN, ITS_END = b"\x1b[?1049h", b"\x1b[?1049l"


class Terminal:
    """A dashboard on a run, in a terminal of its own."""

    def __init__(self, run: RunDir, prepare: str = "0") -> None:
        self.run = run
        self.master, self.slave = pty.openpty()
        self.before = termios.tcgetattr(self.slave)
        self.output = bytearray()
        self.process = subprocess.Popen(
            [sys.executable, "-c", START.format(prepare), "--run", str(run.path)],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            env=os.environ
            | {"TERM": "xterm-256color", "PYTHONPATH": str(Path(__file__).parents[2])},
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

    def wait(self, true: Callable[[], bool], seconds: float = 20) -> None:
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, self.output[-2000:].decode(errors="replace")
            time.sleep(0.05)

    def restored(self) -> bool:
        """Whether the terminal is as it was, and the usual screen is back."""
        same = termios.tcgetattr(self.slave) == self.before
        return same and self.output.rfind(ITS_END) > self.output.rfind(ALT_SCREEN)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        if (status := self.status) and status.alive:
            os.kill(status.pid, signal.SIGTERM)
        os.close(self.slave)
        self._pump.join(10)
        os.close(self.master)

    def _read(self) -> None:
        try:
            while data := os.read(self.master, 1 << 16):
                self.output += data
        except OSError:
            return  # Linux's word for a terminal that nobody holds any more


@pytest.fixture
def opened(run: RunDir) -> Iterator[Callable[..., Terminal]]:
    terminals: list[Terminal] = []

    def open_terminal(prepare: str = "0") -> Terminal:
        terminals.append(Terminal(run, prepare))
        return terminals[-1]

    yield open_terminal
    for terminal in terminals:
        terminal.close()


def test_ctrl_c_twice_saves_and_gives_the_terminal_back(opened: Callable[..., Terminal]) -> None:
    terminal = opened()
    terminal.press(b"\x03")
    terminal.wait(lambda: b"Quit?" in terminal.output)
    terminal.press(b"\x03")
    assert terminal.process.wait(20) == 0
    assert terminal.restored()
    assert terminal.status is not None
    assert terminal.status.phase == "stopped"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_killed_dashboard_gives_the_terminal_back_and_lets_the_training_go_on(
    opened: Callable[..., Terminal], number: signal.Signals
) -> None:
    terminal = opened()
    terminal.process.send_signal(number)
    assert terminal.process.wait(20) == 0
    assert terminal.restored()
    assert terminal.status is not None
    assert terminal.status.alive


def test_a_bug_in_the_dashboard_gives_the_terminal_back_and_lets_the_training_go_on(
    opened: Callable[..., Terminal],
) -> None:
    terminal = opened("app.Dashboard.action_save = lambda self: 1 / 0")
    terminal.press(b"s")
    assert terminal.process.wait(20) == 1
    assert terminal.restored()
    assert b"ZeroDivisionError" in terminal.output
    assert b"Training goes on without the dashboard" in terminal.output
    assert terminal.status is not None
    assert terminal.status.alive
