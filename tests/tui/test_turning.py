import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from textual.pilot import Pilot

from tests.trainer.tiny import tiny_config
from tests.tui.conftest import commands, dashboard, record, restate, shown, until
from tests.tui.test_app import Pitch
from trainer.branch import parent_of
from trainer.checkpoint_folder import list_checkpoints
from trainer.config_file import write_config
from trainer.run_dir import RunDir, read_status
from tui.app import Dashboard
from tui.launcher import Launch
from tui.messages import MatchWanted, NewRunWanted, RollBackWanted, RunWanted
from tui.pitch import PitchPanel
from tui.screens.new_run import NewRun
from tui.watched import watch

SLOW = ("ppo.steps_per_iteration=1024", "ppo.batch_size=1024", "ppo.minibatch_size=1024")


def said(app: Dashboard) -> list[str]:
    return [toast.message for toast in app._notifications]


async def watches(pilot: Pilot[object], path: Path) -> None:
    app = pilot.app
    assert isinstance(app, Dashboard)
    await until(pilot, lambda: app.run_dir.path == path, f"{path} is watched", seconds=60)


async def test_a_run_that_is_over_is_looked_at_and_not_started(run: RunDir) -> None:
    record(run)
    over = RunDir(Path("runs/over"))
    shutil.copytree(run.path, over.path)
    over.log.unlink()
    write_config(over.config, tiny_config())
    restate(over, phase="stopped")
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        app.post_message(RunWanted(over.path))
        await watches(pilot, over.path)
        await until(pilot, lambda: app.situation == "stopped", "it is seen as it is")
        assert app.is_running
    assert not over.log.exists()
    assert commands(run) == commands(over) == []


async def test_a_folder_that_is_no_run_is_refused_in_a_sentence(run: RunDir) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        app.post_message(RunWanted(Path("runs/none")))
        await until(pilot, lambda: bool(said(app)), "it is said")
        assert "runs/none" in said(app)[0]
        assert app.run_dir == run


async def test_a_new_run_is_set_up_in_the_folder_of_the_one_that_is_watched(run: RunDir) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        app.post_message(NewRunWanted())
        await until(pilot, lambda: isinstance(app.screen, NewRun), "the form is open")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, NewRun), "it is closed")
        assert app.run_dir == run


async def test_two_checkpoints_play_each_other_on_the_pitch(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(run)
    pitch = Pitch(monkeypatch)
    monkeypatch.setattr(PitchPanel, "cast", lambda panel, *cast: pitch.asked.append(cast))
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        blue, orange = run.checkpoints / "000000000001000", run.checkpoints / "000000000002000"
        app.post_message(MatchWanted(blue, orange))
        await until(pilot, lambda: len(pitch.asked) == 3, "both are named")
        assert app.screen.query_one(PitchPanel).display
    assert pitch.asked[1:3] == [(0, blue.name), (1, orange.name)]


@pytest.fixture
def trained(run: RunDir) -> Iterator[RunDir]:
    """A folder with a tiny config, whose trainers end with the test."""
    write_config(run.config, tiny_config(*SLOW))
    yield run
    for path in run.path.parent.iterdir():
        if (status := read_status(RunDir(path))) and status.alive:
            psutil.Process(status.pid).kill()


async def test_a_real_run_goes_back_to_a_checkpoint_as_another_and_stays_itself(
    trained: RunDir,
) -> None:
    app = Dashboard(watch(Launch(trained)))
    async with app.run_test() as pilot:
        await until(pilot, beyond(trained, 0), "it trains", seconds=60)
        await pilot.press("s")
        await until(pilot, lambda: bool(list_checkpoints(trained)), "it is saved", seconds=60)
        first = list_checkpoints(trained)[-1]
        await until(pilot, beyond(trained, int(first.name)), "it goes on", seconds=60)
        new = RunDir(trained.path.with_name("back"))
        app.post_message(RollBackWanted(first, new.path))
        await watches(pilot, new.path)
        await until(pilot, lambda: app.situation == "running", "the branch trains", seconds=60)
        await until(pilot, beyond(new, int(first.name)), "the branch goes on", seconds=60)
        await pilot.press("q", "q")
        await until(pilot, lambda: app.return_value == "stopped", "it stops", seconds=60)
    parent, old = parent_of(new), read_status(trained)
    assert parent is not None
    assert (parent.run.resolve(), parent.steps) == (trained.path.resolve(), int(first.name))
    assert old is not None
    assert old.phase == "stopped"
    assert list_checkpoints(trained)[-1] == first
    assert old.steps > int(first.name)


def beyond(run: RunDir, steps: int) -> Callable[[], bool]:
    """Whether the trainer of `run` has come further than `steps`."""

    def true() -> bool:
        status = read_status(run)
        return status is not None and status.phase != "starting" and status.steps > steps

    return true
