"""Lines of a growing log, which follow its end, and stand still for somebody who reads above it.

Knows no file. Tested by `tests/tui/widgets/test_log_pane.py`.
"""

from collections import deque
from collections.abc import Iterable

from textual.widgets import Log

from tui.log_tail import LAST_LINES


class LogPane(Log):
    """The last lines of a log."""

    HELP = (
        "End follows the newest lines; scrolled up, the lines stand still. "
        "What you drag over with the mouse, C copies."
    )

    def __init__(self, *, id: str) -> None:
        """Begin empty."""
        super().__init__(max_lines=LAST_LINES, id=id)
        self._held: deque[str] = deque(maxlen=LAST_LINES)

    def replace(self, lines: Iterable[str]) -> None:
        """Show `lines` and nothing else, from their end."""
        self._held.clear()
        self.clear()
        self._append(lines)
        self.scroll_end(animate=False)

    def follow(self, lines: Iterable[str]) -> None:
        """Append `lines`, once somebody who reads above comes back to the end."""
        self._held.extend(lines)
        self.release()

    def release(self) -> None:
        """Show what was held back, when the end is in view."""
        if self.is_vertical_scroll_end and self._held:
            lines = [*self._held]
            self._held.clear()
            self._append(lines)
        waiting = len(self._held)
        self.border_subtitle = f"{waiting:,} new below: End" if waiting else ""

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Go on once the end is reached again."""
        super().watch_scroll_y(old_value, new_value)
        if self._held:
            self.call_after_refresh(self.release)

    def _append(self, lines: Iterable[str]) -> None:
        # A line without a character would be left out.
        self.write_lines(line or " " for line in lines)
