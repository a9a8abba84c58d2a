import sys

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from tests.patience import PATIENCE_S
from tests.tui.conftest import FAKE_TRAINER, commands, dashboard, record, restate, shown, until
from trainer.config import RunConfig
from trainer.run_dir import RunDir, read_status
from tui import launcher, quitting
from tui.app import Dashboard
from tui.launcher import Launch, start
from tui.messages import StatusArrived
from tui.screens.quit_dialog import QuitDialog, QuitProgress
from tui.watched import Watched


@pytest.fixture
def trained(run: RunDir, monkeypatch: pytest.MonkeyPatch) -> Watched:
    """A run that a fake trainer trains, as a real process."""
    monkeypatch.setattr(launcher, "TRAINER", (sys.executable, str(FAKE_TRAINER)))
    return Watched(run, RunConfig(), start(Launch(run)))


async def trains(pilot: Pilot[object]) -> Dashboard:
    app = pilot.app
    assert isinstance(app, Dashboard)
    await until(pilot, lambda: app.situation == "running", "it trains")
    return app


def phase(run: RunDir) -> str:
    status = read_status(run)
    return status.phase if status else ""


def offered(app: Dashboard) -> list[str]:
    """The keys that the dialog names."""
    return [str(key.visual) for key in app.screen.query(".choice-key").results(Static)]


async def test_q_only_asks(run: RunDir) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        await pilot.press("q")
        assert isinstance(app.screen, QuitDialog)
        assert offered(app) == ["Q", "L", "Esc"]
        assert commands(run) == []


async def test_news_that_arrive_while_the_question_opens_do_no_harm(run: RunDir) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        opening = app.push_screen(QuitDialog())
        app.on_status_arrived(StatusArrived(read_status(run), "running", ()))
        await opening
        await pilot.pause()
        assert offered(app) == ["Q", "L", "Esc"]


async def test_escape_stays(run: RunDir) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        await pilot.press("Q", "escape")
        assert not isinstance(app.screen, QuitDialog)
        assert commands(run) == []


@pytest.mark.parametrize("key", ["Q", "enter", "ctrl+c"])
async def test_save_and_quit_sends_one_quit_and_waits(run: RunDir, key: str) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        await pilot.press("q", key)
        await pilot.pause()
        assert commands(run) == ["quit"]
        assert app.is_running
        assert offered(app) == ["Q", "L"]
        await pilot.press("escape")  # what was asked cannot be taken back
        assert isinstance(app.screen, QuitDialog)
        restate(run, phase="stopped")
        await until(pilot, lambda: app.return_value == "stopped", "it leaves")


async def test_insisting_sends_a_second_quit(run: RunDir) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        await pilot.press("q", "q", "ctrl+c")
        await pilot.pause()
        assert commands(run) == ["quit", "quit"]
        assert offered(app) == ["L"]


@pytest.mark.parametrize("keys", [["q", "L"], ["q", "q", "l"]])
async def test_l_closes_the_dashboard_only(run: RunDir, keys: list[str]) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        await pilot.press(*keys)
    assert app.return_value == "left"
    assert commands(run) == ["quit"] * (len(keys) - 2)


async def test_quitting_a_real_trainer_waits_until_it_has_saved(trained: Watched) -> None:
    app = Dashboard(trained)
    async with app.run_test() as pilot:
        await trains(pilot)
        await pilot.press("q", "q")
        await until(pilot, lambda: app.return_value == "stopped", "it leaves")
    assert phase(trained.run) == "stopped"
    assert trained.child is not None
    assert trained.child.wait(PATIENCE_S) == 0


async def test_leaving_a_real_trainer_lets_it_train_on(trained: Watched) -> None:
    app = Dashboard(trained)
    async with app.run_test() as pilot:
        await trains(pilot)
        await pilot.press("q", "l")
    assert trained.child is not None
    assert trained.child.poll() is None
    trained.child.terminate()
    assert trained.child.wait(PATIENCE_S) == 0


async def test_a_trainer_that_hears_nothing_gets_a_signal_and_still_saves(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher, "TRAINER", (sys.executable, str(FAKE_TRAINER)))
    monkeypatch.setattr(quitting, "PATIENCE_S", 0.2)
    monkeypatch.setenv("FAKE_TRAINER", "deaf")
    child = start(Launch(run))
    app = Dashboard(Watched(run, RunConfig(), child))
    async with app.run_test() as pilot:
        await trains(pilot)
        await pilot.press("q", "q", "q")
        await until(pilot, lambda: app.return_value == "stopped", "it leaves")
    assert child.wait(PATIENCE_S) == 0
    assert "Saved at the end." in run.events.read_text()


async def test_a_real_trainer_that_dies_is_quoted(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher, "TRAINER", (sys.executable, str(FAKE_TRAINER)))
    monkeypatch.setenv("FAKE_TRAINER", "dies")
    child = start(Launch(run))
    app = Dashboard(Watched(run, RunConfig(), child))
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.situation == "died", "the death is seen")
        await pilot.pause()
        said = str(app.screen.query_one("#last-words").visual)  # type: ignore[attr-defined]
        assert said.endswith("RuntimeError: the loss is not finite")
    assert child.wait(PATIENCE_S) == 1


async def test_a_trainer_that_refuses_to_start_is_quoted(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher, "TRAINER", (sys.executable, str(FAKE_TRAINER)))
    monkeypatch.setenv("FAKE_TRAINER", "refuses")
    child = start(Launch(run))
    app = Dashboard(Watched(run, RunConfig(), child))
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.situation == "died", "the refusal is seen")
        await pilot.pause()
        assert "did not start" in str(app.screen.query_one("#resume").visual)  # type: ignore[attr-defined]
    assert child.wait(PATIENCE_S) == 2


async def test_a_resumed_run_is_not_taken_for_its_dead_predecessor(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(run)
    restate(run, phase="failed")
    monkeypatch.setattr(launcher, "TRAINER", (sys.executable, str(FAKE_TRAINER)))
    stale = read_status(run)
    child = start(Launch(run))
    app = Dashboard(Watched(run, RunConfig(), child, stale))
    seen: list[str] = []
    async with app.run_test() as pilot:
        await until(
            pilot,
            lambda: bool(seen.append(app.situation)) or app.situation == "running",
            "it trains",
        )
        assert "died" not in seen
        await pilot.press("q", "enter")
        await until(pilot, lambda: app.return_value == "stopped", "it leaves")
    assert child.wait(PATIENCE_S) == 0


@pytest.mark.parametrize(
    ("progress", "words"),
    [
        (QuitProgress(asked=True, phase="learning"), "Finishing the iteration"),
        (QuitProgress(asked=True, phase="saving"), "Saving"),
        (QuitProgress(asked=True, phase="starting"), "still starting"),
        (QuitProgress(asked=True, forced=True, phase="collecting"), "Stopping now"),
    ],
)
def test_the_wait_says_what_the_trainer_does(progress: QuitProgress, words: str) -> None:
    assert words in progress.words
