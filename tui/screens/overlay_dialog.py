"""Which other runs are drawn beside the watched one: those in folders beside its own.

Answers with the folder to add or to take away. Tested by `tests/tui/screens/test_charts.py`.
"""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from trainer.run_dir import RunDir


def siblings(run: Path) -> list[Path]:
    """Folders beside that of `run` which have metrics, by name."""
    beside = run.resolve().parent
    found = [path for path in beside.iterdir() if RunDir(path).metrics.exists()]
    return sorted(path for path in found if path != run.resolve())


class OverlayDialog(ModalScreen[Path | None]):
    """One of the other runs, or none."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,o", "dismiss", "Close", id="overlay.close")
    ]

    def __init__(self, runs: Sequence[Path], drawn: Collection[Path]) -> None:
        """Offer `runs`, of which some are `drawn` already."""
        super().__init__()
        self._runs, self._drawn = runs, drawn

    def compose(self) -> ComposeResult:
        """The runs, or why there is none."""
        with Vertical(id="overlay-box") as box:
            box.border_title = "Another run beside this one"
            if not self._runs:
                yield Static(
                    "There is no other run beside this one. Esc closes.", id="overlay-none"
                )
            yield OptionList(*(Option(self._words(run)) for run in self._runs))

    def _words(self, run: Path) -> str:
        return f"{'●' if run in self._drawn else ' '} {run.name}"

    @on(OptionList.OptionSelected)
    def _choose(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._runs[event.option_index])
