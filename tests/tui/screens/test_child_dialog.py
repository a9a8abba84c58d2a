import sys

from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Log, Static

from tests.tui.children import no_child_is_left, no_child_stays
from tests.tui.conftest import until
from tui.screens.child_dialog import ChildDialog

SLEEPER = "print('begun'); import time; time.sleep(600)"


class Runs(App[None]):
    def __init__(self, *command: str) -> None:
        super().__init__()
        self.command = command

    def on_mount(self) -> None:
        self.push_screen(ChildDialog("Export", self.command))


def runs(code: str) -> Runs:
    return Runs(sys.executable, "-c", code)


def state(app: Runs) -> str:
    return str(app.screen.query_one("#child-state", Static).visual)


def lines(app: Runs) -> list[str]:
    return list(app.screen.query_one(Log).lines)


async def opened(pilot: Pilot[None]) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, ChildDialog), "the box is open")


async def test_lines_are_shown_as_they_come_without_terminal_codes() -> None:
    app = runs("print('\\x1b[31mred\\x1b[0m'); print(); print('runs/1v1/bundles/100')")
    async with app.run_test() as pilot:
        await opened(pilot)
        await until(pilot, lambda: state(app) == "Done: runs/1v1/bundles/100", "it is done")
        assert [line.strip() for line in lines(app)][:3] == ["red", "", "runs/1v1/bundles/100"]
        assert not app.screen.query_one("#child-works").display


async def test_a_refusal_is_shown_with_its_sentence_and_its_exit_code() -> None:
    app = runs("import sys; print('rlppo: there is no such run', file=sys.stderr); sys.exit(2)")
    async with app.run_test() as pilot:
        await opened(pilot)
        await until(pilot, lambda: "exit code 2" in state(app), "it is refused")
        assert "rlppo: there is no such run" in lines(app)


async def test_a_program_that_is_not_there_is_a_sentence() -> None:
    app = Runs("/nowhere/rlppo")
    async with app.run_test() as pilot:
        await opened(pilot)
        await until(pilot, lambda: "could not be run" in state(app), "it is refused")


async def test_escape_kills_what_works_and_closes() -> None:
    app = runs(SLEEPER)
    async with app.run_test() as pilot:
        await opened(pilot)
        await until(pilot, lambda: "begun" in lines(app), "it works")
        assert app.screen.query_one("#child-works").display
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, ChildDialog), "it closes")
        await until(pilot, no_child_is_left, "the program is gone")


async def test_closing_the_app_kills_what_works() -> None:
    app = runs(SLEEPER)
    async with app.run_test() as pilot:
        await opened(pilot)
        await until(pilot, lambda: "begun" in lines(app), "it works")
    assert await no_child_stays()
