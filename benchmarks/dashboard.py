"""What watching costs: CPU and memory of the dashboard while a run goes on beside it.

Plays the metrics of a finished run again, an iteration every so many seconds, into a folder of its
own, and shows it on a terminal of 140 by 42. Unix only, for it needs a pseudo-terminal.
"""

import fcntl
import os
import pty
import shutil
import struct
import sys
import tempfile
import termios
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from trainer.run_dir import RunDir, new_status, write_status

WIDTH, HEIGHT = 140, 42
SETTLING_S = 4.0
"""Seconds until the dashboard stands."""
FIRST = 10
"""Iterations that are there from the beginning."""


@dataclass(frozen=True)
class Watching:
    """What was found."""

    core_share: float
    """CPU time by time."""
    rss_mb: float
    """Memory at the end."""


def watch(run_folder: Path, every: float, seconds: float) -> Watching:
    """Show the run of `run_folder` for so many seconds, an iteration ending every so many."""
    with tempfile.TemporaryDirectory() as folder:
        run = RunDir(Path(folder))
        shutil.copy(RunDir(run_folder).config, run.config)
        lines = RunDir(run_folder).metrics.read_text().splitlines(keepends=True)
        run.metrics.write_text("".join(lines[:FIRST]))
        write_status(run, replace(new_status("nothing"), phase="collecting"))
        dashboard = _open_dashboard(run)
        _play(run, lines, every, SETTLING_S)
        before = dashboard.cpu_times()
        _play(run, lines, every, seconds)
        after, megabytes = dashboard.cpu_times(), dashboard.memory_info().rss / 2**20
        dashboard.kill()
    used = after.user + after.system - before.user - before.system
    return Watching(used / seconds, megabytes)


def _open_dashboard(run: RunDir) -> psutil.Process:
    """The dashboard on a terminal whose output somebody reads, as a terminal's window would."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-m", "tui", "--run", str(run.path)])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
    threading.Thread(target=_drain, args=(terminal,), daemon=True).start()
    return psutil.Process(pid)


def _drain(terminal: int) -> None:
    try:
        while os.read(terminal, 1 << 16):
            pass
    except OSError:  # the dashboard is gone
        return


def _play(run: RunDir, lines: list[str], every: float, seconds: float) -> None:
    """Go on with the run for so long: two phases an iteration, then its metrics."""
    status = replace(new_status("nothing"), phase="collecting")
    for turn in range(round(seconds / every * 2)):
        time.sleep(every / 2)
        write_status(run, replace(status, phase="learning" if turn % 2 else "collecting"))
        if turn % 2 and lines[FIRST:]:
            with run.metrics.open("a") as file:
                file.write(lines[FIRST:][turn // 2 % len(lines[FIRST:])])
