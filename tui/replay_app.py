"""`rlppo-tui replay FILE`: a recorded game on the dashboard's pitch.

Knows no run and no trainer. Tested by `tests/tui/test_replay_app.py`.
"""

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Footer, Static

from trainer.frames import Frame
from trainer.replay import ReplayHeader
from tui.look import Look, PersonalApp
from tui.pitch import PitchPanel
from tui.pitch_lines import clock
from tui.replay_deck import Place
from tui.replay_feed import ReplayFeed
from tui.signals import leave_on_signals

MOST_FPS = 30
"""A terminal is not asked for more pictures a second."""


class ReplayApp(PersonalApp[None]):
    """One game on one screen."""

    TITLE = "rlppo replay"
    CSS_PATH = "replay_app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,Q", "quit", "Quit", key_display="Q", tooltip="Close the replay.", id="quit"),
        Binding("ctrl+c,ctrl+q", "quit", show=False, priority=True, system=True),
    ]

    def __init__(self, header: ReplayHeader, frames: Iterator[Frame], look: Look) -> None:
        """Play what `read_replay` returned."""
        super().__init__(look)
        self._header = header
        self._frames = frames

    def compose(self) -> ComposeResult:
        """Pitch, place, keys."""
        yield PitchPanel()
        yield Static(id="place", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Begin to play."""
        leave_on_signals(self.exit)
        fps = min(MOST_FPS, self._header.fps)
        self.query_one(PitchPanel).play(
            lambda show, fail: ReplayFeed(self._frames, fps, show, self._show_place)
        )

    def _show_place(self, place: Place) -> None:
        line = self.query_one("#place", Static)
        line.update(place_line(place, line.size.width))


def place_line(place: Place, width: int) -> str:
    """Time, a bar, and which rally it is, in `width` cells."""
    times = f"{clock(place.time_s)} / {clock(place.duration_s)}"
    rally = f"rally {place.rally} of {place.rallies}{'' if place.complete else ', reading…'}"
    cells = max(0, width - len(times) - len(rally) - 4)
    full = round(cells * place.time_s / place.duration_s) if place.duration_s else 0
    return f"{times}  {'━' * full}{'─' * (cells - full)}  {rally}"[: max(0, width)]
