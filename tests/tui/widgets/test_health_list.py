import math
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from tests.tui.conftest import dashboard, record, shown, until
from tests.tui.story import tell_iterations
from trainer import control
from trainer.run_dir import RunDir
from tui.health import Finding
from tui.screens.health_details import HealthDetails, details
from tui.widgets import health_list
from tui.widgets.health_list import HealthList, free_bytes

Compare = Callable[..., bool]
FAST = {"Loss__approx_kl": 0.052}
BLIND = {"Loss__explained_variance": -0.2}


async def warned(pilot: Pilot[object]) -> None:
    await shown(pilot, 48)
    health = pilot.app.screen.query_one(HealthList)
    await until(pilot, lambda: health.option_count > 0, "a warning is shown")
    await pilot.pause()


@pytest.mark.parametrize("size", [(120, 40), (60, 16)])
def test_two_warnings(snap_compare: Compare, run: RunDir, size: tuple[int, int]) -> None:
    record(run)
    tell_iterations(run, 48, **FAST, **BLIND)
    assert snap_compare(dashboard(run), terminal_size=size, run_before=warned)


def test_the_details_of_a_warning(snap_compare: Compare, run: RunDir) -> None:
    record(run)
    tell_iterations(run, 48, **FAST)

    async def ask(pilot: Pilot[object]) -> None:
        await warned(pilot)
        pilot.app.screen.query_one(HealthList).focus()
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, HealthDetails), "they are shown")
        await pilot.pause()

    assert snap_compare(dashboard(run), terminal_size=(120, 40), run_before=ask)


async def test_a_healthy_run_shows_nothing(run: RunDir) -> None:
    record(run)
    tell_iterations(run, 48)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot, 48)
        assert not app.screen.query_one(HealthList).display


async def test_a_click_explains_a_warning_and_escape_returns(run: RunDir) -> None:
    record(run)
    tell_iterations(run, 48, **FAST)
    app = dashboard(run)
    async with app.run_test(size=(120, 40)) as pilot:
        await warned(pilot)
        await pilot.click(HealthList, offset=(5, 0))
        await until(pilot, lambda: isinstance(app.screen, HealthDetails), "details are shown")
        words = str(app.screen.query_one(Static).visual)
        assert words.startswith("KL 0.0520, above 0.03 for 3 iterations")
        assert "Spinning Up" in words
        assert "ppo.learning_rate" in words
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, HealthDetails), "they are closed")


async def test_an_edit_silences_a_warning(run: RunDir) -> None:
    record(run)
    tell_iterations(run, 48, **FAST)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await warned(pilot)
        control.tell(run, "edit", "set ppo.learning_rate 0.001 -> 0.0005", 2_400_000)
        health = app.screen.query_one(HealthList)
        await until(pilot, lambda: not health.display, "the warning is gone")
        assert health.option_count == 0


async def test_a_full_disk_is_told_before_the_first_iteration(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health_list, "free_bytes", lambda folder: 5e8)
    record(run)
    run.metrics.unlink()
    app = dashboard(run)
    async with app.run_test() as pilot:
        health = app.screen.query_one(HealthList)
        await until(pilot, lambda: health.option_count == 1, "it is told")
        assert str(health.get_option_at_index(0).prompt) == (
            "! 0.50 GB free where the run is saved, below 2 GB"
        )


def test_free_space_is_that_of_the_folders_disk_or_not_known(tmp_path: Path) -> None:
    assert free_bytes(tmp_path) > 0
    assert math.isnan(free_bytes(tmp_path / "never"))


def test_details_name_threshold_source_and_advice() -> None:
    finding = Finding("kl-high", "KL 0.05", "KL above 0.03", "rsl_rl", "Lower it.")
    assert details(finding).plain == (
        "KL 0.05\n\nWarns when: KL above 0.03\n\nSource: rsl_rl\n\nTry: Lower it."
    )
