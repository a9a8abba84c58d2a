import math
from dataclasses import replace

import pytest
from rich.style import Style

from tui.plot import plot
from tui.plot_scale import Stroke
from tui.plot_style import Inks, Level, Mark, Trace, Window

BLUE, RED, GREY = Style(color="blue"), Style(color="red"), Style(color="grey50")
FAINT, FAINT_RED = Style(color="cyan"), Style(color="magenta")
EDIT, SAVE, CURSOR = Style(color="yellow"), Style(color="green"), Style(color="white")
INKS = Inks((BLUE, RED), (FAINT, FAINT_RED), GREY, CURSOR, EDIT, SAVE)
CROSSING = [
    Trace(Stroke([0.0, 100.0], [0.0, 4.0])),
    Trace(Stroke([0.0, 100.0], [4.0, 0.0]), (Stroke([0.0, 100.0], [4.0, 4.0]),), 1),
]
MARKS = (Mark(20, "edit"), Mark(80, "save"))


def lines(
    traces: list[Trace], window: Window, width: int, height: int, inks: Inks = INKS
) -> list[str]:
    strips = plot(traces, window, (width, height), inks)
    assert [strip.cell_length for strip in strips] == [width] * height
    return [strip.text.rstrip() for strip in strips]


def styles(traces: list[Trace], window: Window, letters: str) -> set[Style | None]:
    strips = plot(traces, window, (34, 8), INKS)
    return {part.style for strip in strips for part in strip if set(part.text) & set(letters)}


def test_a_rising_line_is_drawn_from_corner_to_corner_between_readable_numbers() -> None:
    assert lines([Trace(Stroke([0.0, 1e6], [0.0, 0.5]))], Window(0, 1e6), 34, 7) == [
        "     0.5┤                    ⣀⣠⠴⠒⠋",
        "        │               ⣀⡤⠴⠚⠉⠁",
        "        │         ⢀⣀⡤⠴⠚⠉⠁",
        "        │    ⢀⣀⡤⠖⠚⠉",
        "       0┤⣠⠤⠖⠋⠉",
        "        └┴───────────┴───────────┴",
        "         0         0.5M       1.0M",
    ]


def test_a_logarithmic_scale_has_powers_of_ten_and_time_has_hours() -> None:
    window = Window(0, 4 * 3600, log=True, by_time=True)
    assert lines([Trace(Stroke([0.0, 4 * 3600.0], [1e-3, 10.0]))], window, 34, 7) == [
        "        │                    ⣀⣠⠴⠒⠋",
        "       1┤               ⣀⡤⠴⠚⠉⠁",
        "        │         ⢀⣀⡤⠴⠚⠉⠁",
        "        │    ⢀⣀⡤⠖⠚⠉",
        "   0.001┤⣠⠤⠖⠋⠉",
        "        └┴───────────┴───────────┴",
        "         0          2h          4h",
    ]


def test_the_range_behind_a_mean_is_every_other_dot_and_the_line_stands_before_it() -> None:
    stroke = Stroke([0, 10, 20, 30], [0, 1, 2, 3], [-1, 0, 1, 2], [1, 2, 3, 4])
    assert lines([Trace(stroke)], Window(0, 30), 30, 8)[:6] == [
        "       4┤                    ⢐",
        "        │             ⢐⢔⢔⣀⣠⠤⠖⠒",
        "       2┤       ⢔⢔⢔⢀⣠⠤⠖⠚⠉⠁⢕⢕⢕⠕",
        "        │⢄⢄⢄⢄⢀⣀⡤⠴⠒⠋⠉⢕⢕⠕⠕⠕⠕⠕⠕⠕⠅",
        "       0┤⠤⠴⠒⠋⠉⢕⢕⠕⠕⠕⠕⠕⠕⠅",
        "        │⢕⢕⢕⢕⢕⢕⢕",
    ]


def test_levels_cross_where_nothing_stands_and_the_scale_reaches_them() -> None:
    window = Window(0, 100, levels=(Level(4.0, "top"), Level(0.0, "floor")))
    found = lines([Trace(Stroke([50.0, 100.0], [0.0, 2.0]))], window, 34, 8)
    assert found[0] == "       4┤─ top ───────────────────"
    assert found[5] == "       0┤─ floor ────⢀⡤⠖⠋⠁────────"


def test_a_level_whose_words_have_no_room_is_a_line_alone() -> None:
    found = lines(CROSSING, Window(0, 100, levels=(Level(4.0, "w" * 40),)), 34, 8)
    assert "w" not in found[0]


def test_a_logarithmic_scale_has_no_level_at_zero() -> None:
    window = Window(0, 10, log=True, levels=(Level(0.0, "none"), Level(100.0, "most")))
    found = lines([Trace(Stroke([0.0, 10.0], [1.0, 10.0]))], window, 34, 8)
    assert found[0].endswith("────")
    assert "most" in found[0]
    assert not any("none" in line for line in found)


