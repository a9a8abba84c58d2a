import re

import pytest
from textual.binding import Binding
from textual.widget import Widget
from textual.widgets import DataTable

from trainer.config_file import ConfigError
from tui.keymap import bounds, keymap, remappable
from tui.known_keys import places, widgets_of_ours
from tui.page_screens import SCREENS
from tui.pages import PAGES
from tui.screens.dashboard import DashboardScreen
from tui.widgets.event_log import EventLog

FIXED = {"ctrl+c,ctrl+q", "ctrl+c,super+c", "ctrl+p", "tab", "shift+tab"}
"""What no one may take away: the way out, the palette, and Textual's own way around."""


def test_every_binding_of_app_pages_and_widgets_can_be_remapped() -> None:
    nameless = [bound for bound in bounds(places()) if not bound.id]
    moves = {binding.key for binding in DataTable.BINDINGS if isinstance(binding, Binding)}
    assert {bound.keys for bound in nameless} - moves == FIXED


def test_every_binding_says_what_it_does_in_a_word_and_a_sentence() -> None:
    for bound in remappable(places()):
        assert bound.label, bound.id
        assert bound.help.endswith("."), bound.id


def test_the_way_out_and_the_palette_cannot_be_covered() -> None:
    for key in ("ctrl+c", "ctrl+p", "tab"):
        with pytest.raises(ConfigError, match=f"are both on {re.escape(key)}"):
            keymap({"save": key}, places(), "")


def test_a_name_means_one_thing() -> None:
    named = [(bound.id, bound.action) for bound in bounds(places()) if bound.id]
    assert len(dict(named)) == len(set(named))


def test_every_key_as_it_comes_could_be_asked_for() -> None:
    table = remappable(places())
    assert set(keymap({bound.id: bound.keys for bound in table}, places(), "")) == {
        bound.id for bound in table
    }


def test_the_apps_keys_the_digits_and_each_page_with_keys_of_its_own_are_there() -> None:
    found = places()
    ids = {bound.id for bound in remappable(found)}
    assert {"quit", "save", "viewer", "deterministic", "help"} <= ids
    assert {f"page.{page.id}" for page in PAGES} <= ids
    own = {page.label: vars(SCREENS.get(page.id, DashboardScreen)) for page in PAGES}
    assert {label for label, names in own.items() if names.get("BINDINGS")} <= {*found}


def test_our_widgets_are_found_and_screens_and_tests_are_none() -> None:
    class Strange(Widget):
        BINDINGS = [Binding("x", "x", "X")]  # noqa: RUF012 - Textual's own way

    found = widgets_of_ours()
    assert EventLog in found
    assert Strange not in found
    assert not set(SCREENS.values()) & set(found)
