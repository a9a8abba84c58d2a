import pytest

from tui.plot_scale import Scale, Stroke, limits, visible

STROKE = Stroke([0.0, 1.0, 2.0, 3.0, 4.0], [5.0, 1.0, 2.0, 3.0, 9.0])


def test_a_part_has_one_more_value_on_either_side_so_that_lines_reach_the_edge() -> None:
    (part,) = visible(STROKE, 1.0, 3.0, log=False)
    assert list(part.xs) == [0.0, 1.0, 2.0, 3.0, 4.0]
    (part,) = visible(STROKE, 1.5, 2.5, log=False)
    assert list(part.xs) == [1.0, 2.0, 3.0]


def test_limits_are_those_of_the_range_behind_the_visible_values() -> None:
    stroke = Stroke(STROKE.xs, STROKE.ys, [y - 0.5 for y in STROKE.ys], [y + 1 for y in STROKE.ys])
    parts = visible(stroke, 1.0, 3.0, log=False)
    assert limits(parts, 1.0, 3.0, log=False) == Scale(0.5, 4.0)
    # Nothing stands between two values: the lines through show what is around.
    assert limits(parts, 1.4, 1.6, log=False) == Scale(0.5, 10.0)


def test_a_value_that_never_moved_has_room_around_it() -> None:
    for value, expected in ((2.0, (1.0, 3.0)), (0.0, (-1.0, 1.0)), (-4.0, (-6.0, -2.0))):
        parts = visible(Stroke([0.0, 1.0], [value, value]), 0.0, 1.0, log=False)
        scale = limits(parts, 0.0, 1.0, log=False)
        assert scale is not None
        assert (scale.low, scale.high) == expected


def test_nothing_has_no_limits() -> None:
    assert limits(visible(Stroke([], []), 0.0, 1.0, log=False), 0.0, 1.0, log=False) is None


def test_logarithms_leave_out_what_is_not_positive_and_break_the_line_there() -> None:
    stroke = Stroke(
        [0.0, 1.0, 2.0, 3.0], [10.0, 0.0, 100.0, 1000.0], [-1.0, 0, 10, 1e3], [10, 0, 1e3, 1e3]
    )
    parts = visible(stroke, 0.0, 3.0, log=True)
    assert [part.ys for part in parts] == [[1.0], [2.0, 3.0]]
    # The least of the first is negative and has no place: it is taken as the mean.
    assert [low for part in parts for low in part.lows] == pytest.approx([1.0, 1.0, 3.0])
    assert limits(parts, 0.0, 3.0, log=True) == Scale(1.0, 3.0, log=True)