def test_lines_cross_the_cursor_and_what_happened_stands_on_the_axis() -> None:
    assert lines(CROSSING, Window(0, 100, cursor=50, marks=MARKS), 34, 8) == [
        "       4┤⠙⠲⢤⣀⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⣀⡤⠖⠋",
        "        │   ⠈⠉⠓⠦⣄⡀   │   ⢀⣠⠴⠚⠉⠁",
        "       2┤        ⠉⠓⠦⣄⣀⣠⠴⠚⠉",
        "        │        ⣀⡤⠖⠋⠉⠙⠲⢤⣀",
        "        │   ⢀⣀⡤⠖⠋⠁   │   ⠈⠙⠲⢤⣀⡀",
        "       0┤⣠⠴⠚⠉        │        ⠉⠓⠦⣄",
        "        └┴────▲──────┴──────•────┴",
        "         0          50         100",
    ]


def test_without_braille_each_line_is_made_of_its_own_letter() -> None:
    inks = replace(INKS, ascii_only=True)
    drawn = lines(CROSSING, Window(0, 100, cursor=50, marks=MARKS), 34, 8, inks)
    assert drawn == [
        "       4+oooo.................****",
        "        |   oooooo   :   ******",
        "       2+        ooooo****",
        "        |        ****ooooo",
        "        |   ******   :   oooooo",
        "       0+****        :        oooo",
        "        ++----^------+------s----+",
        "         0          50         100",
    ]
    assert "".join(drawn).isascii()


def test_each_thing_has_its_own_look() -> None:
    window = Window(0, 100, cursor=50, marks=MARKS)
    assert styles(CROSSING, window, "▲") == {EDIT}
    assert styles(CROSSING, window, "•") == {SAVE}
    assert styles(CROSSING, window, "┤─0") == {GREY}
    assert (styles(CROSSING, window, "⠴"), styles(CROSSING, window, "⠲")) == ({BLUE}, {RED})
    assert {FAINT_RED} < styles(CROSSING, window, "⠉")
    assert FAINT not in styles(CROSSING, window, "⠉")


def test_a_level_line_runs_through_the_middle() -> None:
    drawn = lines([Trace(Stroke([0.0, 10.0], [2.0, 2.0]))], Window(0, 10), 34, 7)
    assert ["⠒" in line or "⠤" in line or "⠉" in line for line in drawn].index(True) == 2


def test_only_what_the_window_shows_sets_the_scale() -> None:
    stroke = Stroke([0.0, 1.0, 2.0, 3.0], [1e6, 0.0, 1.0, -1e6])
    drawn = lines([Trace(stroke)], Window(1, 2), 34, 7)
    assert (drawn[0][:9], drawn[4][:9]) == ("     1.0┤", "       0┤")


@pytest.mark.parametrize("log", [False, True])
def test_what_has_no_place_is_said(log: bool) -> None:
    words = "no positive value here" if log else "nothing here yet"
    assert lines([], Window(0, 1, log=log), 34, 3) == [words, "", ""]
    assert lines([Trace(Stroke([0.0], [-1.0]))], Window(0, 1, log=True), 34, 2)[0] == (
        "no positive value here"
    )


def test_a_line_is_broken_where_a_logarithm_has_no_place() -> None:
    stroke = Stroke([0.0, 1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 0.0, 10.0, 10.0])
    drawn = lines([Trace(stroke)], Window(0, 4, log=True), 34, 7)
    assert not any(row[20] > "\u2800" for row in (line.ljust(34) for line in drawn[:5]))


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("y", [1e30, -1e30, 0.0, 1e-30, 1e99, -1e99, 1e-300])
def test_no_magnitude_breaks_a_plot(y: float, log: bool) -> None:
    xs = [0.0, 1.0, 1e12]
    for ys in ([y], [y, -y], [1.0, y], [y, y * (1 + 1e-15), 1.0]):
        for window in (Window(0, 1, log=log), Window(0.25, 0.5, log=log), Window(0, 1e12, log=log)):
            for size in ((34, 7), (10, 2), (5, 1)):
                strips = plot([Trace(Stroke(xs[: len(ys)], ys))], window, size, INKS)
                assert [strip.cell_length for strip in strips] == [size[0]] * size[1]


def test_a_line_has_no_hole_however_steep() -> None:
    stroke = Stroke([float(x) for x in range(60)], [math.sin(x * 1.7) for x in range(60)])
    drawn = lines([Trace(stroke)], Window(0, 59), 69, 12)
    assert all(
        any(row[9 + x] > "\u2800" for row in drawn[:10] if len(row) > 9 + x) for x in range(60)
    )
