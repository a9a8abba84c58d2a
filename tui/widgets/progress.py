"""How far it is to the next save and, where one is set, to the end.

`to_save` and `to_end` are pure; the widget is a label, a Textual ProgressBar and a label. Tested by
`tests/tui/widgets/test_progress.py`.
"""

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Label, ProgressBar

from trainer.run_dir import Status
from tui.formatting import compact, duration


@dataclass(frozen=True)
class Progress:
    """One bar."""

    share: float
    """0 to 1."""
    words: str
    """What is left, for a person."""


def to_save(status: Status, every_steps: int, steps_per_second: float) -> Progress:
    """How much of the way between two automatic saves is behind, and what is left."""
    left = max(0, status.next_save - status.steps)
    share = 1.0 - left / every_steps
    about = f", ~{duration(left / steps_per_second)}" if steps_per_second > 0 else ""
    return Progress(_limited(share), f"in {compact(left)} steps{about}")


def to_end(status: Status, now: float) -> Progress | None:
    """How much of the asked iterations or minutes is behind; None when no end is set."""
    if status.last_iteration is not None:
        done, last = status.iteration, status.last_iteration
        return Progress(_limited(done / max(1, last)), f"iteration {done:,} of {last:,}")
    if status.ends is not None:
        whole = max(1.0, status.ends - status.started)
        share = (now - status.started) / whole
        return Progress(_limited(share), f"in {duration(status.ends - now)}")
    return None


def _limited(share: float) -> float:
    return min(1.0, max(0.0, share))


class ProgressRow(Horizontal):
    """A name, a bar, and what is left."""

    def __init__(self, title: str, *, id: str) -> None:
        """Call the bar `title`."""
        super().__init__(id=id)
        self._title = title

    def compose(self) -> ComposeResult:
        """Label, bar, label."""
        yield Label(self._title, classes="progress-name")
        yield ProgressBar(total=1.0, show_eta=False, show_percentage=False)
        yield Label("", classes="progress-words", markup=False)

    def show(self, progress: Progress | None) -> None:
        """Draw `progress`, or nothing at all."""
        self.display = progress is not None
        if progress:
            self.query_one(ProgressBar).update(progress=progress.share)
            self.query_one(".progress-words", Label).update(progress.words, layout=False)
