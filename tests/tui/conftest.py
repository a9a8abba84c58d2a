"""A recorded run, a frozen clock, and a trainer that is a real process but only writes a folder."""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.patience import PATIENCE_S
from tests.tui.children import note_children
from trainer.config import RunConfig
from trainer.run_dir import RunDir
from tui import feed
from tui.app import Dashboard
from tui.watched import Watched
from tui.widgets import health_list
from tui.widgets.chart import Chart

RECORDED = Path(__file__).parent / "runs" / "1v1"
FAKE_TRAINER = Path(__file__).parent / "fake_trainer.py"
NOW = 1_700_000_142.0
"""The moment of the recorded run's last heartbeat."""


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Events show the time of day: the same everywhere."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(autouse=True)
def _own_children() -> None:
    """A test that looks for what it has left running finds nothing of others."""
    note_children()


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The feed looks often, so that no test waits for it."""
    monkeypatch.setattr(feed, "POLL_S", 0.02)


@pytest.fixture(autouse=True)
def _still_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture does not depend on when it was taken: a cursor that blinks may be hidden in it."""
    monkeypatch.setattr(Input, "cursor_blink", False)


@pytest.fixture(autouse=True)
def _roomy_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Warnings do not depend on the machine that runs the tests."""
    monkeypatch.setattr(health_list, "free_bytes", lambda folder: 1e12)


@pytest.fixture(autouse=True)
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunDir:
    """An empty run folder with the same relative name on every machine."""
    monkeypatch.chdir(tmp_path)
    path = Path("runs/1v1")
    path.mkdir(parents=True)
    return RunDir(path)


def record(run: RunDir) -> None:
    """Fill the folder with the recorded run, as if this process trained it."""
    for file in RECORDED.iterdir():
        shutil.copy(file, run.path)
    restate(run, **myself())


def myself() -> dict[str, Any]:
    """The status fields of a trainer that is this process."""
    return {"pid": os.getpid(), "pid_created": psutil.Process().create_time()}


def restate(run: RunDir, **changes: Any) -> None:  # noqa: ANN401 - any field of a Status
    """Change the recorded status."""
    status = json.loads(run.status.read_text()) | changes
    run.status.write_text(json.dumps(status))


def dashboard(run: RunDir, config: RunConfig | None = None) -> Dashboard:
    """A dashboard that attaches to `run`, at the recorded moment."""
    return Dashboard(Watched(run, config or RunConfig()), clock=lambda: NOW)


def commands(run: RunDir) -> list[str]:
    """What was asked of the trainer."""
    text = run.commands.read_text() if run.commands.exists() else ""
    return [json.loads(line)["command"] for line in text.splitlines()]


async def until(
    pilot: Pilot[Any], true: Callable[[], bool], what: str, seconds: float = PATIENCE_S
) -> None:
    """Let the app work until `true()`; a test that waits too long says for `what`."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"waited {seconds} s in vain until {what}"
        await pilot.pause(0.02)


async def shown(pilot: Pilot[Any], iteration: int = 48) -> None:
    """Wait until the dashboard shows the run up to `iteration`, and its status and events."""
    app = pilot.app
    assert isinstance(app, Dashboard)

    def arrived() -> bool:
        board = app.screen_stack[0].query(Chart).first().board
        return board is not None and board.latest.iteration >= iteration

    await until(pilot, arrived, f"iteration {iteration} is shown")
    await until(pilot, lambda: app.situation != "starting", "the status is shown")
    await pilot.pause()
