from textual.app import App
from textual.widgets import Input, Static

from trainer.checkpoint_marks import Mark
from tui.screens.mark_dialog import MarkDialog


class Asks(App[None]):
    def __init__(self, mark: Mark) -> None:
        super().__init__()
        self.mark = mark
        self.answers: list[Mark | None] = []

    def on_mount(self) -> None:
        self.push_screen(MarkDialog("Name and pin", "Write", self.mark), self.answers.append)


async def test_a_name_is_typed_and_enter_takes_it_with_the_pin_as_it_was() -> None:
    app = Asks(Mark(pinned=True))
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press(*"best", "enter")
        await pilot.pause()
    assert app.answers == [Mark("best", pinned=True)]


async def test_the_pin_is_switched_by_keyboard() -> None:
    app = Asks(Mark("best"))
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("tab", "enter")
        await pilot.click("#take")
        await pilot.pause()
    assert app.answers == [Mark("best", pinned=True)]


async def test_escape_changes_nothing() -> None:
    app = Asks(Mark("best"))
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("x", "escape")
        await pilot.pause()
    assert app.answers == [None]


async def test_a_name_that_is_no_plain_text_is_refused_in_a_sentence() -> None:
    app = Asks(Mark())
    async with app.run_test() as pilot:
        await pilot.pause()
        app.screen.query_one(Input).value = "a\x07b"
        await pilot.press("enter")
        await pilot.pause()
        refusal = str(app.screen.query_one("#mark-refusal", Static).visual)
        assert "a checkpoint's name is one line" in refusal
        assert app.answers == []
