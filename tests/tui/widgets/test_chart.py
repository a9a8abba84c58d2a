import pytest
from rich.style import Style
from textual.app import App, ComposeResult

from trainer.metrics import IterationMetrics
from tui.history import Board
from tui.widgets.chart import REDRAW_S, Chart, draw, thin

BLUE, GREY = Style(color="blue"), Style(color="grey50")


def test_a_rising_line_is_drawn_from_corner_to_corner_between_its_limits() -> None:
    text = draw([(0.0, 0.0), (1_000_000.0, 0.5)], 24, 5, BLUE, GREY)
    assert [line.rstrip() for line in text.plain.splitlines()] == [
        "0.500               ⣀⡠⠔⠊",
        "               ⣀⡠⠔⠒⠉",
        "          ⣀⡠⠔⠒⠉",
        "    0⣀⡠⠔⠒⠉",
        "     0            1.00M",
    ]


def test_a_level_line_runs_through_the_middle() -> None:
    text = draw([(0.0, 2.0), (10.0, 2.0)], 24, 6, BLUE, GREY)
    drawn = [any("\u2800" < mark <= "\u28ff" for mark in line) for line in text.plain.splitlines()]
    assert drawn == [False, False, True, False, False, False]


def test_the_line_has_another_colour_than_the_numbers() -> None:
    text = draw([(0.0, 0.0), (1.0, 1.0)], 24, 5, BLUE, GREY)
    blue = "".join(text.plain[span.start : span.end] for span in text.spans if span.style == BLUE)
    assert text.style == GREY
    assert set(blue) == set(text.plain) - set("01. \n")


def test_a_long_run_is_thinned_to_what_the_columns_show() -> None:
    points = [(float(x), 0.0) for x in range(500)]
    thinned = thin(points, 50)
    assert len(thinned) == 51
    assert thinned[0] == points[0]
    assert thinned[-1] == points[-1]
    assert thin(points[:3], 50) == points[:3]


@pytest.mark.parametrize("y", [1e30, -1e30, 0.0, 1e-30, 1e99])
def test_no_magnitude_breaks_a_chart(y: float) -> None:
    for points in ([(0.0, y)], [(0.0, y), (1.0, -y)], [(0.0, 1.0), (1e12, y)]):
        lines = draw(points, 30, 6, BLUE, GREY).plain.splitlines()
        assert len(lines) == 6
        assert max(map(len, lines)) <= 30


def board(*values: float) -> Board:
    """Of a run whose KL took these values, a step apart."""
    points = tuple((float(step), value) for step, value in enumerate(values))
    latest = IterationMetrics(len(values), len(values), 0.0, {"Loss/approx_kl": values[-1]})
    return Board(latest, {}, {"Loss/approx_kl": points})


async def test_a_curve_stands_for_seconds_while_its_number_follows_every_iteration() -> None:
    now = [0.0]

    class OneChart(App[None]):
        def compose(self) -> ComposeResult:
            yield Chart("KL", "Loss/approx_kl", clock=lambda: now[0])

    async with OneChart().run_test(size=(40, 12)) as pilot:
        chart = pilot.app.screen.query_one(Chart)
        chart.board = board(0.25, 0.5)
        first = str(chart.render())
        chart.board = board(0.25, 0.5, 0.125)
        assert (chart.border_subtitle, str(chart.render())) == ("0.125", first)
        now[0] += REDRAW_S
        assert str(chart.render()) != first
        # A chart of another size is drawn at once.
        second = str(chart.render())
        await pilot.resize_terminal(60, 12)
        assert str(chart.render()) != second
