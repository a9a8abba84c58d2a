from collections.abc import Callable

import pytest
from textual.widgets import Input, Select

from tests.tui.conftest import record, until
from tests.tui.screens.pages import Opened, opened
from trainer.control import tell
from trainer.run_dir import RunDir
from tui.screens.log import LogScreen
from tui.widgets.event_log import EventLog
from tui.widgets.log_pane import LogPane

KEY = "7"


def lines(page: Opened) -> list[str]:
    return list(page.page.query_one(LogPane).lines)


def events(page: Opened) -> list[str]:
    return [line.text for line in page.page.query_one(EventLog).lines]


async def has(page: Opened, shown: Callable[[], list[str]], number: int) -> None:
    await until(page.pilot, lambda: len(shown()) == number, f"{number} lines are shown")


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr("tui.app.Dashboard.copy_to_clipboard", lambda app, text: found.append(text))
    return found


async def test_output_and_events_are_shown_and_what_comes_follows(run: RunDir) -> None:
    record(run)
    run.log.write_text("\x1b[1mfirst\x1b[0m\nsecond\n")
    async with opened(run, KEY) as page:
        await has(page, lambda: lines(page), 2)
        assert lines(page) == ["first", "second"]
        await has(page, lambda: events(page), 5)
        with run.log.open("a") as log:
            log.write("third\n")
        tell(run, "warning", "KL is large", 7)
        await has(page, lambda: lines(page), 3)
        await has(page, lambda: events(page), 6)
        assert "KL is large" in events(page)[-1]


async def test_slash_shows_only_what_contains_the_words_and_escape_shows_all(run: RunDir) -> None:
    record(run)
    run.log.write_text("saved one\nother\nSAVED two\n")
    async with opened(run, KEY) as page:
        await has(page, lambda: lines(page), 3)
        await page.pilot.press("/", *"saved")
        await page.pilot.pause()
        assert lines(page) == ["saved one", "SAVED two"]
        assert all("saved" in line for line in events(page))
        with run.log.open("a") as log:
            log.write("another\nsaved three\n")
        await until(page.pilot, lambda: lines(page)[-1] == "saved three", "it follows")
        assert len(lines(page)) == 3
        await page.pilot.press("escape")
        await has(page, lambda: lines(page), 5)
        await has(page, lambda: events(page), 5)


async def test_digits_and_letters_are_typed_into_the_search_not_obeyed(run: RunDir) -> None:
    record(run)
    async with opened(run, KEY) as page:
        await page.pilot.press("/", "1", "q", "e")
        await page.pilot.pause()
        assert page.app.screen is page.page
        assert page.page.query_one(Input).value == "1qe"
        await page.pilot.press("enter")
        assert page.page.query_one(LogPane).has_focus


async def test_e_chooses_events_of_one_kind(run: RunDir) -> None:
    record(run)
    tell(run, "warning", "KL is large", 7)
    async with opened(run, KEY) as page:
        await has(page, lambda: events(page), 6)
        await page.pilot.press("e")
        assert page.page.query_one(Select).expanded
        await page.pilot.press(*"warn", "enter")
        await has(page, lambda: events(page), 2)
        assert all("warning" in line for line in events(page))


async def test_a_log_that_begins_again_replaces_the_old_one(run: RunDir) -> None:
    record(run)
    run.log.write_text("old one\nold two\n")
    async with opened(run, KEY) as page:
        await has(page, lambda: lines(page), 2)
        run.log.write_text("new\n")
        await until(page.pilot, lambda: lines(page) == ["new"], "the new one is shown")


async def test_c_copies_the_lines_that_are_shown(run: RunDir, copied: list[str]) -> None:
    record(run)
    run.log.write_text("saved one\nother\nSAVED two\n")
    async with opened(run, KEY) as page:
        await has(page, lambda: lines(page), 3)
        await page.pilot.press("/", *"saved", "enter", "c")
        await page.says("Copied 2 lines")
    assert copied == ["saved one\nSAVED two"]


async def test_c_copies_only_what_the_mouse_selected(run: RunDir, copied: list[str]) -> None:
    record(run)
    run.log.write_text("first line\nsecond line\nthird line\n")
    async with opened(run, KEY) as page:
        await has(page, lambda: lines(page), 3)
        # Past the border and its padding, from the f of first to the d of second.
        await page.pilot.mouse_down("#log", offset=(2, 1))
        await page.pilot.hover("#log", offset=(7, 2))
        await page.pilot.mouse_up("#log", offset=(7, 2))
        await page.pilot.press("c")
        await page.says("Copied 2 lines")
    assert copied == ["first line\nsecond"]


async def test_c_copies_the_events_when_they_have_the_focus(run: RunDir, copied: list[str]) -> None:
    record(run)
    async with opened(run, KEY) as page:
        await has(page, lambda: events(page), 5)
        page.page.query_one(EventLog).focus()
        await page.pilot.press("c")
        await page.says("Copied 5 lines")
    assert copied[0].splitlines()[1] == (
        "2023-11-14 22:14:22  1,003,520 steps  save  saved runs/1v1/checkpoints/000000001003520"
    )


async def test_a_log_that_cannot_be_read_is_a_sentence(run: RunDir) -> None:
    record(run)
    run.log.unlink()
    run.log.mkdir()
    async with opened(run, KEY) as page:
        pane = page.page.query_one(LogPane)
        await until(
            page.pilot, lambda: "cannot be read" in str(pane.border_subtitle), "that is said"
        )


async def test_a_run_without_output_here_says_why(run: RunDir) -> None:
    record(run)
    run.log.unlink()
    async with opened(run, KEY) as page:
        screen = page.page
        assert isinstance(screen, LogScreen)
        pane = screen.query_one(LogPane)
        await until(
            page.pilot, lambda: "another terminal" in str(pane.border_subtitle), "that is said"
        )
