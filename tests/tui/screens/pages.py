"""Opens one page of the dashboard on a run, and catches what it asks the app for."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Static

from tests.tui.conftest import dashboard, until
from trainer.run_dir import RunDir
from tui.app import Dashboard
from tui.screens.run_screen import RunScreen
from tui.widgets.keyed_table import KeyedTable

M = TypeVar("M", bound=Message)


class Opened:
    """A page that is shown, and everything that was said to the app meanwhile."""

    def __init__(self, pilot: Pilot[Any], said: list[Message]) -> None:
        self.pilot, self.said = pilot, said

    @property
    def app(self) -> Dashboard:
        app = self.pilot.app
        assert isinstance(app, Dashboard)
        return app

    @property
    def page(self) -> RunScreen:
        page = self.app.screen_stack[0]
        assert isinstance(page, RunScreen)
        return page

    @property
    def rows(self) -> list[list[str]]:
        table = self.page.query_one(KeyedTable)
        return [[cell.plain for cell in table.get_row_at(row)] for row in range(table.row_count)]

    @property
    def told(self) -> list[str]:
        """The toasts."""
        return [notice.message for notice in self.app._notifications]

    def text(self, selector: str) -> str:
        return str(self.app.screen.query_one(selector, Static).visual)

    def asked(self, kind: type[M]) -> list[M]:
        """What the page asked the app for, each once."""
        found = [message for message in self.said if isinstance(message, kind)]
        return list({id(message): message for message in found}.values())

    async def has_rows(self, number: int) -> None:
        await until(self.pilot, lambda: len(self.rows) == number, f"{number} rows are shown")

    async def says(self, words: str) -> None:
        await until(
            self.pilot, lambda: any(words in told for told in self.told), f"a toast says {words!r}"
        )


async def turn_to(pilot: Pilot[Any], page: str) -> None:
    app = pilot.app
    assert isinstance(app, Dashboard)
    await until(pilot, lambda: app.situation != "starting", "the status is known")
    await pilot.press(page)
    await pilot.pause()


@asynccontextmanager
async def opened(run: RunDir, key: str, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Opened]:
    """The page of the digit `key`, open on `run`."""
    said: list[Message] = []
    app = dashboard(run)
    async with app.run_test(size=size, message_hook=said.append) as pilot:
        await turn_to(pilot, key)
        yield Opened(pilot, said)
