"""The dashboard on a run that learns from a teacher: what PPO measures is not there."""

from pathlib import Path

from tests.trainer.test_distilling import distill, train_teacher
from tests.tui.conftest import dashboard, shown, until
from trainer.run_dir import RunDir
from tui.pages import PAGES
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
        for page in PAGES:
            await pilot.press(page.key)
            await until(pilot, lambda page=page.id: app.current_mode == page, page.id)
            await pilot.pause(0.2)
