"""Which events of a run somebody wants to see, and how they read as plain lines.

Pure functions. Tested by `tests/tui/test_story.py`.
"""

import time
from collections.abc import Sequence

from trainer.control import Event


def chosen(events: Sequence[Event], kind: str | None, sought: str) -> tuple[Event, ...]:
    """The events of `kind` (None: of all) whose text or kind contains `sought`, in any case."""
    wanted = sought.casefold()
    return tuple(
        event
        for event in events
        if kind in (None, event.kind) and wanted in f"{event.kind} {event.text}".casefold()
    )


def line(event: Event) -> str:
    """An event as one line, with local time, to paste elsewhere."""
    clock = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(event.time))
    return f"{clock}  {event.steps:,} steps  {event.kind}  {event.text}"
