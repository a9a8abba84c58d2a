from rich.style import Style

from trainer.control import Event
from trainer.metrics import IterationMetrics
from tui.chart_page import draw
from tui.chart_scene import Scene, Source, scene
from tui.chart_view import View
from tui.history import RunHistory
from tui.plot_style import Inks

PLAIN = Style()
INKS = Inks((PLAIN,), (PLAIN,), PLAIN, PLAIN, PLAIN, PLAIN)
EVENTS = (Event(1003.0, "save", "saved it", 30), Event(1003.0, "edit", "clip_range = 0.1", 30))


def lived(*metrics: str, iterations: int = 5, capacity: int = 512) -> Scene:
    history = RunHistory(capacity)
    for number in range(1, iterations + 1):
        values = dict.fromkeys(metrics, number / 4)
        history.add(IterationMetrics(number, 10 * number, 1000.0 + 60 * number, values))
    return scene([Source("mine", history)], metrics, EVENTS)


def lines(shown: Scene, view: View, width: int = 50, height: int = 9) -> list[str]:
    strips = draw(shown, view, (width, height), INKS)
    assert [strip.cell_length for strip in strips] == [width] * height
    return [strip.text.rstrip() for strip in strips]


def test_a_panel_has_a_legend_with_the_newest_value_and_a_last_line_says_what_is_seen() -> None:
    assert lines(lived("Loss/a"), View()) == [
        "         ● Loss/a 1.25",
        "        │                                 ⣀⣀⡤⠤⠴⠒⠚⠉",
        "     1.0┤                        ⢀⣀⣠⠤⠤⠖⠒⠋⠉⠁",
        "        │                ⣀⣀⡤⠤⠴⠒⠚⠉⠉",
        "     0.5┤       ⢀⣀⣠⠤⠴⠒⠒⠋⠉⠁",
        "        │⣀⡤⠤⠖⠒⠚⠉⠉",
        "        └──────────┴─────────▲─────────┴──────────",
        "                  20                  40",
        "         all of it, by agent steps · not smoothed",
    ]


def test_the_cursor_reads_exact_values() -> None:
    drawn = lines(lived("Loss/a"), View(cursor=21.0), width=70)
    assert drawn[0] == "         ● Loss/a 0.5"
    assert drawn[-1] == "         20 steps · 1m · iteration 2"


def test_the_cursor_tells_of_a_mean_its_range_and_its_iterations() -> None:
    drawn = lines(lived("Loss/a", iterations=8, capacity=4), View(cursor=15.0), width=70)
    # Four buckets are enough for eight iterations, four in the first: (1 + 2 + 3 + 4) / 4 / 4.
    assert drawn[0] == "         ● Loss/a 0.625 (0.25 to 1)"
    assert drawn[-1] == "         25 steps · 1m30s · mean of iterations 1 to 4"


def test_the_cursor_tells_what_happened_there() -> None:
    drawn = lines(lived("Loss/a"), View(cursor=30.0), width=70)
    assert drawn[-1] == "         30 steps · 2m · iteration 3 · clip_range = 0.1"


def test_a_legend_takes_the_lines_it_needs() -> None:
    drawn = lines(lived("Reward/a", "Reward/b", "Reward/c"), View(), height=14)
    assert drawn[:2] == ["         reward per decision   ● a 1.25", "         ● b 1.25   ● c 1.25"]


def test_panels_without_room_are_counted() -> None:
    shown = lived("Loss/a", "Loss/b", "Loss/c")
    assert [line for line in lines(shown, View(), height=15) if "●" in line] == [
        "         ● Loss/a 1.25",
        "         ● Loss/b 1.25",
    ]
    assert "1 more have no room" in lines(shown, View(), width=120, height=15)[-1]
    assert sum("●" in line for line in lines(shown, View(), height=22)) == 3


def test_the_x_axis_has_words_below_the_last_panel_only() -> None:
    drawn = lines(lived("Loss/a", "Loss/b"), View(), height=15)
    assert [index for index, line in enumerate(drawn) if line.split() == ["20", "40"]] == [13]


def test_a_smoothed_line_has_its_values_behind_it() -> None:
    shown = lived("Loss/a")
    assert lines(shown, View(smoothing=1)) != lines(shown, View())
    assert "smoothed over 10 iterations" in lines(shown, View(smoothing=1), width=90)[-1]


def test_nothing_chosen_is_nothing_drawn_and_no_size_is_too_small() -> None:
    assert lines(Scene(), View()) == [""] * 9
    for height in range(1, 12):
        for width in (1, 5, 12, 30):
            lines(lived("Loss/a", "Loss/b"), View(cursor=20.0), width, height)
