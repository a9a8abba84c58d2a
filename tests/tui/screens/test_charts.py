import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.events import MouseScrollUp
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from tests.tui.conftest import dashboard, record, until
from trainer.run_dir import RunDir
from tui import overlay_feed
from tui.chart_view import View
from tui.screens.charts import ChartsScreen
from tui.widgets.chart_view import ChartView
from tui.widgets.metric_picker import MetricPicker, Metrics, matching

Compare = Callable[..., bool]
LONG = 2_000


@pytest.fixture(autouse=True)
def _impatient_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlay_feed, "POLL_S", 0.02)


async def opened(pilot: Pilot[object]) -> ChartView:
    """The page of charts, once it draws something."""
    await pilot.press("2")
    await until(pilot, lambda: isinstance(pilot.app.screen, ChartsScreen), "the page is shown")
    view = pilot.app.screen.query_one(ChartView)
    await until(pilot, lambda: bool(view.scene.panels), "the reward is drawn")
    return view


def drawn(view: ChartView) -> list[str]:
    return [line.metric for line in view.scene.lines]


def text(view: ChartView) -> str:
    return "\n".join(view.render_line(y).text for y in range(view.content_size.height))


def write_long(run: RunDir) -> None:
    with run.metrics.open("w") as file:
        for number in range(1, LONG + 1):
            row = {"iteration": number, "steps": 1000 * number, "time": 1.7e9 + number}
            file.write(json.dumps(row | {"Reward/total": number / LONG}) + "\n")


async def test_enter_and_space_draw_a_metric_or_no_longer(run: RunDir) -> None:
    record(run)
    async with dashboard(run).run_test(size=(120, 40)) as pilot:
        view = await opened(pilot)
        assert drawn(view) == ["Reward/total"]
        assert isinstance(pilot.app.focused, Metrics)
        await pilot.press("enter", "down", "space")
        await pilot.pause()
        assert drawn(view) == ["Reward/total", "Reward/goal", "Collect/episodes"]
        await pilot.press("enter")
        await pilot.pause()
        assert drawn(view) == ["Reward/total", "Collect/episodes"]


async def test_typing_finds_a_metric_and_enter_goes_to_it(run: RunDir) -> None:
    record(run)
    async with dashboard(run).run_test(size=(120, 40)) as pilot:
        view = await opened(pilot)
        await pilot.press("slash", *"kl", "enter", "enter")
        await pilot.pause()
        assert drawn(view) == ["Reward/total", "Loss/approx_kl"]
        await pilot.press("slash", "escape")
        await pilot.pause()
        assert pilot.app.screen.query_one(Input).value == ""
        assert pilot.app.screen.query_one(Metrics).option_count > 40


def test_every_word_must_be_in_the_name() -> None:
    names = ["Reward/velocity_ball_to_goal", "Reward/goal", "Game/goals_per_minute"]
    assert matching(names, "") == names
    assert matching(names, "GOAL reward") == names[:2]
    assert matching(names, "ball_to") == names[:1]


async def test_keys_change_how_it_is_looked_at(run: RunDir) -> None:
    record(run)
    async with dashboard(run).run_test(size=(120, 40)) as pilot:
        view = await opened(pilot)
        whole = view.scene.whole(by_time=False)
        assert whole is not None
        low, high = whole
        await pilot.press(
            "l", "right_square_bracket", "right_square_bracket", "left_square_bracket"
        )
        assert (view.view.log, view.view.iterations) == (True, 10)
        assert "logarithmic" in text(view)
        await pilot.press("plus")
        assert view.view.shown == pytest.approx(((low + high) / 2, high))
        await pilot.press("left")
        assert view.view.shown == pytest.approx(
            (low + (high - low) * 3 / 8, high - (high - low) / 8)
        )
        await pilot.press("right", "minus")
        assert view.view.shown is None
        await pilot.press("shift+left")
        assert view.view.cursor == high
        assert "iteration 48" in text(view)
        await pilot.press("ctrl+left")
        assert view.view.cursor is not None
        assert view.view.cursor < high
        await pilot.press("a", "x")
        assert view.view == View(by_time=True, log=True, smoothing=1)
        assert "time since it began" in text(view)


async def test_what_was_chosen_stands_after_a_look_at_another_page(run: RunDir) -> None:
    record(run)
    async with dashboard(run).run_test(size=(120, 40)) as pilot:
        view = await opened(pilot)
        await pilot.press("l", "enter", "down", "space", "1")
        await pilot.pause()
        again = await opened(pilot)
        assert again is view
        assert view.view.log
        assert len(drawn(view)) == 3


async def test_the_mouse_points_and_its_wheel_zooms(run: RunDir) -> None:
    record(run)
    async with dashboard(run).run_test(size=(120, 40)) as pilot:
        view = await opened(pilot)
        await pilot.hover(view, offset=(50, 10))
        await pilot.pause()
        pointed = view.view.cursor
        assert pointed in view.scene.lines[0].curves[-1].steps
        await pilot.click(view, offset=(60, 10))
        assert view.view.cursor is not None
        assert pointed is not None
        assert view.view.cursor > pointed
        await pilot._post_mouse_events([MouseScrollUp], view, offset=(60, 10))
        await pilot.pause()
        assert view.view.shown is not None


