"""What happened in the run, newest at the bottom.

Keeps the last events itself, to wrap them anew when the width changes. Tested by
`tests/tui/test_app.py`.
"""

import time
from collections import deque
from collections.abc import Sequence
from itertools import takewhile
from typing import ClassVar

from rich.style import Style
from rich.table import Table
from rich.text import Text
from textual.events import Resize
from textual.widgets import RichLog

from trainer.control import Event
from tui.formatting import compact

KEPT = 300
_TIME_FROM, _STEPS_FROM = 38, 60


class EventLog(RichLog):
    """The run's story."""

    HELP = """\
## Events

What happened, newest at the bottom: starts, saves, edits, warnings and errors, with the time of day
and the run's agent steps. Arrows, PgUp, PgDn, Home and End scroll.
"""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "event-log--time",
        "event-log--start",
        "event-log--save",
        "event-log--edit",
        "event-log--pause",
        "event-log--viewer",
        "event-log--version",
        "event-log--rating",
        "event-log--warning",
        "event-log--error",
        "event-log--stop",
    }

    def __init__(self) -> None:
        """Begin empty."""
        super().__init__(max_lines=KEPT, min_width=1, wrap=True)
        self.border_title = "Events"
        self._kept: deque[Event] = deque(maxlen=KEPT)

    def show(self, story: Sequence[Event]) -> None:
        """Append what of `story` is not here yet: all that comes after the last one shown."""
        last = self._kept[-1] if self._kept else None
        unseen = takewhile(lambda event: event is not last, reversed(story))
        for event in reversed(list(unseen)):
            self._kept.append(event)
            self.write(self._row(event), expand=True)

    def replace(self, story: Sequence[Event]) -> None:
        """Show `story` and nothing else."""
        self._kept = deque(story, maxlen=KEPT)
        self.redraw()

    def on_mount(self) -> None:
        """Change colours with the theme."""
        self.app.theme_changed_signal.subscribe(self, lambda theme: self.redraw())

    def on_resize(self, event: Resize) -> None:
        """Wrap every line anew."""
        self.redraw()

    def redraw(self) -> None:
        """Write everything again, for another width or other colours."""
        self.clear()
        for event in self._kept:
            self.write(self._row(event), expand=True)

    def _row(self, event: Event) -> Table:
        """Time, steps, kind and text; a narrow log leaves out the first two."""
        width = self.content_size.width
        clock = time.strftime("%H:%M", time.localtime(event.time))
        row, cells = Table.grid(padding=(0, 1)), []
        if width >= _TIME_FROM:
            row.add_column(width=5)
            cells.append(Text(clock, self._style("time")))
        if width >= _STEPS_FROM:
            row.add_column(width=6, justify="right")
            cells.append(Text(compact(event.steps), self._style("time")))
        row.add_column(width=7)
        row.add_column(ratio=1)
        row.add_row(*cells, Text(event.kind, self._style(event.kind)), Text(event.text))
        return row

    def _style(self, part: str) -> Style:
        return self.get_component_rich_style(f"event-log--{part}", partial=True)
