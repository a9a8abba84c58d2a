"""A widget that draws all of its lines when the first is asked for, and keeps them.

A frame in which nothing has changed costs next to nothing then. Knows no picture: who is one draws
it. Tested with those who are: `tests/tui/widgets/test_chart.py`, `test_rating_chart.py`.
"""

from textual.strip import Strip
from textual.widget import Widget


class Drawn(Widget):
    """Lines that are kept until something changes."""

    def __init__(self, *, id: str | None = None) -> None:
        """Nothing is drawn yet."""
        super().__init__(id=id)
        self._strips: list[Strip] | None = None

    def draw_lines(self) -> list[Strip]:
        """All lines as they are now, from the top; blank ones follow as far as there is room."""
        raise NotImplementedError

    def forget_lines(self) -> None:
        """Draw again when it is asked for."""
        self._strips = None

    def notify_style_update(self) -> None:
        """Draw again in other colours."""
        super().notify_style_update()
        self.forget_lines()

    def on_resize(self) -> None:
        """Draw again in another size, also what was drawn before this was told."""
        self.forget_lines()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line."""
        if self._strips is None:
            style = self.rich_style
            self._strips = [strip.apply_style(style) for strip in self.draw_lines()]
        if y < len(self._strips):
            return self._strips[y]
        return Strip.blank(self.content_size.width, self.rich_style)
