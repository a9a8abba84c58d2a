"""What ends a program on a terminal from outside, so that it can give the terminal back.

Knows no app. Tested by `tests/tui/test_replay_app.py`.
"""

import asyncio
import contextlib
import signal
from collections.abc import Callable


def leave_on_signals(leave: Callable[[], object]) -> None:
    """Call `leave` in the running loop when the terminal closes or somebody kills the process."""
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGHUP"):
        # Windows has no SIGHUP, and its loops take no handlers.
        with contextlib.suppress(AttributeError, NotImplementedError, RuntimeError):
            loop.add_signal_handler(getattr(signal, name), leave)
