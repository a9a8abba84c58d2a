from textual.binding import Binding

from tui.app import Dashboard
from tui.keys import KEYS, bindings


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


def test_every_shown_key_can_be_remapped_and_explains_itself() -> None:
    shown = [binding for binding in bindings() if isinstance(binding, Binding) and binding.show]
    assert [binding.id for binding in shown] == [key.id for key in KEYS]
    assert all(binding.tooltip for binding in shown)
