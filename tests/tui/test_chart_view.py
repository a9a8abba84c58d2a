import pytest

from tui.chart_view import SMOOTHINGS, View

WHOLE = (0.0, 100.0)


def test_zooming_keeps_the_newest_in_sight_or_what_the_cursor_points_at() -> None:
    assert View().zoomed(WHOLE, 0.5).shown == (50.0, 100.0)
    assert View(cursor=20.0).zoomed(WHOLE, 0.5).shown == (10.0, 60.0)
    assert View().zoomed(WHOLE, 0.5, around=40.0).shown == (20.0, 70.0)


def test_zooming_out_ends_at_the_whole_run_which_goes_on_growing() -> None:
    closer = View().zoomed(WHOLE, 0.5)
    assert closer.zoomed(WHOLE, 2.0).shown is None
    assert View(shown=(0.0, 10.0)).zoomed(WHOLE, 2.0).shown == (0.0, 20.0)


def test_zooming_in_has_an_end() -> None:
    view = View()
    for _ in range(100):
        view = view.zoomed(WHOLE, 0.5)
    low, high = view.part(WHOLE)
    assert high - low == pytest.approx(1e-4)


def test_panning_stops_at_the_ends_and_does_nothing_to_the_whole() -> None:
    assert View().panned(WHOLE, 0.25) == View()
    assert View(shown=(20.0, 60.0)).panned(WHOLE, 0.25).shown == (30.0, 70.0)
    assert View(shown=(20.0, 60.0)).panned(WHOLE, -1.0).shown == (0.0, 40.0)
    assert View(shown=(20.0, 60.0)).panned(WHOLE, 2.0).shown == (60.0, 100.0)


def test_the_cursor_begins_at_the_end_and_goes_a_column_or_a_value_at_a_time() -> None:
    dense = [float(x) for x in range(101)]
    first = View().pointed(dense, WHOLE, 11, -1)
    assert first.cursor == 100.0
    assert first.pointed(dense, WHOLE, 11, -1).cursor == 90.0  # 11 columns, 10 apart
    assert first.pointed(dense, WHOLE, 11, -3).cursor == 70.0
    assert View().pointed(dense, WHOLE, 11, 1).cursor == 0.0
    sparse = [0.0, 35.0, 100.0]
    assert View(cursor=35.0).pointed(sparse, WHOLE, 11, 1).cursor == 100.0
    assert View(cursor=35.0).pointed(sparse, WHOLE, 11, -1).cursor == 0.0
    assert View(cursor=0.0).pointed(sparse, WHOLE, 11, -1).cursor == 0.0
    assert View().pointed([], WHOLE, 11, -1).cursor is None


def test_the_cursor_pulls_what_is_shown_along() -> None:
    values = [float(x) for x in range(101)]
    view = View(shown=(40.0, 60.0), cursor=60.0).pointed(values, WHOLE, 11, 2)
    assert (view.cursor, view.shown) == (64.0, (44.0, 64.0))
    view = View(shown=(40.0, 60.0), cursor=41.0).pointed(values, WHOLE, 11, -2)
    assert (view.cursor, view.shown) == (37.0, (37.0, 57.0))


def test_smoothing_goes_from_none_to_the_most() -> None:
    view = View().smoother(-1)
    assert view.iterations == 1
    assert view.smoother(1).iterations == SMOOTHINGS[1]
    assert view.smoother(99).iterations == SMOOTHINGS[-1]


def test_another_axis_has_other_places() -> None:
    view = View(shown=(1.0, 2.0), cursor=1.5, log=True).other_axis()
    assert view == View(by_time=True, log=True)
