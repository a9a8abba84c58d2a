import asyncio
import shutil
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from textual.message import Message
from textual.pilot import Pilot

from tests.trainer.tiny import tiny_config
from tests.tui.conftest import commands, dashboard, record, restate, shown, until
from tests.tui.test_app import Pitch
from trainer.branch import parent_of
from trainer.checkpoint_folder import list_checkpoints
from trainer.config_file import write_config
from trainer.run_dir import RunDir, read_status
from tui import turning
from tui.app import Dashboard
from tui.launcher import Launch
from tui.messages import MatchWanted, MetricsArrived, NewRunWanted, RollBackWanted, RunWanted
from tui.pitch import PitchPanel
from tui.screens.new_run import NewRun
from tui.watched import Watched, watch

SLOW = ("ppo.steps_per_iteration=1024", "ppo.batch_size=1024", "ppo.minibatch_size=1024")


def said(app: Dashboard) -> list[str]:
    return [toast.message for toast in app._notifications]


async def watches(pilot: Pilot[object], path: Path) -> None:
    app = pilot.app
    assert isinstance(app, Dashboard)
    await until(pilot, lambda: app.run_dir.path == path, f"{path} is watched")


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
        app.post_message(NewRunWanted(run.path.parent))
        await until(pilot, lambda: isinstance(app.screen, NewRun), "the form is open")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, NewRun), "it is closed")
        assert app.run_dir == run


async def test_two_checkpoints_play_each_other_on_the_pitch(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(run)
    pitch = Pitch(monkeypatch)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        blue, orange = run.checkpoints / "000000000001000", run.checkpoints / "000000000002000"
        app.post_message(MatchWanted(blue, orange))
        await until(pilot, lambda: len(pitch.asked) == 3, "both are named")
        assert app.screen.query_one(PitchPanel).display
    assert pitch.asked[1:3] == [("cast", 0, blue.name), ("cast", 1, orange.name)]


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
        await until(pilot, beyond(trained, 0), "it trains")
        await pilot.press("s")
        await until(pilot, lambda: bool(list_checkpoints(trained)), "it is saved")
        first = list_checkpoints(trained)[-1]
        await until(pilot, beyond(trained, int(first.name)), "it goes on")
        new = RunDir(trained.path.with_name("back"))
        app.post_message(RollBackWanted(first, new.path))
        await watches(pilot, new.path)
        await until(pilot, lambda: app.situation == "running", "the branch trains")
        await until(pilot, beyond(new, int(first.name)), "the branch goes on")
        await pilot.press("q", "q")
        await until(pilot, lambda: app.return_value == "stopped", "it stops")
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


def beside(run: RunDir, name: str, **status: object) -> RunDir:
    """A copy of the recorded run with a config."""
    other = RunDir(run.path.with_name(name))
    shutil.copytree(run.path, other.path)
    write_config(other.config, tiny_config())
    restate(other, **status)
    return other


def feeds() -> int:
    """Threads that follow a run."""
    frames = sys._current_frames().values()
    stacks = [traceback.extract_stack(frame) for frame in frames]
    return sum(any(call.filename.endswith("tui/feed.py") for call in stack) for stack in stacks)


async def test_of_two_turns_at_once_the_last_holds_and_one_feed_is_left(run: RunDir) -> None:
    record(run)
    one, two = beside(run, "one"), beside(run, "two", phase="stopped")
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        app.post_message(RunWanted(one.path))
        app.post_message(RunWanted(two.path))
        await watches(pilot, two.path)
        await until(pilot, lambda: app.situation == "stopped", "the second is seen as it is")
        assert feeds() == 1


async def test_what_was_said_of_the_run_before_is_not_taken_for_news_of_the_next(
    run: RunDir,
) -> None:
    record(run)
    other = beside(run, "other", phase="stopped")
    other.metrics.unlink()
    app = dashboard(run)

    async def busy() -> None:
        """The app has its hands full while the old feed says its last."""
        app._feed_stop.set()
        board = app._known.board
        assert board is not None
        turning = asyncio.create_task(app.watch_run(Watched(other, tiny_config())))
        await app._following.wait()
        for _ in range(5):
            app.post_message(MetricsArrived(board))
        await asyncio.sleep(0)  # the turn goes on
        turnings.append(turning)

    turnings: list[asyncio.Task[None]] = []
    async with app.run_test() as pilot:
        await shown(pilot)
        app.call_later(busy)
        await watches(pilot, other.path)
        await until(pilot, lambda: app.situation == "stopped", "it is seen as it is")
        assert app._known.board is None
        await turnings[0]


@pytest.mark.parametrize("wanted", [RunWanted(Path("runs/other")), NewRunWanted(Path("runs"))])
async def test_nobody_turns_elsewhere_while_a_run_goes_back(
    run: RunDir, monkeypatch: pytest.MonkeyPatch, wanted: Message
) -> None:
    record(run)
    other = beside(run, "other")
    monkeypatch.setattr(turning, "branch", lambda *_: None)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        app.post_message(RollBackWanted(run.checkpoints / "000000001000", Path("runs/back")))
        await until(pilot, lambda: commands(run) == ["quit"], "the old run is asked to end")
        app.post_message(wanted)
        await until(pilot, lambda: "Wait a moment" in said(app)[-1], "it is refused")
        await pilot.pause()
        assert app.run_dir == run
        assert not isinstance(app.screen, NewRun)
    assert commands(other) == []


async def test_quitting_while_a_run_goes_back_stops_it_once_and_starts_nothing(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(run)
    started: list[Launch] = []
    monkeypatch.setattr(turning, "branch", lambda *_: None)
    monkeypatch.setattr(turning, "watch", started.append)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        app.post_message(RollBackWanted(run.checkpoints / "000000001000", Path("runs/back")))
        await until(pilot, lambda: commands(run) == ["quit"], "the old run is asked to end")
        await pilot.press("q", "q")
        await pilot.pause()
        assert commands(run) == ["quit"]  # a second one would drop the iteration
        restate(run, phase="stopped")
        await until(pilot, lambda: app.return_value == "stopped", "it is over")
    assert started == []
