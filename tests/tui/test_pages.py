import json
import shutil
from pathlib import Path

from textual.events import DescendantFocus
from textual.message import Message
from textual.widgets import HelpPanel, Input

from tests.tui.conftest import dashboard, record, restate, shown, until
from trainer.config import RunConfig
from trainer.control import tell
from trainer.run_dir import RunDir
from tui.app import Dashboard
from tui.page_screens import SCREENS
from tui.pages import PAGES
from tui.watched import Watched
from tui.widgets.event_log import EventLog
from tui.widgets.run_header import Headline, RunHeader


def test_every_page_has_a_screen_a_digit_and_a_sentence() -> None:
    assert {page.id for page in PAGES} == {*SCREENS, "dashboard"}
    assert all(page == screen.PAGE for page, screen in SCREENS.items())
    assert len({page.key for page in PAGES}) == len(PAGES)
    assert all(page.key.isdigit() and page.help.endswith(".") for page in PAGES)


async def test_the_dashboard_can_turn_to_another_run_and_forgets_the_one_before(
    run: RunDir,
) -> None:
    record(run)
    other = RunDir(Path("runs/other"))
    shutil.copytree(run.path, other.path)
    lines = run.metrics.read_text().splitlines()
    other.metrics.write_text("\n".join(lines[:7]) + "\n")
    other.events.unlink()
    tell(other, "start", "another story", 0)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        await app.watch_run(Watched(other, RunConfig()))
        await until(pilot, lambda: header(app).name == "other", "the other run has the header")
        await shown(pilot, iteration=7)
        board = app._known.board
        assert board is not None
        assert board.latest.iteration == json.loads(lines[6])["iteration"] == 7
        log = app.screen.query_one(EventLog)
        await until(pilot, lambda: len(log.lines) == 1, "its events stand alone")
        assert "another story" in log.lines[0].text
        restate(other, phase="stopped")
        await until(pilot, lambda: app.situation == "stopped", "its status counts")


def header(app: Dashboard) -> Headline:
    headline = app.screen.query_one(RunHeader).headline
    assert headline is not None
    return headline


async def test_no_page_opens_with_the_focus_in_a_line_to_type_in_not_even_for_a_moment(
    run: RunDir,
) -> None:
    record(run)
    said: list[Message] = []
    app = dashboard(run)
    async with app.run_test(message_hook=said.append) as pilot:
        await shown(pilot)
        for page in PAGES:
            await pilot.press(page.key)
            assert app.current_mode == page.id
    focused = {message.widget for message in said if isinstance(message, DescendantFocus)}
    assert not any(isinstance(widget, Input) for widget in focused)


async def test_question_mark_opens_the_help_and_closes_it(run: RunDir) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        await pilot.press("?")
        await pilot.pause()
        assert app.screen.query(HelpPanel)
        await pilot.press("?")
        await pilot.pause()
        assert not app.screen.query(HelpPanel)
