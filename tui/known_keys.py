"""All bindings of the dashboard by the place where they work: the app, its pages, their widgets.

Found in the classes, so no page has to list its keys twice. Opens nothing. Tested by
`tests/tui/test_known_keys.py`.
"""

import re
from collections.abc import Iterable, Iterator

from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.screen import ModalScreen, Screen
from textual.widget import Widget

from tui.app import Dashboard
from tui.keymap import EVERYWHERE
from tui.page_screens import SCREENS
from tui.pages import PAGES
from tui.screens.dashboard import DashboardScreen


def places() -> dict[str, tuple[BindingType, ...]]:
    """The bindings of the app, of each page by its label, and of each of our widgets by its name.

    A dialog is none: its keys are the words that stand in it.
    """
    screens: dict[str, type[DOMNode]] = {DashboardScreen.PAGE: DashboardScreen, **SCREENS}
    pages = {page.label: _own(screens[page.id]) for page in PAGES}
    widgets = {_words(widget.__name__): _own(widget) for widget in widgets_of_ours()}
    palette = Binding(Dashboard.COMMAND_PALETTE_BINDING, "command_palette", "palette")
    everywhere = (*Dashboard.BINDINGS, *Screen.BINDINGS, palette)
    return {EVERYWHERE: everywhere, **_with_keys(pages), **_with_keys(widgets)}


def widgets_of_ours() -> list[type[Widget]]:
    """Every widget of the dashboard that is no screen, by name."""
    found = {
        widget
        for widget in _below(Widget)
        if widget.__module__.startswith("tui.")
        and not issubclass(widget, (*SCREENS.values(), DashboardScreen, ModalScreen))
    }
    return sorted(found, key=lambda widget: widget.__name__)


def _below(base: type[Widget]) -> Iterator[type[Widget]]:
    for child in base.__subclasses__():
        yield child
        yield from _below(child)


def _own(node: type[DOMNode]) -> tuple[BindingType, ...]:
    """What the class itself adds to those it derives from."""
    own: Iterable[BindingType] = node.__dict__.get("BINDINGS", ())
    return tuple(own)


def _with_keys(
    tables: dict[str, tuple[BindingType, ...]],
) -> dict[str, tuple[BindingType, ...]]:
    return {where: table for where, table in tables.items() if table}


def _words(name: str) -> str:
    """The name of a class as words: EventLog is "Event log"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).capitalize()
