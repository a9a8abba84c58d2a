from trainer.control import Event
from trainer.metrics import IterationMetrics
from tui.chart_scene import Source, scene
from tui.history import RunHistory


def history(*numbers: int, began: float = 1000.0, **values: float) -> RunHistory:
    found = RunHistory()
    for number in numbers:
        found.add(IterationMetrics(number, 10 * number, began + number, values))
    return found


def test_metrics_of_one_unit_share_a_panel_and_others_have_their_own() -> None:
    run = history(1, 2, **{"Reward/total": 1.0, "Loss/entropy": 2.0, "Reward/touch": 3.0})
    shown = scene([Source("mine", run)], ["Reward/total", "Loss/entropy", "Reward/touch"], [])
    assert [(panel.unit, [line.label for line in panel.lines]) for panel in shown.panels] == [
        ("reward per decision", ["total", "touch"]),
        ("Loss/entropy", ["Loss/entropy"]),
    ]
    assert [line.colour for line in shown.lines] == [0, 2, 1]


def test_each_run_has_its_name_and_its_own_colour() -> None:
    sources = [
        Source("mine", history(1, 2, a=1.0, b=2.0)),
        Source("other", history(1, 2, 3, a=1.5)),
        Source("empty", RunHistory()),
    ]
    shown = scene(sources, ["a", "b"], [])
    assert [[(line.label, line.colour) for line in panel.lines] for panel in shown.panels] == [
        [("a (mine)", 0), ("a (other)", 1)],
        [("b (mine)", 0)],
    ]
    assert shown.whole(by_time=False) == (10.0, 30.0)


def test_a_metric_that_nobody_wrote_has_no_panel() -> None:
    assert scene([Source("mine", history(1, a=1.0))], ["b"], []).panels == ()
    assert scene([Source("mine", history(1, a=1.0))], ["b"], []).whole(by_time=False) is None


def test_time_counts_from_the_begin_of_each_run() -> None:
    sources = [
        Source("mine", history(1, 5, began=1000.0, a=1.0)),
        Source("other", history(1, 2, began=9000.0, a=1.0)),
    ]
    edit, save, other = (Event(1003.0, kind, "", 30) for kind in ("edit", "save", "warning"))
    shown = scene(sources, ["a"], [edit, save, other])
    assert shown.whole(by_time=True) == (0.0, 4.0)
    assert shown.events == (edit, save)
    # The first iteration ended at 1001.
    assert (shown.x_of(edit, by_time=True), shown.x_of(edit, by_time=False)) == (2.0, 30)


def test_a_run_of_one_iteration_has_an_axis() -> None:
    assert scene([Source("mine", history(1, a=1.0))], ["a"], []).whole(by_time=False) == (9.5, 10.5)


def test_what_is_known_in_detail_takes_the_place_of_means() -> None:
    whole = RunHistory(4)
    for number in range(1, 9):
        whole.add(IterationMetrics(number, 10 * number, 0.0, {"a": 1.0 * number}))
    detail = history(3, 4, 5, a=7.0)
    (curve,) = Source("mine", whole, detail).curves("a")
    inside = [m for first, m in zip(curve.first, curve.means, strict=True) if 3 <= first <= 5]
    assert inside == [7.0, 7.0, 7.0]
    assert Source("mine", whole, history(3, b=7.0)).curves("a") == whole.curves("a")


def test_the_nearest_bucket_is_found_from_either_side() -> None:
    (line,) = scene([Source("mine", history(1, 2, 5, a=1.0))], ["a"], []).lines
    places = [line.nearest(x, by_time=False) for x in (-99, 14, 16, 34, 36, 99)]
    assert places == [0, 0, 1, 1, 2, 2]
