from pathlib import Path

from textual.app import App
from textual.widgets import Input, Static

from tui.screens.folder_dialog import FolderDialog


class Asks(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.answers: list[Path | None] = []

    def on_mount(self) -> None:
        self.push_screen(FolderDialog("Folder of runs", Path("runs")), self.answers.append)


async def test_the_folder_that_stands_there_is_taken_by_enter() -> None:
    app = Asks()
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
    assert app.answers == [Path("runs")]


async def test_a_folder_that_is_not_there_is_refused_by_name() -> None:
    app = Asks()
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("end", "x", "enter")
        await pilot.pause()
        refusal = str(app.screen.query_one("#folder-refusal", Static).visual)
        assert refusal == "runsx is no folder"
        await pilot.press("escape")
        await pilot.pause()
    assert app.answers == [None]


async def test_the_home_of_somebody_who_has_none_is_refused_too() -> None:
    app = Asks()
    async with app.run_test() as pilot:
        await pilot.pause()
        app.screen.query_one(Input).value = "~nobody-of-that-name/runs"
        await pilot.press("enter")
        await pilot.pause()
        refusal = str(app.screen.query_one("#folder-refusal", Static).visual)
        assert refusal == "~nobody-of-that-name/runs is no folder"
