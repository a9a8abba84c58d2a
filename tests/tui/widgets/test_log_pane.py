from textual.app import App, ComposeResult

from tests.tui.conftest import until
from tui.widgets.log_pane import LogPane


class OnePane(App[None]):
    def compose(self) -> ComposeResult:
        yield LogPane(id="log")


def numbered(start: int, stop: int) -> list[str]:
    return [f"line {number}" for number in range(start, stop)]


async def test_it_follows_the_end() -> None:
    app = OnePane()
    async with app.run_test(size=(40, 10)) as pilot:
        pane = app.query_one(LogPane)
        pane.replace(numbered(0, 50))
        await pilot.pause()
        pane.follow(numbered(50, 55))
        await pilot.pause()
        assert pane.is_vertical_scroll_end
        assert pane.lines[-1] == "line 54"
        assert not pane.border_subtitle


async def test_scrolled_up_it_stands_still_and_says_what_waits_below() -> None:
    app = OnePane()
    async with app.run_test(size=(40, 10)) as pilot:
        pane = app.query_one(LogPane)
        pane.replace(numbered(0, 50))
        await pilot.pause()
        pane.focus()
        await pilot.press("up", "up")
        await until(pilot, lambda: pane.scroll_offset.y == pane.max_scroll_y - 2, "it scrolls")
        at = pane.scroll_offset.y
        pane.follow(numbered(50, 5050))
        await pilot.pause()
        assert pane.scroll_offset.y == at
        assert pane.lines[-1] == "line 49"
        assert pane.border_subtitle == "2,000 new below: End"
        await pilot.press("end")
        await until(pilot, lambda: pane.lines[-1] == "line 5049", "it goes on")
        assert not pane.border_subtitle


async def test_empty_lines_stay_and_markup_is_literal() -> None:
    app = OnePane()
    async with app.run_test(size=(40, 10)):
        pane = app.query_one(LogPane)
        pane.replace(["a", "", "[red]b[/]"])
        assert list(pane.lines) == ["a", " ", "[red]b[/]"]
