"""What is wrong with the run, a line each; nothing at all while it is healthy.

Enter or a click on a line opens its details. The judging is in `tui/health.py`; this widget looks
at the free disk space in a thread now and then, since a disk may take its time. Tested by
`tests/tui/widgets/test_health_list.py`.
"""

import math
import shutil
from pathlib import Path

from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tui.health import Case, Finding, findings
from tui.health_rules import RULES
from tui.known import Known
from tui.screens.health_details import HealthDetails

DISK_EVERY_S = 30.0


def free_bytes(folder: Path) -> float:
    """Free space where `folder` is; NaN when that cannot be said."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return math.nan


class HealthList(OptionList):
    """The warnings of the watched run."""

    HELP = """\
# Warnings

Each line is one thing that looks wrong in the last iterations, with its numbers. Press **Enter** or
click to see when it warns, on whose word, and what to try.

Warnings must persist, and keep quiet for some iterations after a start or an edit. Their thresholds
are the settings of `[health]`; `docs/health.md` lists them all.
"""

    class DiskMeasured(Message):
        """How much is free on the run's disk."""

        def __init__(self, free: float) -> None:
            """`free` bytes, or NaN."""
            super().__init__()
            self.free = free

    def __init__(self, *, id: str | None = None) -> None:
        """Nothing is wrong before it is told."""
        super().__init__(id=id, markup=False)
        self.display = False
        self._free = math.nan
        self._known: Known | None = None
        self._judged: tuple[object, ...] = ()
        self._found: tuple[Finding, ...] = ()

    def on_mount(self) -> None:
        """Look at the disk from now on."""
        self.set_interval(DISK_EVERY_S, self._measure)

    def show(self, known: Known) -> None:
        """Judge what is `known`, where it has changed."""
        first, self._known = self._known is None, known
        if first:
            self._measure()
        self._judge()

    def on_health_list_disk_measured(self, message: DiskMeasured) -> None:
        """Take in how much is free."""
        self._free = message.free
        self._judge()

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Show the details of a line."""
        message.stop()
        self.app.push_screen(HealthDetails(self._found[message.option_index]))

    def _measure(self) -> None:
        if self._known:
            folder = self._known.run.path
            look = lambda: self.post_message(self.DiskMeasured(free_bytes(folder)))  # noqa: E731
            self.run_worker(look, thread=True, exclusive=True)

    def _judge(self) -> None:
        known = self._known
        if known is None:
            return
        judged = (known.board, known.config, known.events, self._free)
        if all(new is old for new, old in zip(judged, self._judged, strict=False)) and self._judged:
            return
        self._judged = judged
        window = known.board.window if known.board else ()
        found = findings(Case(window, known.config, known.events, self._free), RULES)
        if found != self._found:
            self._draw(found)

    def _draw(self, found: tuple[Finding, ...]) -> None:
        """The lines; which of them is highlighted stays, as long as its rule warns."""
        at = self.highlighted
        chosen = self._found[at].rule if at is not None and at < len(self._found) else None
        self._found = found
        self.set_options(Option(f"! {each.seen}", id=each.rule) for each in found)
        rules = [each.rule for each in found]
        self.highlighted = rules.index(chosen) if chosen in rules else None
        self.display = bool(found)
