"""The pitch of the dashboard: the newest frame of a game that is played, or of a recorded one.

Draws a frame when one arrives and only the cells that differ, so that a slow connection sees no
flicker. Keys ask the source of the frames for what they say. Knows neither torch nor the simulator:
they live in the viewer's process. Tested by `tests/tui/test_pitch.py` and `test_pitch_controls.py`.
"""

import contextlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from rich.style import Style
from textual.binding import BindingType
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget
from textual.worker import Worker, WorkerError

from trainer.checkpoint_folder import list_checkpoints
from trainer.frames import Frame, Mind, notice
from trainer.run_dir import RunDir
from tui import pitch_keys
from tui.pitch_canvas import draw
from tui.pitch_changes import changes
from tui.pitch_recent import Recent, after
from tui.pitch_side import NO_EXTRAS, Extras
from tui.pitch_source import MakeSource, Source
from tui.pitch_style import NAMES, Row, blank, strip
from tui.screens.team_dialog import TeamDialog
from tui.terminal import draws_ascii
from tui.viewer_feed import ViewerFeed


def viewer_command(run_path: Path) -> list[str]:
    """The program that plays the newest policy of a run."""
    return [sys.executable, "-m", "trainer.viewer", str(run_path)]


class PitchPanel(Widget, can_focus=True):
    """A pitch that shows the newest frame while its source runs."""

    DEFAULT_CSS = """
    PitchPanel {
        width: 1fr;
        height: 1fr;
        min-height: 5;
    }
    """
    HELP = pitch_keys.HELP
    BINDINGS: ClassVar[list[BindingType]] = [*pitch_keys.pitch_bindings()]

    def __init__(
        self,
        command: Callable[[Path], Sequence[str]] = viewer_command,
        *,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """An empty pitch; nothing runs before `start` or `play`."""
        super().__init__(id=id, classes=classes)
        self._command = command
        self._run = RunDir(Path())
        self._source: Source | None = None
        self._worker: Worker[None] | None = None
        self._frame = notice("")
        self._recent = Recent()
        self._extras = NO_EXTRAS
        self._rows: list[Row] = []
        self._ground = Style()

    @property
    def running(self) -> bool:
        """Whether somebody plays, or is about to."""
        return self._source is not None

    def start(self, run_path: Path, deterministic: bool) -> None:
        """Watch the run in `run_path`; a viewer that plays already is ended first."""
        self._run = RunDir(run_path)
        command = self._command(run_path)
        self.play(lambda show, fail: ViewerFeed(command, deterministic, show, fail))
        self.show(notice("Starting the viewer…"))
        self._say("follow 0")

    def play(self, make_source: MakeSource) -> None:
        """Show what a source hands on; one that runs already is stopped first."""
        self.stop()
        self._source = source = make_source(self.show, self._failed)
        self._extras = Extras(pitch_keys.hints(source.orders))
        self._worker = self.run_worker(source.run())
        self.refresh_bindings()
        self.call_after_refresh(self.focus)

    def stop(self) -> None:
        """End the source; returns at once, a viewer's process is gone within two seconds."""
        if self._source is not None:
            self._source.stop()
            self._over()
        self.show(notice(""))

    def set_deterministic(self, deterministic: bool) -> None:
        """Play the likeliest action, or sample one; does nothing while no viewer runs."""
        self._say("deterministic on" if deterministic else "deterministic off")

    def cast(self, team: int, name: str) -> None:
        """Let "newest", or the checkpoint in the folder `name`, play team 0 (blue) or 1."""
        self._say(f"play {NAMES[team].lower()} {name}")

    def show(self, frame: Frame) -> None:
        """Draw a frame over the one before."""
        self._frame, self._recent = frame, after(self._recent, frame)
        before = self._rows
        ascii_only = draws_ascii(self.app)
        self._rows = draw(frame, *self.size, self._recent, self._extras, ascii_only=ascii_only)
        if [len(row) for row in before[:1]] != [self.size.width] or len(before) != len(self._rows):
            self.refresh()
        elif changed := changes(before, self._rows):
            self.refresh(*changed)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Some lines, on the widget's own background."""
        self._ground = self.rich_style  # dear to find out, and the same for all of them
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """One line of the newest frame."""
        row = self._rows[y] if y < len(self._rows) else blank(self.size.width)
        return strip(row).apply_style(self._ground)

    def on_resize(self) -> None:
        """Draw the same frame in the new size."""
        self.show(self._frame)

    async def on_unmount(self) -> None:
        """Take the viewer along, and wait until it is gone."""
        self.stop()
        if self._worker is not None:
            with contextlib.suppress(WorkerError):
                await self._worker.wait()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys are there for what the source understands."""
        order = pitch_keys.order_of(action)
        return order is None or (self._source is not None and order in self._source.orders)

    # What keys do: each shows at once what the source will confirm with its next frame

    def action_hold(self) -> None:
        """Stand still, or go on."""
        paused = not self._frame.paused
        self._say("pause" if paused else "resume", paused=paused)

    def action_slower(self) -> None:
        """Play slower."""
        self._play_at(pitch_keys.next_speed(self._frame.speed, faster=False))

    def action_faster(self) -> None:
        """Play faster."""
        self._play_at(pitch_keys.next_speed(self._frame.speed, faster=True))

    def action_seek(self, seconds: int) -> None:
        """Go back or ahead."""
        self._say(f"seek {seconds}")

    def action_kickoff(self) -> None:
        """Leave this rally."""
        self._say("kickoff")

    def action_previous(self) -> None:
        """Go back to a kickoff."""
        self._say("previous")

    def action_follow(self) -> None:
        """Follow the next car; after the last, none."""
        car = pitch_keys.next_car(self._frame)
        mind = None if car is None else Mind(car, None, "", ())
        self._say(f"follow {'none' if car is None else car}", mind=mind)

    def action_play(self, team: int) -> None:
        """Ask for the checkpoint that plays a team."""

        def chosen(name: str | None) -> None:
            if name is not None:
                self.cast(team, name)

        names = [path.name for path in list_checkpoints(self._run)]
        self.app.push_screen(TeamDialog(team, names), chosen)

    def action_record(self) -> None:
        """Begin or end a recording."""
        recording = not self._extras.recording
        self._extras = self._extras._replace(recording=recording)
        self._say("record on" if recording else "record off")

    def _play_at(self, speed: float) -> None:
        self._say(f"speed {speed:g}", speed=speed)

    def _say(self, line: str, **expected: Any) -> None:  # noqa: ANN401 - any field of a Frame
        if self._source is not None:
            self._source.say(line)
            self.show(replace(self._frame, **expected))

    def _failed(self, sentence: str) -> None:
        self._over()
        self.show(notice(sentence))

    def _over(self) -> None:
        self._source, self._extras = None, NO_EXTRAS
        self.refresh_bindings()
