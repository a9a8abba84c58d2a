"""A table of things that come, change and go, in which the cursor stays on its thing.

Knows nothing of what the things are. Tested by `tests/tui/widgets/test_keyed_table.py`.
"""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import DataTable

from tui.table_rows import Cell, Column, Row

_MOST_UPDATES = 20
"""Rows beyond which writing all is faster: an update of one may measure its whole column anew."""


class KeyedTable(DataTable[Text], inherit_bindings=False):
    """Rows by their key; Enter is the page's, which a click on a row is not to do."""

    HELP = "Up, down or a click choose a row; left and right show columns that do not fit."
    BINDINGS: ClassVar[list[BindingType]] = [
        binding
        for binding in DataTable.BINDINGS
        if not (isinstance(binding, Binding) and binding.key == "enter")
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "keyed-table--quiet",
        "keyed-table--good",
        "keyed-table--warning",
        "keyed-table--bad",
        "keyed-table--blue",
        "keyed-table--orange",
    }

    def __init__(self, columns: Sequence[Column], *, id: str) -> None:
        """Begin empty, under the heads of `columns`."""
        super().__init__(cursor_type="row", cursor_foreground_priority="renderable", id=id)
        self._heads = tuple(columns)
        self._shown: tuple[Row, ...] = ()

    def on_mount(self) -> None:
        """Write the heads, and change colours with the theme."""
        if not self.columns:
            self._write_heads()
        self.app.theme_changed_signal.subscribe(self, lambda theme: self._write(self._shown))

    @property
    def chosen(self) -> str | None:
        """Key of the row under the cursor; None when there is no row."""
        return (
            self._shown[self.cursor_row].key if self.is_valid_row_index(self.cursor_row) else None
        )

    def show(self, rows: Sequence[Row]) -> None:
        """Draw `rows`; the cursor stays on its row, or on its place when that is gone."""
        rows, shown = tuple(rows), self._shown
        if rows == shown:
            return
        if [row.key for row in rows] == [row.key for row in shown]:
            changed = [pair for pair in zip(rows, shown, strict=True) if pair[0] != pair[1]]
            if len(changed) > _MOST_UPDATES:
                self._write(rows)
                return
            self._shown = rows
            for row, before in changed:
                self._update(row, before)
        else:
            self._write(rows)

    def head(self, columns: Sequence[Column]) -> None:
        """Begin anew, empty, under other `columns`."""
        if tuple(columns) != self._heads:
            self.clear(columns=True)
            self._heads, self._shown = tuple(columns), ()
            self._write_heads()

    def _write_heads(self) -> None:
        for index, head in enumerate(self._heads):
            label = Text(head.label, justify="right" if head.right else "left")
            self.add_column(label, key=str(index))

    def _update(self, row: Row, before: Row) -> None:
        for index, (cell, old) in enumerate(zip(row.cells, before.cells, strict=True)):
            if cell != old:
                self.update_cell(row.key, str(index), self._text(index, cell), update_width=True)

    def _write(self, rows: tuple[Row, ...]) -> None:
        chosen, place, scrolled = self.chosen, self.cursor_row, self.scroll_offset
        self.clear()
        self._shown = rows
        for row in rows:
            texts = (self._text(index, cell) for index, cell in enumerate(row.cells))
            self.add_row(*texts, key=row.key)
        keys = [row.key for row in rows]
        target = keys.index(chosen) if chosen in keys else min(place, len(keys) - 1)
        self.scroll_to(scrolled.x, scrolled.y, animate=False)
        self.move_cursor(row=max(0, target))

    def _text(self, index: int, cell: Cell) -> Text:
        text = Text(cell.text, justify="right" if self._heads[index].right else "left")
        if cell.tone != "plain":
            text.stylize(self.get_component_rich_style(f"keyed-table--{cell.tone}", partial=True))
        return text
