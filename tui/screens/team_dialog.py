"""The question who plays a team: the newest policy, or a checkpoint of the run.

Only asks; whoever opens it tells the viewer. Tested by `tests/tui/test_pitch_controls.py`.
"""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from trainer.viewer_wishes import NEWEST
from tui.pitch_style import NAMES


class TeamDialog(ModalScreen[str | None]):
    """A list to choose from: the name of what was chosen, or None."""

    CSS_PATH = "team_dialog.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Leave it as it is")]

    def __init__(self, team: int, checkpoints: Sequence[str]) -> None:
        """Ask for a team, 0 blue or 1 orange, with the names of checkpoints, newest first."""
        super().__init__()
        self._team = team
        self._checkpoints = checkpoints

    def compose(self) -> ComposeResult:
        """One list."""
        saved = (Option(f"{int(name):,} steps", id=name) for name in self._checkpoints)
        choices = OptionList(Option("The newest, as it learns", id=NEWEST), *saved, id="team-list")
        choices.border_title = f"Who plays {NAMES[self._team].lower()}?"
        yield choices

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Take it."""
        self.dismiss(message.option_id)
