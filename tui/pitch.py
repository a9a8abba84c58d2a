"""The live pitch of the dashboard: the newest frame of a viewer process.

Draws a frame when one arrives and only the lines that differ, so that a slow connection sees no
flicker. Knows neither torch nor the simulator: they live in the child. Tested by
`tests/tui/test_pitch.py`.
"""

import contextlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget
from textual.worker import Worker, WorkerError

from trainer.frames import Frame, notice
from tui.pitch_canvas import render
from tui.pitch_style import blank
from tui.terminal import draws_ascii
from tui.viewer_feed import ViewerFeed


def viewer_command(run_path: Path) -> list[str]:
    """The program that plays the newest policy of a run."""
    return [sys.executable, "-m", "trainer.viewer", str(run_path)]


class PitchPanel(Widget):
    """A pitch that shows the newest frame while its viewer runs."""

    DEFAULT_CSS = """
    PitchPanel {
        width: 1fr;
        height: 1fr;
        min-height: 5;
    }
    """

    def __init__(
        self,
        command: Callable[[Path], Sequence[str]] = viewer_command,
        *,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """An empty pitch; nothing runs before `start`."""
        super().__init__(id=id, classes=classes)
        self._command = command
        self._feed: ViewerFeed | None = None
        self._worker: Worker[None] | None = None
        self._frame = notice("")
        self._strips: list[Strip] = []

    @property
    def running(self) -> bool:
        """Whether a viewer plays, or is about to."""
        return self._feed is not None

    def start(self, run_path: Path, deterministic: bool) -> None:
        """Watch the run in `run_path`; a viewer that plays already is ended first."""
        self.stop()
        self.show(notice("Starting the viewer…"))
        self._feed = ViewerFeed(self._command(run_path), deterministic, self.show, self._failed)
        self._worker = self.run_worker(self._feed.run())

    def stop(self) -> None:
        """End the viewer; returns at once, the process is gone within two seconds."""
        if self._feed is not None:
            self._feed.stop()
            self._feed = None
        self.show(notice(""))

    def set_deterministic(self, deterministic: bool) -> None:
        """Play the likeliest action, or sample one; does nothing while no viewer runs."""
        if self._feed is not None:
            self._feed.set_deterministic(deterministic)

    def show(self, frame: Frame) -> None:
        """Draw a frame over the one before."""
        self._frame = frame
        before, width = self._strips, self.size.width
        self._strips = render(frame, width, self.size.height, ascii_only=draws_ascii(self.app))
        if len(before) != len(self._strips):
            self.refresh()
            return
        pairs = enumerate(zip(before, self._strips, strict=True))
        changed = [Region(0, y, width, 1) for y, (old, new) in pairs if old != new]
        if changed:
            self.refresh(*changed)

    def render_line(self, y: int) -> Strip:
        """One line of the newest frame, on the widget's own background."""
        line = self._strips[y] if y < len(self._strips) else blank(self.size.width)
        return line.apply_style(self.rich_style)

    def on_resize(self) -> None:
        """Draw the same frame in the new size."""
        self.show(self._frame)

    async def on_unmount(self) -> None:
        """Take the viewer along, and wait until it is gone."""
        self.stop()
        if self._worker is not None:
            with contextlib.suppress(WorkerError):
                await self._worker.wait()

    def _failed(self, sentence: str) -> None:
        self._feed = None
        self.show(notice(sentence))
