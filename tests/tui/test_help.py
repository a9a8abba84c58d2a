"""Whoever does not know what to press is told: by help, palette and tabs, on every page."""

import pytest
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import HelpPanel, Markdown

from tests.tui.conftest import dashboard, record, shown, until
from trainer.run_dir import RunDir
from tui.app import Dashboard
from tui.keys import KEYS
from tui.pages import PAGES, Page


async def turn_to(pilot: Pilot[object], page: Page) -> Dashboard:
    app = pilot.app
    assert isinstance(app, Dashboard)
    await shown(pilot)
    await pilot.press(page.key)
    await until(pilot, lambda: app.current_mode == page.id, page.label)
    await pilot.pause()
    return app


def helped(widget: Widget) -> str:
    """What the help panel says while `widget` has the focus: its own help, else its nearest's."""
    nodes = [node for node in widget.ancestors_with_self if isinstance(node, Widget)]
    return next((node.HELP for node in nodes if node.HELP), "") or ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
async def test_all_that_takes_the_focus_explains_itself(run: RunDir, page: Page) -> None:
    record(run)
    async with dashboard(run).run_test(size=(140, 44)) as pilot:
        app = await turn_to(pilot, page)
        helpless = {
            type(widget).__name__ for widget in app.screen.focus_chain if not helped(widget)
        }
        assert helpless == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
async def test_the_palette_lists_every_page_and_every_key_of_the_page(
    run: RunDir, page: Page
) -> None:
    record(run)
    async with dashboard(run).run_test(size=(140, 44)) as pilot:
        app = await turn_to(pilot, page)
        offered = {command.title: command.help for command in app.get_system_commands(app.screen)}
        assert {page.label: page.help for page in PAGES}.items() <= offered.items()
        assert {key.label: key.help for key in KEYS}.items() <= offered.items()
        for binding in app.screen._bindings.key_to_bindings.values():
            assert all(key.description in offered for key in binding if key.id)


async def test_question_mark_shows_the_help_of_what_has_the_focus(run: RunDir) -> None:
    record(run)
    async with dashboard(run).run_test(size=(140, 44)) as pilot:
        app = await turn_to(pilot, PAGES[0])
        app.screen.query_one("EventLog").focus()
        await pilot.press("?")
        panel = app.screen.query_one(HelpPanel)
        await until(pilot, lambda: bool(panel.query(Markdown)), "the panel stands")
        text = panel.query_one(Markdown)
        await until(pilot, lambda: "What happened, newest" in text.source, "it explains")


async def test_what_the_palette_offers_is_done(run: RunDir) -> None:
    record(run)
    async with dashboard(run).run_test() as pilot:
        app = await turn_to(pilot, PAGES[0])
        offered = {command.title: command for command in app.get_system_commands(app.screen)}
        await offered["Help"].callback()
        await until(pilot, lambda: bool(app.screen.query(HelpPanel)), "help is there")
