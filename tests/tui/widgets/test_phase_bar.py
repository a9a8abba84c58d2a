from rich.style import Style

from tests.tui.test_phase_times import timed
from tui.phase_hints import Bound
from tui.phase_times import KINDS, Bar, Part, Times, bars
from tui.widgets.phase_bar import legend, picture, summary, widths

STYLES = {kind: (Style(bold=True), Style(dim=True)) for kind in KINDS}
BAR = Bar(
    "an iteration",
    (
        Part("physics", "playing", 5.0),
        Part("state", "playing", 2.5),
        Part("optimizer steps", "learning", 2.47),
        Part("saving", "saving", 0.03),
    ),
)


def test_columns_are_shared_as_the_seconds_are_and_none_is_left() -> None:
    # 10 columns: 3.33 each; the one left over goes to one of them.
    assert sorted(widths([1.0, 1.0, 1.0], 10)) == [3, 3, 4]
    # 7.5, 1.25 and 1.25 of 10: the largest rest is the first's.
    assert widths([6.0, 1.0, 1.0], 10) == [8, 1, 1]
    assert widths([1.0, 0.0], 7) == [7, 0]
    assert widths([0.0, 0.0], 7) == [0, 0]
    assert widths([], 7) == []


def test_the_legend_names_what_takes_half_a_percent() -> None:
    assert [words for _, words in legend(BAR)] == [
        "physics 50%",
        "state 25%",
        "optimizer steps 25%",
    ]


def test_the_summary_says_how_long_and_by_what() -> None:
    assert summary(BAR) == "an iteration: 10 s, playing 75%, learning 25%"


def test_a_phase_bears_its_name_where_there_is_room() -> None:
    lines = picture([BAR], None, 40, STYLES).plain.splitlines()
    # 20, 10, 9.88 and 0.12 of 40 columns.
    assert lines[1] == "physics".ljust(20) + "state".ljust(10) + "optimizer…".ljust(10)
    narrow = picture([BAR], None, 8, STYLES).plain.splitlines()[1]
    assert narrow == "phy…" + "  " + "  "


def test_neighbours_of_a_kind_are_told_apart() -> None:
    spans = picture([BAR], None, 40, STYLES).spans
    by_text = {
        picture([BAR], None, 40, STYLES).plain[s.start : s.end].strip(): s.style for s in spans
    }
    assert by_text["physics"] == STYLES["playing"][0]
    assert by_text["state"] == STYLES["playing"][1]


def test_what_bounds_the_run_comes_last() -> None:
    text = picture([BAR], Bound("learning", "Fewer epochs."), 40, STYLES).plain
    assert text.splitlines()[-1] == "Bound by learning. Fewer epochs."


def test_an_overlap_has_two_bars() -> None:
    drawn = bars(Times([timed(collect=2.0)]), overlap=True)
    lines = picture(drawn, None, 200, STYLES).plain.splitlines()
    assert lines[0] == "an iteration: 8.75 s, waiting 23%, learning 74%, saving 3%"
    assert lines[3] == "the rollout, played beside it: 9 s, playing 89%, waiting 11%"


def test_the_legend_breaks_between_phases_only() -> None:
    lines = picture([BAR], None, 32, STYLES).plain.splitlines()
    assert lines[2:] == ["  physics 50%    state 25%", "  optimizer steps 25%"]
