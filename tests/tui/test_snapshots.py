"""Pictures of every state a user can name. `make snapshots` draws them anew: look at the diff."""

import os
from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import NOW, dashboard, record, restate, shown, until
from trainer.config import RunConfig
from trainer.run_dir import RunDir
from tui.app import Dashboard
from tui.widgets.health_list import HealthList

Compare = Callable[..., bool]
SIZES = [(80, 24), (140, 40)]


@pytest.mark.parametrize("size", SIZES)
def test_starting(snap_compare: Compare, run: RunDir, size: tuple[int, int]) -> None:
    record(run)
    for file in (run.metrics, run.events):
        file.unlink()
    restate(run, phase="starting", iteration=0, steps=0)

    async def ready(pilot: Pilot[object]) -> None:
        app = pilot.app
        assert isinstance(app, Dashboard)
        await until(
            pilot, lambda: "building" in str(app.screen.query_one("#waiting").visual), "it starts"
        )

    assert snap_compare(dashboard(run), terminal_size=size, run_before=ready)


@pytest.mark.parametrize("size", [*SIZES, (40, 12)])
def test_training(snap_compare: Compare, run: RunDir, size: tuple[int, int]) -> None:
    record(run)
    assert snap_compare(dashboard(run), terminal_size=size, run_before=shown)


@pytest.mark.parametrize("size", SIZES)
def test_crashed(snap_compare: Compare, run: RunDir, size: tuple[int, int]) -> None:
    record(run)
    restate(run, phase="failed")
    os.utime(run.log, (NOW, NOW))
    assert snap_compare(dashboard(run), terminal_size=size, run_before=shown)


@pytest.mark.parametrize("size", SIZES)
def test_the_question_before_quitting(
    snap_compare: Compare, run: RunDir, size: tuple[int, int]
) -> None:
    record(run)

    async def ask(pilot: Pilot[object]) -> None:
        await shown(pilot)
        await pilot.press("q")
        await pilot.pause()

    assert snap_compare(dashboard(run), terminal_size=size, run_before=ask)


@pytest.mark.parametrize("size", SIZES)
def test_the_first_iteration(snap_compare: Compare, run: RunDir, size: tuple[int, int]) -> None:
    record(run)
    first = run.metrics.read_text().splitlines(keepends=True)[0]
    run.metrics.write_text(first)
    run.events.write_text(run.events.read_text().splitlines(keepends=True)[0])
    restate(run, iteration=1, steps=50_176, next_save=1_003_520)

    async def ready(pilot: Pilot[object]) -> None:
        await shown(pilot, iteration=1)

    assert snap_compare(dashboard(run), terminal_size=size, run_before=ready)


@pytest.mark.parametrize("size", SIZES)
def test_a_warning(snap_compare: Compare, run: RunDir, size: tuple[int, int]) -> None:
    record(run)
    config = RunConfig()
    strict = config.health.model_copy(update={"max_kl": 0.0001})
    app = dashboard(run, config.model_copy(update={"health": strict}))

    async def ready(pilot: Pilot[object]) -> None:
        await shown(pilot)
        warnings = app.screen.query_one(HealthList)
        await until(pilot, lambda: warnings.display, "it warns")
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=ready)


@pytest.mark.parametrize("phase", ["paused", "stopped"])
@pytest.mark.parametrize("size", SIZES)
def test_at_rest(snap_compare: Compare, run: RunDir, size: tuple[int, int], phase: str) -> None:
    record(run)
    restate(run, phase=phase)
    assert snap_compare(dashboard(run), terminal_size=size, run_before=shown)
