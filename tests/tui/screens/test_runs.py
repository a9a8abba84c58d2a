import shutil
import sys
from pathlib import Path

import pytest
from textual.widgets import Input, Static

from tests.patience import PATIENCE_S
from tests.tui.conftest import FAKE_TRAINER, commands, record, restate, until
from tests.tui.screens.pages import opened
from trainer.metrics import IterationMetrics, append
from trainer.run_dir import RunDir, read_status
from trainer.teacher_note import TeacherNote, write_note
from tui import launcher
from tui.messages import NewRunWanted, RunWanted
from tui.screens.confirm import Confirm
from tui.screens.runs import RunsScreen, parent_folder

KEY = "9"


@pytest.fixture
def other(run: RunDir) -> RunDir:
    """A second run, which stopped."""
    record(run)
    other = RunDir(run.path.with_name("other"))
    shutil.copytree(run.path, other.path)
    restate(other, phase="stopped")
    return other


async def test_the_neighbours_of_the_watched_run_are_listed(run: RunDir, other: RunDir) -> None:
    async with opened(run, KEY) as page:
        await page.has_rows(2)
        assert [row[:4] for row in page.rows] == [
            ["▸ 1v1", "training", "2.41M", "48"],
            ["  other", "stopped", "2.41M", "48"],
        ]
        assert page.text("#runs-note") == "runs"


async def test_enter_asks_the_app_for_the_chosen_run(run: RunDir, other: RunDir) -> None:
    async with opened(run, KEY) as page:
        await page.has_rows(2)
        await page.pilot.press("down", "enter")
        await page.pilot.pause()
        (wanted,) = page.asked(RunWanted)
    assert wanted.path == other.path


async def test_a_click_only_chooses(run: RunDir, other: RunDir) -> None:
    async with opened(run, KEY) as page:
        await page.has_rows(2)
        await page.pilot.click("#runs", offset=(5, 2))
        await page.pilot.pause()
        assert page.asked(RunWanted) == []
        await page.pilot.press("enter")
        await page.pilot.pause()
        assert [wanted.path for wanted in page.asked(RunWanted)] == [other.path]


async def test_the_run_that_is_shown_is_not_asked_for(run: RunDir, other: RunDir) -> None:
    async with opened(run, KEY) as page:
        await page.has_rows(2)
        await page.pilot.press("enter")
        await page.says("1v1 is the run that is shown.")
        assert page.asked(RunWanted) == []


async def test_n_asks_the_app_for_a_new_run(run: RunDir, other: RunDir) -> None:
    async with opened(run, KEY) as page:
        await page.has_rows(2)
        await page.pilot.press("n")
        await page.pilot.pause()
        assert page.asked(NewRunWanted) == [NewRunWanted(Path("runs"))]


async def test_x_asks_a_trainer_to_end_once_somebody_agrees(run: RunDir, other: RunDir) -> None:
    restate(other, phase="learning")
    async with opened(run, KEY) as page:
        await page.has_rows(2)
        await page.pilot.press("down", "x")
        assert isinstance(page.app.screen, Confirm)
        assert page.text(".dialog-words") == "Stops other after its iteration; it saves first."
        await page.pilot.press("n")
        assert commands(other) == []
        await page.pilot.press("x", "y")
        await page.says("other stops after its iteration.")
    assert (commands(other), commands(run)) == (["quit"], [])


async def test_x_leaves_a_run_alone_that_nobody_trains(run: RunDir, other: RunDir) -> None:
    async with opened(run, KEY) as page:
        await page.has_rows(2)
        await page.pilot.press("down", "x")
        await page.says("Nobody trains other.")
        assert page.app.screen is page.page


async def test_x_tells_that_a_trainer_that_starts_hears_nothing(run: RunDir, other: RunDir) -> None:
    restate(other, phase="starting")
    async with opened(run, KEY) as page:
        await page.has_rows(2)
        await page.pilot.press("down", "x")
        await page.says("other still starts")
    assert commands(other) == []


async def test_t_trains_a_stopped_run_on_as_a_real_process_and_once(
    run: RunDir, other: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher, "TRAINER", (sys.executable, str(FAKE_TRAINER)))
    async with opened(run, KEY) as page:
        await page.has_rows(2)
        await page.pilot.press("down", "t", "y")
        await until(page.pilot, lambda: page.rows[1][1] == "starting", "it starts at once")
        await page.pilot.press("t")
        await page.says("other is being trained already.")
        await until(page.pilot, lambda: page.rows[1][1] == "training", "it trains")
        await page.pilot.press("x", "y")
        await until(page.pilot, lambda: page.rows[1][1] == "stopped", "it stops")
        screen = page.page
        assert isinstance(screen, RunsScreen)
        (child,) = screen._started.values()
    assert child.wait(PATIENCE_S) == 0
    status = read_status(other)
    assert status is not None
    assert status.phase == "stopped"


async def test_f_shows_the_runs_of_another_folder(run: RunDir, other: RunDir) -> None:
    archive = Path("archive")
    archive.mkdir()
    shutil.move(other.path, archive / "older")
    async with opened(run, KEY) as page:
        await page.has_rows(1)
        await page.pilot.press("f")
        page.app.screen.query_one(Input).value = "archive"
        await page.pilot.press("enter")
        await until(page.pilot, lambda: [row[0] for row in page.rows] == ["  older"], "it is shown")
        assert page.text("#runs-note") == "archive"


async def test_a_folder_that_goes_is_a_sentence(run: RunDir, other: RunDir) -> None:
    Path("archive").mkdir()
    async with opened(run, KEY) as page:
        await page.has_rows(2)
        await page.pilot.press("f")
        page.app.screen.query_one(Input).value = "archive"
        await page.pilot.press("enter")
        await until(page.pilot, lambda: page.text("#runs-note") == "No runs in archive.", "empty")
        Path("archive").rmdir()
        await until(page.pilot, lambda: "cannot be listed" in page.text("#runs-note"), "it is said")


def test_the_folder_of_a_run_is_known_even_from_within_it(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Path("runs/1v1").resolve()
    monkeypatch.chdir(here)
    assert parent_folder(RunDir(Path("."))) == here.parent
    assert parent_folder(RunDir(Path("runs/a"))) == Path("runs")


async def test_t_says_who_taught_and_how_ppo_would_go_on(run: RunDir, other: RunDir) -> None:
    write_note(other, TeacherNote("PPO_POLICY.pt, 64-64 relu", "0123", "/bots/PPO_POLICY.pt"))
    append(other.metrics, IterationMetrics(49, 2_500_000, 0.0, {"Transfer/loss": 0.5}))
    async with opened(run, KEY) as page:
        await page.has_rows(2)
        await page.pilot.press("down", "t")
        await page.pilot.pause()
        words = [str(text.render()) for text in page.app.screen.query(Static)]
        said = " ".join(" ".join(words).split())
        assert "Goes on with the distillation of other from its last save, by PPO_POLICY.pt" in said
        assert "rlppo train --run runs/other" in said
