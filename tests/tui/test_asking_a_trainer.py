"""Keys pressed in the dashboard on a real trainer: what is written, and what comes back."""

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from textual.pilot import Pilot

from tests.patience import PATIENCE_S
from tests.trainer.tiny import tiny_config
from tests.tui.conftest import commands, until
from trainer.config_file import write_config
from trainer.run_dir import RunDir, read_status
from tui.app import Dashboard
from tui.launcher import Launch
from tui.watched import Watched, watch

UNHURRIED = ("ppo.steps_per_iteration=1024", "ppo.batch_size=1024", "ppo.minibatch_size=1024")
"""Iterations that leave the dashboard some time."""


@pytest.fixture
def trained(run: RunDir) -> Iterator[Watched]:
    """A tiny run and its trainer, which ends with the test."""
    write_config(run.config, tiny_config(*UNHURRIED))
    watched = watch(Launch(run))
    assert watched.child is not None
    yield watched
    watched.child.kill()
    watched.child.wait(PATIENCE_S)


async def happened(pilot: Pilot[object], words: str) -> None:
    """Wait until an event says `words`."""
    app = pilot.app
    assert isinstance(app, Dashboard)
    await until(
        pilot,
        lambda: any(words in event.text for event in app._known.events),
        f'"{words}" is an event',
        60,
    )


def phase(run: RunDir) -> str:
    status = read_status(run)
    return status.phase if status else "starting"


async def test_s_saves_p_pauses_and_p_goes_on(trained: Watched) -> None:
    run = trained.run
    app = Dashboard(trained)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.situation == "running", "it trains")
        await pilot.press("s")
        await happened(pilot, "saved checkpoints/")
        await pilot.press("p")
        await happened(pilot, "paused after iteration ")
        assert phase(run) == "paused"
        await until(pilot, lambda: "paused" in header(app), "the header says it")
        await pilot.press("p")
        await happened(pilot, "goes on")
        await until(pilot, lambda: phase(run) in ("collecting", "learning"), "it trains on")
        assert commands(run) == ["save", "pause", "resume"]
        await pilot.press("ctrl+d")
    assert app.return_value == "left"
    assert trained.child is not None
    assert psutil.pid_exists(trained.child.pid)


def header(app: Dashboard) -> str:
    known = app._known
    return known.status.phase if known.status else ""


async def test_c_saves_a_named_and_pinned_checkpoint(trained: Watched) -> None:
    app = Dashboard(trained)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.situation == "running", "it trains")
        await pilot.press("5", "c")
        await pilot.pause()
        await pilot.press(*"best", "enter")
        await happened(pilot, "best")
        found = list(Path(trained.run.checkpoints).glob("*/mark.json"))
        assert len(found) == 1
        assert '"best"' in found[0].read_text()
