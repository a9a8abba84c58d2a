"""Runs another program beside the screen, hands on what it prints, and leaves nothing of it behind.

For what the dashboard may not load itself: measuring, exporting, verifying. Knows no screen and no
program. Tested by `tests/tui/test_child_lines.py`.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence

import psutil

LONGEST_LINE = 1 << 20
"""Bytes of a line that can be read; a program that prints longer ones is at fault."""


async def run_child(command: Sequence[str], on_line: Callable[[str], None]) -> int:
    """Run `command` to its end and tell `on_line` each line of its output and its errors.

    When the task that awaits this is cancelled, or `on_line` raises, the program is killed with all
    that it started, and reaped, before this returns.

    Args:
        command: Program and arguments; nothing is read from a keyboard.
        on_line: Is called in the event loop, so it may touch a screen.

    Returns:
        The exit code; negative for a signal.

    Raises:
        OSError: When there is no such program.
        ValueError: When it prints a line that is longer than `LONGEST_LINE`.
    """
    child = await asyncio.create_subprocess_exec(
        *command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        limit=LONGEST_LINE,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        start_new_session=True,
    )
    try:
        assert child.stdout is not None
        async for line in child.stdout:
            on_line(line.decode(errors="replace").rstrip())
        return await child.wait()
    except BaseException:
        _kill_all(child.pid)
        await _reaped(child)
        raise


def _kill_all(pid: int) -> None:
    """Kill the process and whatever it started that is still its own."""
    if sys.platform != "win32":
        # It leads a session of its own, and so a group of the same number.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        return
    with contextlib.suppress(psutil.NoSuchProcess):
        leader = psutil.Process(pid)
        for process in (*leader.children(recursive=True), leader):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()


async def _reaped(child: asyncio.subprocess.Process) -> None:
    """Wait for a killed child, however often the wait itself is cancelled: it takes a moment."""
    end = asyncio.ensure_future(child.wait())
    while not end.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(end)
