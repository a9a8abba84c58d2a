"""What every page has: the run's header above, tabs, and the keys below.

A page draws what it is told and keeps nothing of the run itself. Tested by
`tests/tui/test_pages.py`.
"""

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import Footer

from trainer.run_dir import RunDir
from tui.known import Known
from tui.widgets.page_tabs import PageTabs
from tui.widgets.run_header import Headline, RunHeader

NORMAL_WIDTH = 72
"""Columns below which words give way."""


class RunScreen(Screen[None]):
    """One page about the watched run."""

    PAGE: ClassVar[str]
    """Its id in the table of pages."""

    def __init__(self) -> None:
        """Nothing is known before it is told."""
        super().__init__()
        self.known: Known | None = None
        """What was told last."""

    def compose(self) -> ComposeResult:
        """Header, tabs, the page's own, keys."""
        yield RunHeader()
        yield PageTabs(self.PAGE)
        with Vertical(id="page"):
            yield from self.body()
        yield Footer()

    def body(self) -> ComposeResult:
        """What the page itself consists of."""
        raise NotImplementedError

    def show(self, known: Known) -> None:
        """Draw `known`; called once a second, too, so it is cheap when nothing changed."""
        raise NotImplementedError

    def tell(self, known: Known) -> None:
        """Let header and page draw what is known now."""
        self.known = known
        self.query_one(RunHeader).headline = Headline(
            known.run.path.resolve().name,
            known.situation,
            known.status,
            known.board.latest if known.board else None,
            known.now,
        )
        self.show(known)

    def ask(self, send: Callable[[RunDir], object]) -> bool:
        """Write something into the run folder by `send`; False, and said, when it cannot be."""
        if self.known is None:
            return False
        try:
            send(self.known.run)
        except OSError as error:
            self.notify(f"The trainer cannot be asked: {error}", severity="error", markup=False)
            return False
        return True

    def on_resize(self, event: Resize) -> None:
        """Leave the small screen's footer to the keys."""
        footer = self.query_one(Footer)
        footer.compact = event.size.width < NORMAL_WIDTH
        footer.show_command_palette = not footer.compact
