import pytest
from textual.app import App
from textual.binding import Binding

from trainer.config_file import ConfigError
from tui.keymap import EVERYWHERE, Bound, is_key, keymap, remappable

PLACES = {
    EVERYWHERE: (
        Binding("q,Q", "quit", "Quit", id="quit", tooltip="Leave."),
        Binding("s,S", "save", "Save", id="save", tooltip="Keep."),
        Binding("?", "help", "Help", id="help", tooltip="Explain."),
        Binding("ctrl+c,ctrl+q", "quit", show=False),
    ),
    "Charts": (Binding("l", "log", "Log", id="charts.log", tooltip="Bend."),),
    "Log": (Binding("f", "follow", "Follow", id="log.follow", tooltip="Go on."),),
}


def refusal(**asked: str) -> str:
    with pytest.raises(ConfigError) as refused:
        keymap({name.replace("__", "."): keys for name, keys in asked.items()}, PLACES, "mine.toml")
    return str(refused.value)


def test_every_named_binding_is_listed_once_with_its_place_and_words() -> None:
    listed = remappable(PLACES)
    assert [bound.id for bound in listed] == ["quit", "save", "help", "charts.log", "log.follow"]
    assert listed[0] == Bound("quit", "q", "quit", EVERYWHERE, "Quit", "Leave.")
    assert listed[2].keys == "?"
    assert listed[3].where == "Charts"


def test_a_letter_means_its_capital_too_and_other_keys_themselves() -> None:
    assert keymap({"quit": "f10", "save": "w, ctrl+s"}, PLACES, "mine.toml") == {
        "quit": "f10",
        "save": "w,W,ctrl+s",
    }


def test_two_keys_may_change_places() -> None:
    assert keymap({"quit": "s", "save": "q"}, PLACES, "") == {"quit": "s,S", "save": "q,Q"}


def test_two_pages_may_have_the_same_key() -> None:
    assert keymap({"charts.log": "f"}, PLACES, "") == {"charts.log": "f,F"}


def test_a_key_that_two_things_would_have_is_refused_in_one_sentence() -> None:
    assert refusal(quit="s") == "mine.toml: quit and save are both on s"
    assert refusal(charts__log="q") == "mine.toml: quit and charts.log are both on q"
    assert refusal(save="?") == "mine.toml: save and help are both on ?"
    assert refusal(save="ctrl+c") == "mine.toml: save and quit are both on ctrl+c"


def test_what_means_the_same_may_share_a_key() -> None:
    assert keymap({"quit": "ctrl+q"}, PLACES, "") == {"quit": "ctrl+q"}


def test_an_unknown_binding_is_refused_with_the_nearest() -> None:
    assert refusal(qiut="x") == "mine.toml: keys.qiut is no binding; nearest: quit"
    assert refusal(log="x") == "mine.toml: keys.log is no binding; nearest: charts.log"
    assert "`rlppo-tui settings` lists them" in refusal(zzz="x")


def test_an_unknown_key_is_refused_with_the_nearest() -> None:
    assert refusal(quit="F10") == "mine.toml: keys.quit = 'F10': 'F10' is no key; nearest: f10"
    assert "'' is no key" in refusal(quit="")
    assert "'ctrl+' is no key" in refusal(quit="ctrl+")


def test_every_mistake_is_told_at_once() -> None:
    assert refusal(qiut="x", quit="s").count("\n") == 1


@pytest.mark.parametrize(
    "word",
    ["a", "Q", "?", "f10", "ctrl+s", "escape", "shift+f3", "alt+x", "space"],
)
def test_what_a_terminal_sends_is_a_key(word: str) -> None:
    assert is_key(word)


@pytest.mark.parametrize("word", ["", "ctrl+", "F10", "control-x", "banana", "f99"])
def test_what_no_terminal_sends_is_none(word: str) -> None:
    assert not is_key(word)


class Counter(App[None]):
    BINDINGS = [*PLACES[EVERYWHERE]]  # noqa: RUF012 - Textual's own way

    done: tuple[str, ...] = ()

    async def action_quit(self) -> None:
        self.done += ("quit",)

    def action_save(self) -> None:
        self.done += ("save",)


async def test_textual_carries_it_out() -> None:
    app = Counter()
    app.set_keymap(keymap({"quit": "s", "save": "f10,w"}, PLACES, ""))
    async with app.run_test() as pilot:
        await pilot.press("s", "S", "q", "f10", "W", "ctrl+c")
    assert app.done == ("quit", "quit", "save", "save", "quit")
