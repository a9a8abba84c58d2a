"""Ratings of versions over agent steps, with their uncertainty, and anchors as lines across.

Drawn by `plot.py`; here it gets size and colours. Tested by
`tests/tui/widgets/test_rating_chart.py`.
"""

from collections.abc import Sequence
from typing import ClassVar

from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from trainer.ratings.table import Rated
from tui.plot import plot
from tui.plot_scale import Stroke
from tui.plot_style import Inks, Level, Trace, Window
from tui.rating_rows import BAND, points
from tui.terminal import draws_ascii


def draw(players: Sequence[Rated], size: tuple[int, int], inks: Inks) -> list[Strip]:
    """The versions of `players`, at least one, by their steps from 0 on, over the anchors."""
    versions = sorted((each for each in players if each.kind == "version"), key=lambda v: v.steps)
    anchors = [each for each in players if each.kind == "anchor"]
    spreads = [BAND * (each.sigma or 0.0) for each in versions]
    ratings = [each.rating for each in versions]
    line = Stroke(
        [float(each.steps) for each in versions],
        ratings,
        [rating - spread for rating, spread in zip(ratings, spreads, strict=True)],
        [rating + spread for rating, spread in zip(ratings, spreads, strict=True)],
    )
    levels = [Level(each.rating, f"{each.name} {points(each.rating)}") for each in anchors]
    window = Window(0.0, max(1.0, *line.xs), levels=levels)
    return plot([Trace(line)], window, size, inks)


class RatingChart(Widget):
    """The curve of one mode."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "rating-chart--line",
        "rating-chart--faint",
        "rating-chart--axes",
    }

    players: reactive[tuple[Rated, ...]] = reactive((), layout=False)

    def __init__(self) -> None:
        """Nobody is rated yet."""
        super().__init__()
        self._strips: list[Strip] | None = None

    def watch_players(self) -> None:
        """Draw again when it is asked for."""
        self._strips = None

    def notify_style_update(self) -> None:
        """Draw again in other colours."""
        super().notify_style_update()
        self._strips = None

    def on_resize(self) -> None:
        """Draw again in another size, also what was drawn before this was told."""
        self._strips = None
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the curve."""
        if self._strips is None:
            style = self.rich_style
            self._strips = [strip.apply_style(style) for strip in self._draw()]
        blank = Strip.blank(self.content_size.width, self.rich_style)
        return self._strips[y] if y < len(self._strips) else blank

    def _draw(self) -> list[Strip]:
        if not any(each.kind == "version" for each in self.players):
            return []
        parts = ("rating-chart--line", "rating-chart--faint", "rating-chart--axes")
        line, faint, axes = map(self.get_component_rich_style, parts)
        inks = Inks((line,), (faint,), axes, axes, axes, axes, draws_ascii(self.app))
        return draw(self.players, self.content_size, inks)
