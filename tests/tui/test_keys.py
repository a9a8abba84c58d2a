import pytest
from textual.binding import Binding

from tui.app import Dashboard
from tui.keys import KEYS, bindings
from tui.page_screens import SCREENS
from tui.pitch_keys import PITCH_KEYS


def test_every_key_has_a_label_a_sentence_and_an_action() -> None:
    for key in KEYS:
        assert key.label
        assert key.help.endswith(".")
        assert hasattr(Dashboard, f"action_{key.id}")


def test_letters_are_not_used_twice() -> None:
    assert len({key.key for key in KEYS}) == len(KEYS)


def test_capitals_do_the_same_and_ctrl_c_does_what_q_does() -> None:
    actions = {key: binding.action for binding in bindings() for key in binding.key.split(",")}
    assert actions["q"] == actions["Q"] == actions["ctrl+c"] == "quit"
    assert actions["s"] == actions["S"] == "save"
    assert actions["r"] == actions["R"] == "viewer"
    assert actions["d"] == actions["D"] == "deterministic"


def test_every_key_can_be_remapped_and_explains_itself_and_the_rare_ones_leave_the_footer() -> None:
    named = {binding.id: binding for binding in bindings() if binding.id}
    assert all(named[key.id].tooltip == key.help for key in KEYS)
    assert [key.id for key in KEYS if not named[key.id].show] == ["leave"]


@pytest.mark.parametrize("page", sorted(SCREENS))
def test_keys_of_a_page_take_none_from_the_dashboard_and_can_be_remapped(page: str) -> None:
    everywhere = {key for binding in bindings() for key in binding.key.split(",")}
    written = vars(SCREENS[page]).get("BINDINGS", [])
    own = [binding for binding in written if isinstance(binding, Binding)]
    letters = [key for binding in own for key in binding.key.split(",")]
    assert len(set(letters)) == len(letters)
    assert not everywhere & set(letters)
    assert all(str(binding.id).startswith(f"{page}.") for binding in own)
    assert all(binding.tooltip and binding.description for binding in own if binding.show)


def test_the_pitch_has_actions_of_its_own_for_the_footer_shows_one_key_an_action() -> None:
    own = {key.action.partition("(")[0] for key in PITCH_KEYS}
    assert not own & {key.id for key in KEYS}
