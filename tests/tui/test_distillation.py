"""The dashboard on a run that learns from a teacher: what PPO measures is not there."""

from pathlib import Path

from tests.trainer.test_distilling import distill, practise, train_teacher
from tests.tui.conftest import dashboard, shown, until
from trainer.run_dir import RunDir
from tui.formatting import NOTHING
from tui.pages import PAGES
from tui.screens.dashboard import CHARTS, TAUGHT_CHARTS
from tui.widgets.chart import Chart
from tui.widgets.metric_panel import MetricPanel


async def test_every_page_shows_a_run_without_ppo_s_losses(tmp_path: Path) -> None:
    run = RunDir(tmp_path / "run")
    distill(run, train_teacher(tmp_path / "teacher"), iterations=3)
    app = dashboard(run)
    async with app.run_test(size=(140, 50)) as pilot:
        await shown(pilot, iteration=3)
        panels = app.screen.query("#metrics MetricPanel").results(MetricPanel)
        titles = [str(panel.border_title) for panel in panels]
        assert "Transfer" in titles
        assert not {"Loss", "GAE"} & set(titles)
        charts = {chart.metric: chart for chart in app.screen.query(Chart)}
        assert list(charts) == list(TAUGHT_CHARTS)
        assert all(chart.border_subtitle not in ("", NOTHING) for chart in charts.values())
        assert str(charts["Transfer/kl"].border_title) == "KL to teacher"
        assert app.screen.query_one("#essentials", MetricPanel).rows == TAUGHT_CHARTS
        for page in PAGES:
            await pilot.press(page.key)
            await until(pilot, lambda page=page.id: app.current_mode == page, page.id)
            await pilot.pause(0.2)


async def test_the_first_page_turns_to_ppo_s_curves_with_its_first_iteration(
    tmp_path: Path,
) -> None:
    run = RunDir(tmp_path / "run")
    distill(run, train_teacher(tmp_path / "teacher"))
    app = dashboard(run)
    async with app.run_test(size=(140, 50)) as pilot:
        await shown(pilot, iteration=1)
        practise(run)
        await shown(pilot, iteration=2)
        charts = {chart.metric: str(chart.border_title) for chart in app.screen.query(Chart)}
        assert charts == CHARTS
        (panel,) = app.screen.query("#essentials")
        assert isinstance(panel, MetricPanel)
        assert panel.rows == CHARTS
