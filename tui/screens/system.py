"""Machine and trainer, looked at every 2 s while the page is on top, and where the time goes.

The looking is `tui/system_probe.py`, in a thread; its words are `tui/system_rows.py`. Tested by
`tests/tui/screens/test_system.py`.
"""

from collections import deque
from functools import partial
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult, RenderResult
from textual.containers import VerticalScroll
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.worker import Worker

from trainer.run_dir import Status
from tui.known import Known
from tui.screens.run_screen import RunScreen
from tui.system_probe import Probe, Reading
from tui.system_rows import KEPT, Row, picture, rows
from tui.widgets.phase_bar import PhaseBar

EVERY_S = 2.0


def trainer_rows(status: Status | None) -> list[Row]:
    """What the trainer says of itself."""
    if status is None:
        return [Row("device", "the trainer has not said yet")]
    return [Row("device", status.device), Row("process", f"{status.pid}, {status.phase}")]


class SystemRows(Widget):
    """Name, words and history, a line each."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"system-rows--name", "system-rows--spark"}

    rows: reactive[tuple[Row, ...]] = reactive((), layout=True)

    def __init__(self, title: str, *, id: str) -> None:
        """Under `title`, nothing before it is told."""
        super().__init__(id=id)
        self.border_title = title

    def render(self) -> RenderResult:
        """The rows as wide as the widget."""
        name, spark = map(self._style, ("name", "spark"))
        if not self.rows:
            return Text("looking…", name)
        return picture(self.rows, self.content_size.width, name, spark)

    def _style(self, part: str) -> Style:
        return self.get_component_rich_style(f"system-rows--{part}")


class SystemScreen(RunScreen):
    """The page of the machine."""

    PAGE = "system"
    CSS_PATH = "system.tcss"
    HELP = """\
# System

The machine and what the trainer and its workers take of it, every 2 s, with the last five minutes.
Memory of processes is what is resident: what they share counts in each. GPUs are NVIDIA's only.

Below: where the time of an iteration goes, what bounds the run, and one thing to try.
"""

    class Looked(Message):
        """The probe has looked once more."""

        def __init__(self, reading: Reading) -> None:
            """It found `reading`."""
            super().__init__()
            self.reading = reading

    def __init__(self) -> None:
        """Nothing is looked at before the page is on top."""
        super().__init__()
        self._probe = Probe()
        self._readings: deque[Reading] = deque(maxlen=KEPT)
        self._looking: Worker[object] | None = None

    def body(self) -> ComposeResult:
        """Machine, trainer, time."""
        with VerticalScroll(id="system-body"):
            yield SystemRows("Machine", id="machine")
            yield SystemRows("Trainer", id="trainer")
            yield PhaseBar()

    def on_mount(self) -> None:
        """Look from now on, as long as the page is on top."""
        self._timer = self.set_interval(EVERY_S, self._look)

    def on_screen_resume(self) -> None:
        """Look at once."""
        self._timer.resume()
        self._look()

    def on_screen_suspend(self) -> None:
        """Rest while nobody looks here."""
        self._timer.pause()

    def show(self, known: Known) -> None:
        """Draw what the trainer says and where its time goes."""
        if self._looking is None:
            self._look()
        self.query_one("#trainer", SystemRows).rows = tuple(trainer_rows(known.status))
        self.query_one(PhaseBar).show(known)

    def on_system_screen_looked(self, message: Looked) -> None:
        """Draw what was found."""
        self._readings.append(message.reading)
        self.query_one("#machine", SystemRows).rows = tuple(rows(self._readings))

    def _look(self) -> None:
        """One look in a thread, unless one is still under way."""
        busy = self._looking is not None and not self._looking.is_finished
        if self.known and not busy:
            read = partial(self._probe.read, self.known.run.path, self.known.status)
            self._looking = self.run_worker(partial(self._tell, read), thread=True)

    def _tell(self, read: "partial[Reading]") -> None:
        self.post_message(self.Looked(read()))
