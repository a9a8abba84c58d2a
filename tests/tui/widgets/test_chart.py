from collections.abc import Iterable

from rich.style import Style
from textual.app import App, ComposeResult

from trainer.metrics import IterationMetrics
from tui.history import Board, RunHistory
from tui.plot_style import Inks
from tui.widgets.chart import Chart, draw

PLAIN = Style()
INKS = Inks((PLAIN,), (PLAIN,), PLAIN, PLAIN, PLAIN, PLAIN)


def board(values: Iterable[float]) -> Board:
    """Of a run whose KL took these values, a step apart."""
    history = RunHistory()
    for step, value in enumerate(values):
        history.add(IterationMetrics(step + 1, step, 0.0, {"Loss/approx_kl": value}))
    found = history.board()
    assert found is not None
    return found


def test_the_line_runs_from_the_first_step_to_the_last() -> None:
    (curve,) = board([0.0, 0.25, 0.5]).history.curves("Loss/approx_kl")
    assert [strip.text.rstrip() for strip in draw(curve, (24, 5), INKS)] == [
        "     0.5┤          ⣀⡤⠴⠒⠋",
        "        │    ⢀⣀⡤⠴⠚⠉⠁",
        "       0┤⣠⠤⠖⠚⠉",
        "        └┴──────┴──────┴",
        "         0      1      2",
    ]


def test_a_first_value_is_a_dot() -> None:
    (curve,) = board([0.5]).history.curves("Loss/approx_kl")
    drawn = "".join(strip.text for strip in draw(curve, (24, 6), INKS))
    assert sum("\u2800" < letter <= "\u28ff" for letter in drawn) == 1


class OneChart(App[None]):
    def compose(self) -> ComposeResult:
        yield Chart("KL", "Loss/approx_kl")


def text(chart: Chart) -> str:
    return "\n".join(chart.render_line(y).text for y in range(chart.content_size.height))


async def test_the_curve_and_its_number_follow_every_iteration_and_the_size() -> None:
    async with OneChart().run_test(size=(40, 12)) as pilot:
        chart = pilot.app.query_one(Chart)
        assert text(chart).strip() == "nothing yet"
        chart.board = board([0.25, 0.5])
        first = text(chart)
        chart.board = board([0.25, 0.5, 0.125])
        assert chart.border_subtitle == "0.125"
        second = text(chart)
        assert first != second
        await pilot.resize_terminal(60, 12)
        assert text(chart) != second
        assert {chart.render_line(y).cell_length for y in range(12)} == {chart.content_size.width}
