"""Pictures of the pages that draw numbers and settings, when the run is new, crashed or over."""

import json
import os
from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import NOW, dashboard, record, restate, shown, until
from trainer.run_dir import RunDir
from tui.app import Dashboard

Compare = Callable[..., bool]
PAGES = {"2": "charts", "3": "rewards", "4": "episodes", "6": "config"}


def first_iteration(run: RunDir) -> None:
    line = run.metrics.read_text().splitlines()[0]
    run.metrics.write_text(line + "\n")
    restate(run, iteration=1, steps=json.loads(line)["steps"])


def crashed(run: RunDir) -> None:
    restate(run, phase="failed")
    os.utime(run.log, (NOW, NOW))


def finished(run: RunDir) -> None:
    restate(run, phase="stopped")


@pytest.mark.parametrize("key", PAGES, ids=PAGES.values())
@pytest.mark.parametrize("state", [first_iteration, crashed, finished], ids=lambda f: f.__name__)
def test_a_page(
    snap_compare: Compare, run: RunDir, key: str, state: Callable[[RunDir], None]
) -> None:
    record(run)
    state(run)

    async def turned(pilot: Pilot[object]) -> None:
        app = pilot.app
        assert isinstance(app, Dashboard)
        await shown(pilot, iteration=1)
        await pilot.press(key)
        await until(pilot, lambda: app.current_mode == PAGES[key], f"{PAGES[key]} is shown")
        await pilot.pause(0.3)

    assert snap_compare(dashboard(run), terminal_size=(100, 28), run_before=turned)
