"""Signals that end the dashboard as its own keys would: with the terminal restored.

Tested in a pseudo-terminal by `tests/tui/test_terminal.py`.
"""

import asyncio
import contextlib
import signal
from collections.abc import Callable


def leave_on_signals(leave: Callable[[], None]) -> None:
    """Call `leave` when the terminal is closed or the process is asked to end."""
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGHUP"):
        # Windows has no SIGHUP, and its loops take no handlers.
        with contextlib.suppress(AttributeError, NotImplementedError, RuntimeError):
            loop.add_signal_handler(getattr(signal, name), leave)
