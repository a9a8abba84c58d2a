"""The question before quitting, and the wait after it.

Says what each choice does. It decides nothing: every key is an action of the app. Tested by
`tests/tui/test_quit.py`.
"""

from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.widgets import Static

from trainer.run_dir import Phase
from tui.quitting import PATIENCE_S


class QuitProgress(NamedTuple):
    """How far the quitting is."""

    asked: bool = False
    """The trainer was asked to finish the iteration, save and end."""
    forced: bool = False
    """It was asked again, not to finish the iteration."""
    phase: Phase = "starting"
    """What it does."""

    @property
    def words(self) -> str:
        """What the trainer does about it, for a person."""
        if self.phase == "saving":
            return "Saving a checkpoint…"
        if self.forced:
            return f"Stopping now; it gets a signal after {PATIENCE_S:.0f} s."
        if self.phase == "starting":
            return "It is still starting, and stops as soon as it is ready…"
        return "Finishing the iteration, then saving…"


class Choice(Horizontal):
    """One key, and what it does."""

    def __init__(self, key: str, title: str, text: str = "") -> None:
        """Offer `key`, called `title`."""
        super().__init__()
        self._key = key
        self._words = f"[b]{title}[/b]\n{text}" if text else f"[b]{title}[/b]"

    def compose(self) -> ComposeResult:
        """The key on the left, the words on the right."""
        yield Static(self._key, classes="choice-key")
        yield Static(self._words, classes="choice-words")


class QuitDialog(ModalScreen[None]):
    """Quit, leave it running, or stay; afterwards, what is waited for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,Q,y,Y,enter", "app.quit", "Save and quit"),
        Binding("l,L", "app.leave", "Leave it running"),
        Binding("escape,n,N", "app.stay", "Stay"),
    ]

    progress: reactive[QuitProgress] = reactive(QuitProgress(), recompose=True)

    def compose(self) -> ComposeResult:
        """One box with what can be chosen at this moment."""
        with Vertical(id="quit-box") as box:
            if self.progress.asked:
                box.border_title = "Stopping"
                yield from self._wait()
            else:
                box.border_title = "Quit?"
                yield Choice("Q", "Save and quit", "Finish this iteration, save, stop.")
                yield Choice("L", "Leave it running", "Close the dashboard; training goes on.")
                yield Choice("Esc", "Stay")

    def _wait(self) -> ComposeResult:
        yield Static(self.progress.words, id="doing")
        if not self.progress.forced:
            yield Choice("Q", "Now", "Drop this iteration, save, stop.")
        yield Choice("L", "Do not wait", "It still saves and stops.")
