import pytest
from textual.app import App

from tui.screens.confirm import Confirm


class Asks(App[None]):
    answer: bool | None = None

    def on_mount(self) -> None:
        def take(answer: bool | None) -> None:
            self.answer = answer

        self.push_screen(Confirm("Delete?", "Removes [it] for good.", "Delete"), take)


@pytest.mark.parametrize(
    ("key", "answer"),
    [("y", True), ("Y", True), ("enter", True), ("n", False), ("N", False), ("escape", False)],
)
async def test_a_key_answers(key: str, answer: bool) -> None:
    app = Asks()
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press(key)
        await pilot.pause()
        assert app.answer is answer


@pytest.mark.parametrize(("button", "answer"), [("#yes", True), ("#no", False)])
async def test_a_click_answers(button: str, answer: bool) -> None:
    app = Asks()
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.click(button)
        await pilot.pause()
        assert app.answer is answer


async def test_the_other_button_is_a_key_away() -> None:
    app = Asks()
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("right", "enter")
        await pilot.pause()
        assert app.answer is False
