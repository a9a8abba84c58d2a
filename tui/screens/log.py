"""The trainer's output as it comes, and what happened in the run, by kind and by words.

Reads the end of trainer.log in a thread; writes nothing. Tested by `tests/tui/screens/test_log.py`.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Select

from trainer.control import EVENT_KINDS, Event
from tui import story
from tui.keys import Key, page_bindings
from tui.known import Known
from tui.log_tail import LAST_LINES, LogTail, Piece, matching
from tui.messages import LogRead
from tui.screens.run_screen import RunScreen
from tui.widgets.event_log import EventLog
from tui.widgets.log_pane import LogPane

_EMPTY = "No output here: a trainer that was started in another terminal prints there."

KEYS = (
    Key("search", "/", "Search", "Show only lines and events that contain what you type."),
    Key("kinds", "e", "Kinds", "Show only events of one kind."),
    Key(
        "copy",
        "c",
        "Copy",
        "Copy what the mouse selected, else all lines or, with those in focus, events.",
    ),
)
"""What the page itself obeys."""


class LogScreen(RunScreen):
    """Output above, events below, and what to look for."""

    HELP = "Type what lines must contain, or choose a kind of event; Esc shows everything again."
    PAGE = "log"
    CSS_PATH = "log.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        *page_bindings("log", KEYS),
        Binding(
            "escape",
            "forget",
            "All",
            show=False,
            tooltip="Show every line and every kind again.",
            id="log.all",
        ),
    ]

    def __init__(self) -> None:
        """Nothing is read yet."""
        super().__init__()
        self._tail: LogTail | None = None
        self._reading = False
        self._lines: deque[str] = deque(maxlen=LAST_LINES)
        self._sought = ""
        self._kind: str | None = None
        self._story: tuple[Event, ...] = ()

    def body(self) -> ComposeResult:
        """Output, events, search."""
        pane = LogPane(id="log")
        pane.border_title = "Output of the trainer"
        yield pane
        yield EventLog()
        with Horizontal(id="log-choice"):
            options = [(kind, kind) for kind in EVENT_KINDS]
            yield Select(options, prompt="events of every kind", id="log-kind", compact=True)
            yield Input(placeholder="/ to search", id="log-search", compact=True)

    def show(self, known: Known) -> None:
        """Read what is new, and show what happened."""
        if self._tail is None:
            self._tail = LogTail(known.run.log)
        if not self._reading:
            self._reading = True
            self.run_worker(partial(_read, self._tail, self.post_message), thread=True)
        self._show_story()

    def on_log_read(self, message: LogRead) -> None:
        """Show the new lines."""
        self._reading = False
        pane, piece = self.query_one(LogPane), message.piece
        if piece.anew:
            self._lines.clear()
        self._lines.extend(piece.lines)
        found = matching(piece.lines, self._sought)
        if piece.anew:
            pane.replace(found)
        elif found:
            pane.follow(found)
        if message.problem or not self._lines:
            pane.border_subtitle = message.problem or _EMPTY
        else:
            pane.release()

    def _show_story(self) -> None:
        events = self.known.events if self.known else ()
        found = story.chosen(events, self._kind, self._sought)
        if found == self._story:
            return
        log, before = self.query_one(EventLog), self._story
        self._story = found
        if before and found[: len(before)] == before:
            log.show(found)
        else:
            log.replace(found)

    # What is looked for

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what contains it, with each letter."""
        self._sought = event.value
        self.query_one(LogPane).replace(matching(self._lines, self._sought))
        self._show_story()

    def on_input_submitted(self) -> None:
        """Go back to the lines, still chosen."""
        self.query_one(LogPane).focus()

    def on_select_changed(self, event: Select.Changed) -> None:
        """Show one kind, or all."""
        self._kind = event.value if isinstance(event.value, str) else None
        self._show_story()

    def action_search(self) -> None:
        """Begin to type."""
        self.query_one(Input).focus()

    def action_kinds(self) -> None:
        """Open the choice of kinds."""
        choice = self.query_one(Select)
        choice.focus()
        choice.action_show_overlay()

    def action_forget(self) -> None:
        """Show everything again."""
        self.query_one(Input).value = ""
        self.query_one(Select).clear()
        self.query_one(LogPane).focus()

    def action_copy(self) -> None:
        """Hand the shown lines to the terminal's clipboard."""
        if selected := self.get_selected_text():
            lines = selected.splitlines()
        elif self.query_one(EventLog).has_focus:
            lines = [story.line(event) for event in self._story]
        else:
            lines = [*matching(self._lines, self._sought)]
        self.app.copy_to_clipboard("\n".join(lines))
        self.notify(f"Copied {len(lines):,} lines, if the terminal allows it.")


def _read(tail: LogTail, post: Callable[[Message], object]) -> None:
    try:
        post(LogRead(tail.read()))
    except OSError as error:
        post(LogRead(Piece((), anew=False), f"It cannot be read: {error}"))
