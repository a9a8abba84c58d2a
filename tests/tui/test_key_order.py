import asyncio
from pathlib import Path
from typing import Any, ClassVar

import pytest
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input, Select

from tests.tui.conftest import dashboard, record, shown, until
from trainer.run_dir import RunDir
from tui import key_order
from tui.key_order import OrderedApp
from tui.look import Look
from tui.new_run_app import NewRunApp
from tui.screens.config import ConfigScreen
from tui.screens.new_run import NewRun
from tui.screens.ratings import RatingsScreen


def burst(pilot: Pilot[Any], *keys: str) -> None:
    """Type as a machine that was busy has it: all keys are there before the first is handled."""
    for key in keys:
        pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))


class Form(OrderedApp[None]):
    """Two lines, the first deep inside, where keys have far to climb."""

    AUTO_FOCUS = "#name"

    def compose(self) -> ComposeResult:
        yield Vertical(Vertical(Vertical(Input("laptop-2", id="name"))))
        yield Input(id="seed")

    def on_input_submitted(self) -> None:
        self.action_focus_next()

    def texts(self) -> list[str]:
        return [line.value for line in self.query(Input)]


@pytest.mark.parametrize(
    ("keys", "texts"),
    [
        (["backspace"] * 8 + [*"first"], ["first", ""]),
        ([*"ba", "backspace", "c", "left", "left", "d"], ["dbc", ""]),
        ([*"first", "tab", *"12"], ["first", "12"]),
        ([*"first", "enter", *"12", "shift+tab", *"1st"], ["1st", "12"]),
    ],
)
async def test_keys_that_come_at_once_do_what_they_do_one_by_one(
    keys: list[str], texts: list[str]
) -> None:
    app = Form()
    async with app.run_test() as pilot:
        await pilot.pause()
        burst(pilot, *keys)
        await until(pilot, lambda: app.texts() == texts, f"the lines say {texts}")
        one_by_one = Form()
    async with one_by_one.run_test() as pilot:
        await pilot.pause()
        await pilot.press(*keys)
        assert one_by_one.texts() == texts


async def test_what_is_pasted_or_clicked_waits_for_the_keys_before_it() -> None:
    app = Form()
    async with app.run_test() as pilot:
        await pilot.pause()
        burst(pilot, "tab", "7")
        app.post_message(events.Paste("89"))
        name = app.query_one("#name").region.offset
        burst(pilot, "0")
        for kind in (events.MouseDown, events.MouseUp):
            app.post_message(
                kind(
                    None, *name, 0, 0, 1, shift=False, meta=False, ctrl=False,
                    screen_x=name.x, screen_y=name.y,
                )
            )  # fmt: skip
        burst(pilot, "delete")
        await until(pilot, lambda: app.texts() == ["aptop-2", "7890"], "all of it is done")


class Hanging(Widget, can_focus=True):
    """Done with a key when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go = asyncio.Event()

    async def on_key(self) -> None:
        await self.let_go.wait()


class Hung(OrderedApp[str]):
    """A program of which a part hangs."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "out", priority=True)]

    def compose(self) -> ComposeResult:
        yield Hanging()

    def action_out(self) -> None:
        self.query_one(Hanging).let_go.set()
        self.exit("out")


async def test_a_key_that_is_never_done_does_not_hold_the_way_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(key_order, "PATIENCE_S", 0.0)
    app = Hung()
    async with app.run_test() as pilot:
        await pilot.pause()
        burst(pilot, "x", "ctrl+c")
        await asyncio.wait_for(app.query_one(Hanging).let_go.wait(), 10)
    assert app.return_value == "out"


async def test_a_key_whose_place_is_gone_is_passed_over() -> None:
    app = Form()
    async with app.run_test() as pilot:
        await pilot.pause()
        burst(pilot, "a")
        app.query_one(Vertical).remove()
        burst(pilot, "b", "c")
        await until(pilot, lambda: app.texts()[-1].endswith("c"), "the other line is typed in")


async def test_a_name_typed_over_the_one_suggested_is_the_name() -> None:
    app = NewRunApp(Look(), Path("runs"))
    async with app.run_test(size=(140, 42)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, NewRun), "the form is open")
        await pilot.pause()
        burst(pilot, *["backspace"] * 8, *"first", "tab")
        await until(pilot, lambda: isinstance(app.focused, Select), "the focus went on")
        assert app.screen.query_one("#new-name", Input).value == "first"


@pytest.fixture
def recorded(run: RunDir) -> RunDir:
    record(run)
    return run


async def test_digits_turn_pages_however_fast_they_come(recorded: RunDir) -> None:
    app = dashboard(recorded)
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        burst(pilot, *"1235680")
        await until(pilot, lambda: isinstance(app.screen, RatingsScreen), "the last page is open")
        burst(pilot, "6")
        await until(pilot, lambda: isinstance(app.screen, ConfigScreen), "the page is open")
        assert app.screen.query_one("#find", Input).value == ""


async def test_what_is_typed_after_a_page_and_its_search_is_searched(recorded: RunDir) -> None:
    app = dashboard(recorded)
    async with app.run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        burst(pilot, "6", "slash", *"entropy", "enter")

        def found() -> bool:
            lines = app.screen.query("#find").results(Input)
            return [line.value for line in lines] == ["entropy"]

        await until(pilot, found, "the search is typed")
        assert isinstance(app.screen, ConfigScreen)
