import io
import random

import pytest
from rich.console import Console
from textual.renderables.sparkline import Sparkline

from tui.sparkline import Direction, direction, sparkline


def test_values_become_bars_from_the_lowest_to_the_highest() -> None:
    assert sparkline([0.0, 7.0], 2) == "▁█"
    assert sparkline(list(range(8)), 8) == "▁▂▃▄▅▆▇█"


def test_a_sparkline_is_as_wide_as_it_was_asked_to_be() -> None:
    assert len(sparkline([1.0, 2.0, 3.0], 12)) == 12
    assert len(sparkline(list(range(40)), 12)) == 12


def test_it_is_textuals_own_without_the_colours() -> None:
    rng, console = random.Random(1), Console(file=io.StringIO())
    for count in range(12, 60):
        values = [rng.gauss(0, 1) for _ in range(count)]
        own = "".join(bar.text for bar in console.render(Sparkline(values, width=12)))
        assert sparkline(values, 12) == own.rstrip("\n")


@pytest.mark.parametrize("values", [[], [1.0], [2.0, 2.0, 2.0]])
def test_what_never_moved_has_no_shape(values: list[float]) -> None:
    assert sparkline(values, 5) == " " * 5
    assert sparkline(values, 0) == ""


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (list(range(40)), "rising"),
        (list(range(40, 0, -1)), "falling"),
        ([1.0] * 40, "level"),
        ([1.0, 2.0] * 20, "level"),
        ([1.0, 2.0, 3.0], "level"),
        # First third 0, last third 2: moved 2, scattered by 0.82.
        ([0.0, 0.0, 1.0, 1.0, 2.0, 2.0], "rising"),
    ],
)
def test_a_direction_is_a_move_that_is_larger_than_the_scatter(
    values: list[float], expected: Direction
) -> None:
    assert direction(values) == expected


def test_noise_has_no_direction() -> None:
    rng = random.Random(0)
    found = [direction([rng.gauss(0, 1) for _ in range(40)]) for _ in range(1000)]
    # The thirds' means differ by 0.39 standard deviations, so one in a hundred passes 1.
    assert found.count("level") > 970
