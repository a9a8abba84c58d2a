"""Ratings of versions over agent steps, with their uncertainty, and anchors as lines across.

Drawn by `plot.py`; here it gets size and colours. Tested by
`tests/tui/widgets/test_rating_chart.py`.
"""

from collections.abc import Sequence
from typing import ClassVar

from textual.reactive import reactive
from textual.strip import Strip

from trainer.ratings.table import Rated
from tui.plot import plot
from tui.plot_scale import Stroke
from tui.plot_style import Inks, Level, Trace, Window
from tui.rating_rows import BAND, points
from tui.terminal import draws_ascii
from tui.widgets.drawn import Drawn


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


class RatingChart(Drawn):
    """The curve of one mode."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "rating-chart--line",
        "rating-chart--faint",
        "rating-chart--axes",
    }

    players: reactive[tuple[Rated, ...]] = reactive((), layout=False)

    def watch_players(self) -> None:
        """Draw again when it is asked for."""
        self.forget_lines()

    def draw_lines(self) -> list[Strip]:
        """The curve; nothing while no version is rated."""
        if not any(each.kind == "version" for each in self.players):
            return []
        parts = ("rating-chart--line", "rating-chart--faint", "rating-chart--axes")
        line, faint, axes = map(self.get_component_rich_style, parts)
        inks = Inks((line,), (faint,), axes, axes, axes, axes, draws_ascii(self.app))
        return draw(self.players, self.content_size, inks)
