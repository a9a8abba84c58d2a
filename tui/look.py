"""How the dashboard looks to its person: settings and terminal, made into what Textual takes.

`look` decides, before the screen opens; `PersonalApp` carries it out and knows nothing of a run.
Tested by `tests/tui/test_look.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic

from textual.app import ReturnType
from textual.filter import LineFilter

from tui.key_order import OrderedApp
from tui.keymap import Places, keymap
from tui.settings import Settings, settings_path
from tui.terminal import ASCII_CLASS, AsciiFilter, ascii_only
from tui.theme import DARK, MONO, TEAM_COLOURS, THEMES


@dataclass(frozen=True)
class Look:
    """What a person and a terminal have chosen."""

    theme: str = DARK.name
    """Name of a theme of `theme.py`."""
    ascii: bool = False
    """Draw with ASCII alone."""
    keymap: Mapping[str, str] = field(default_factory=dict)
    """Keys by the binding's name, where they are not as they come."""


def look(settings: Settings, places: Places, env: Mapping[str, str], encoding: str | None) -> Look:
    """What `settings` and the terminal come to; NO_COLOR asks for greys, whatever the settings.

    Raises:
        ConfigError: When the keys cannot be.
    """
    theme = MONO.name if env.get("NO_COLOR") else THEMES[settings.theme].name
    keys = keymap(settings.keys, places, str(settings_path(env)))
    return Look(theme, ascii_only(settings.ascii, env, encoding), keys)


class PersonalApp(OrderedApp[ReturnType], Generic[ReturnType]):
    """An app in a person's colours, signs and keys."""

    def __init__(self, look: Look) -> None:
        """Look like `look`."""
        super().__init__()
        self._look = look
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = look.theme
        self.set_class(look.ascii, ASCII_CLASS)
        self.set_keymap(dict(look.keymap))

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The teams' colours, for a theme of Textual's own."""
        return TEAM_COLOURS.copy()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's own, then the one that spells in ASCII."""
        own = super().get_line_filters()
        return [*own, AsciiFilter()] if self.has_class(ASCII_CLASS) else own