async def test_a_closer_look_at_a_long_run_reads_every_iteration_of_it(run: RunDir) -> None:
    record(run)
    write_long(run)
    async with dashboard(run).run_test(size=(120, 40)) as pilot:
        view = await opened(pilot)

        await until(pilot, lambda: view.scene.lines[0].curves[-1].last[-1] == LONG, "all is read")
        curve = view.scene.lines[0].curves[-1]
        assert max(curve.counts) > 1
        await pilot.press("plus", "plus", "plus", "plus")

        def detailed() -> bool:
            curve = view.scene.lines[0].curves[-1]
            return set(range(LONG - 100, LONG + 1)) <= {*curve.first} and curve.counts[-50] == 1

        await until(pilot, detailed, "every iteration is drawn")
        await pilot.press("shift+left", "shift+left")
        assert "mean" not in text(view)
        await pilot.press("a")
        await until(pilot, lambda: not detailed(), "the overview is back")


async def test_another_run_is_drawn_and_goes_on_and_goes_away(run: RunDir) -> None:
    record(run)
    other = RunDir(run.path.parent / "other")
    shutil.copytree(run.path, other.path)
    (run.path.parent / "no-run").mkdir()
    async with dashboard(run).run_test(size=(120, 40)) as pilot:
        view = await opened(pilot)
        await pilot.press("o")
        await pilot.pause()
        assert pilot.app.screen.query_one(OptionList).option_count == 1
        await pilot.press("enter")
        await until(pilot, lambda: len(view.scene.lines) == 2, "two runs are drawn")
        assert [line.label for line in view.scene.lines] == [
            "Reward/total (1v1)",
            "Reward/total (other)",
        ]
        assert len({line.colour for line in view.scene.lines}) == 2
        row = {"iteration": 49, "steps": 9_999_999, "time": 1.7e9 + 999, "Reward/total": 1.0}
        with other.metrics.open("a") as file:
            file.write(json.dumps(row) + "\n")
        grown = lambda: view.scene.lines[1].curves[-1].steps[-1] == 9_999_999  # noqa: E731
        await until(pilot, grown, "the other run goes on")
        await pilot.press("c")
        await until(pilot, lambda: len(view.scene.lines) == 1, "the other run is gone")


async def test_the_parent_of_a_branch_is_drawn_by_itself(run: RunDir) -> None:
    record(run)
    shutil.copytree(run.path, run.path.parent / "parent")
    run.branch.write_text(json.dumps({"of": "../parent", "steps": 1_000_000}))
    async with dashboard(run).run_test(size=(120, 40)) as pilot:
        view = await opened(pilot)
        await until(pilot, lambda: len(view.scene.lines) == 2, "both lines are drawn")
        assert view.scene.lines[1].label == "Reward/total (parent)"


async def test_a_run_without_others_says_so(run: RunDir) -> None:
    record(run)
    async with dashboard(run).run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await pilot.press("o")
        await pilot.pause()
        assert "no other run" in str(pilot.app.screen.query_one("#overlay-none").visual)
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(pilot.app.screen, ChartsScreen)


async def test_nothing_is_drawn_again_while_nothing_changes(run: RunDir) -> None:
    record(run)
    async with dashboard(run).run_test(size=(120, 40)) as pilot:
        view = await opened(pilot)
        await until(pilot, lambda: view.scene.lines[0].curves[-1].last[-1] == 48, "all is read")
        await until(pilot, lambda: len(view.scene.events) == 2, "the saves are marked")
        before, screen = view.scene, pilot.app.screen
        assert isinstance(screen, ChartsScreen)
        assert screen.known is not None
        screen.tell(screen.known)
        assert view.scene is before


@pytest.mark.parametrize("size", [(120, 40), (60, 16)])
def test_one_metric(snap_compare: Compare, run: RunDir, size: tuple[int, int]) -> None:
    record(run)

    async def ready(pilot: Pilot[object]) -> None:
        view = await opened(pilot)
        await until(pilot, lambda: len(view.scene.events) == 2, "the saves are marked")

    assert snap_compare(dashboard(run), terminal_size=size, run_before=ready)


def test_several_metrics_with_the_cursor(snap_compare: Compare, run: RunDir) -> None:
    record(run)

    async def ready(pilot: Pilot[object]) -> None:
        view = await opened(pilot)
        await until(pilot, lambda: len(view.scene.events) == 2, "the saves are marked")
        picker = pilot.app.screen.query_one(MetricPicker)
        for name in ("Reward/touch", "Reward/face_ball", "Loss/approx_kl", "Timing/iteration_s"):
            picker.post_message(MetricPicker.Toggled(name))
        await until(pilot, lambda: len(view.scene.lines) == 5, "all are drawn")
        await pilot.press("right_square_bracket", "ctrl+left", "ctrl+left")
        await pilot.pause()

    assert snap_compare(dashboard(run), terminal_size=(120, 40), run_before=ready)


def test_two_runs_closer(snap_compare: Compare, run: RunDir) -> None:
    record(run)
    other = Path("runs/other")
    shutil.copytree(run.path, other)
    text = RunDir(other).metrics.read_text()
    RunDir(other).metrics.write_text(text.replace('"Reward/total": 0.0', '"Reward/total": 0.03'))

    async def ready(pilot: Pilot[object]) -> None:
        view = await opened(pilot)
        await until(pilot, lambda: len(view.scene.events) == 2, "the saves are marked")
        await pilot.press("o", "enter")
        await until(pilot, lambda: len(view.scene.lines) == 2, "two runs are drawn")
        await pilot.press("plus")
        await pilot.pause()

    assert snap_compare(dashboard(run), terminal_size=(120, 40), run_before=ready)
