"""One warning in full: what is seen, when it warns, on whose word, what to try.

Tested by `tests/tui/widgets/test_health_list.py`.
"""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Click
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.health import Finding


def details(finding: Finding) -> Content:
    """The warning as paragraphs."""
    parts = (
        ("Warns when", finding.threshold),
        ("Source", finding.source),
        ("Try", finding.advice),
    )
    paragraphs = [Content.styled(finding.seen, "bold $warning")]
    paragraphs += [Content.assemble((f"{title}: ", "bold"), words) for title, words in parts]
    return Content("\n\n").join(paragraphs)


class HealthDetails(ModalScreen[None]):
    """A box over the page; Escape, Enter or a click beside it closes it."""

    CSS_PATH = "health_details.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter", "dismiss", "Close", id="health.close")
    ]

    def __init__(self, finding: Finding) -> None:
        """Explain `finding`."""
        super().__init__()
        self._finding = finding

    def compose(self) -> ComposeResult:
        """The paragraphs, which scroll where they do not fit."""
        with VerticalScroll(id="health-box") as box:
            box.border_title = self._finding.rule
            box.border_subtitle = "Esc closes"
            yield Static(details(self._finding))

    def on_click(self, event: Click) -> None:
        """Close on a click beside the box."""
        if event.widget is self:
            self.dismiss()
