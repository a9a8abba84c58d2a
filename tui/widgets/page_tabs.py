"""One line with every page, of which one is shown; a click shows another.

`tabs` is pure text; the widget only places it. Tested by `tests/tui/widgets/test_page_tabs.py`.
"""

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import Static

from tui.pages import PAGES, Page

_GAPS = ("  ", " ")
"""Between two pages: the wider one where there is room."""


def tabs(pages: Sequence[Page], shown: str, width: int) -> Content:
    """The pages' keys and words; where they do not fit in `width`, only the shown one's word."""
    words = sum(len(page.key) + 1 + len(page.label) for page in pages)
    gaps = len(pages) - 1
    fitting = [gap for gap in _GAPS if words + gaps * len(gap) <= width]
    parts = [_tab(page, shown=page.id == shown, long=bool(fitting)) for page in pages]
    return Content(fitting[0] if fitting else " ").join(parts)


def _tab(page: Page, *, shown: bool, long: bool) -> Content:
    words = f"{page.key} {page.label}" if long or shown else page.key
    style = "bold $primary" if shown else "$foreground 65%"
    return Content.from_markup(f"[@click=app.page('{page.id}')][{style}]$words[/][/]", words=words)


class PageTabs(Static):
    """The line of pages."""

    def __init__(self, shown: str) -> None:
        """Mark the page called `shown`."""
        super().__init__(id="tabs")
        self._shown = shown

    def on_resize(self) -> None:
        """Say as much as fits."""
        self.update(tabs(PAGES, self._shown, self.content_size.width))
