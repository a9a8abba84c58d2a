from collections.abc import Callable

from rich.text import Text
from textual.app import App, ComposeResult
from textual.coordinate import Coordinate

from tui.table_rows import Cell, Column, Row
from tui.theme import DARK, LIGHT
from tui.widgets.keyed_table import KeyedTable

COLUMNS = (Column("name"), Column("size", right=True))


def row(name: str, size: str = "1") -> Row:
    return Row(name, (Cell(name), Cell(size, "bad" if size == "0" else "plain")))


class OneTable(App[None]):
    CSS = ".keyed-table--bad { color: $error; }"

    def compose(self) -> ComposeResult:
        yield KeyedTable(COLUMNS, id="table")

    def on_mount(self) -> None:
        for theme in (DARK, LIGHT):
            self.register_theme(theme)
        self.theme = DARK.name


async def on_a_screen(check: Callable[[KeyedTable], None], *keys: str) -> None:
    app = OneTable()
    async with app.run_test() as pilot:
        table = app.query_one(KeyedTable)
        table.show([row("a"), row("b"), row("c")])
        await pilot.press(*keys)
        check(table)


def texts(table: KeyedTable) -> list[list[str]]:
    return [[cell.plain for cell in table.get_row_at(index)] for index in range(table.row_count)]


def colour(table: KeyedTable, at: Coordinate) -> object:
    cell = table.get_cell_at(at)
    assert isinstance(cell, Text)
    return cell.spans[0].style.color if cell.spans else None  # type: ignore[union-attr]


async def test_an_empty_table_has_nothing_chosen() -> None:
    def check(table: KeyedTable) -> None:
        table.show([])
        assert table.chosen is None
        assert table.row_count == 0

    await on_a_screen(check)


async def test_the_cursor_stays_on_its_row_when_one_comes_before_it() -> None:
    def check(table: KeyedTable) -> None:
        assert table.chosen == "b"
        table.show([row("z"), row("a"), row("b"), row("c")])
        assert table.chosen == "b"
        assert table.cursor_row == 2

    await on_a_screen(check, "down")


async def test_the_cursor_stays_at_its_place_when_its_row_goes() -> None:
    def check(table: KeyedTable) -> None:
        table.show([row("a"), row("b")])
        assert table.chosen == "b"
        table.show([row("a")])
        assert table.chosen == "a"

    await on_a_screen(check, "down", "down")


async def test_a_changed_cell_changes_alone() -> None:
    def check(table: KeyedTable) -> None:
        first = table.get_row_at(0)
        table.show([row("a"), row("b", "22"), row("c")])
        assert texts(table) == [["a", "1"], ["b", "22"], ["c", "1"]]
        assert table.get_row_at(0)[0] is first[0]
        assert table.chosen == "a"

    await on_a_screen(check)


async def test_many_changes_at_once_leave_the_cursor_on_its_row() -> None:
    def check(table: KeyedTable) -> None:
        names = [f"{number}" for number in range(60)]
        table.show([row(name) for name in names])
        table.move_cursor(row=40)
        table.show([row(name, "7") for name in names])
        assert [text[1] for text in texts(table)] == ["7"] * 60
        assert table.chosen == "40"

    await on_a_screen(check)


async def test_other_columns_begin_an_empty_table() -> None:
    def check(table: KeyedTable) -> None:
        table.head(COLUMNS)
        assert table.row_count == 3
        table.head(COLUMNS[:1])
        assert (table.row_count, len(table.columns), table.chosen) == (0, 1, None)
        table.show([Row("z", (Cell("zed"),))])
        assert texts(table) == [["zed"]]

    await on_a_screen(check)


async def test_words_are_literal_and_numbers_end_at_the_right() -> None:
    def check(table: KeyedTable) -> None:
        table.show([row("[red]x[/]")])
        assert texts(table) == [["[red]x[/]", "1"]]
        assert [cell.justify for cell in table.get_row_at(0)] == ["left", "right"]

    await on_a_screen(check)


async def test_a_tone_has_the_colour_of_the_theme() -> None:
    app = OneTable()
    async with app.run_test() as pilot:
        table = app.query_one(KeyedTable)
        table.show([row("a", "0")])
        dark = colour(table, Coordinate(0, 1))
        assert dark is not None
        assert colour(table, Coordinate(0, 0)) is None
        app.theme = LIGHT.name
        await pilot.pause()
        assert colour(table, Coordinate(0, 1)) not in (None, dark)
