"""The pictures of README: every page on a real run, and a recorded game, as Textual draws them.

Best taken while the run trains, for a run that has ended says so. Asks nothing of the trainer.
Tested by `tests/benchmarks/test_screenshots.py`.
"""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from textual.pilot import Pilot

from trainer.config_file import load_config
from trainer.files import write_atomic
from trainer.replay import read_replay
from trainer.run_dir import RunDir, read_status
from tui.app import Dashboard
from tui.following import Outcome
from tui.look import Look
from tui.pages import PAGES
from tui.replay_app import ReplayApp
from tui.screens.run_screen import RunScreen
from tui.watched import Watched

SIZE = (132, 40)
"""Columns and lines."""
SETTLING_S = 1.5
"""Seconds that a page has to fill itself."""
PATIENCE_S = 60.0
PLAYED_S = 5.0
"""Seconds of a game before its picture, in which trails grow."""


def take(run_folder: Path, pictures: Path) -> list[Path]:
    """Draw every page of the run in `run_folder` into `pictures`, named by the page's id.

    Raises:
        ConfigError: When the run's config cannot be read.
        TimeoutError: When its numbers do not show.
    """
    run = RunDir(run_folder)
    app = Dashboard(Watched(run, load_config(run.config)))
    pictures.mkdir(parents=True, exist_ok=True)
    return asyncio.run(_take(app, run, pictures))


def take_game(replay: Path, pictures: Path) -> Path:
    """Draw the recorded game in `replay`, after some seconds of it, into `pictures`.

    Raises:
        ReplayError: When the file is no recorded game.
    """
    header, frames = read_replay(replay)
    pictures.mkdir(parents=True, exist_ok=True)
    return asyncio.run(_take_game(ReplayApp(header, frames, Look()), pictures / "game.svg"))


async def _take_game(app: ReplayApp, path: Path) -> Path:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause(PLAYED_S)
        write_atomic(path, app.export_screenshot(title="rlppo-tui replay").encode())
    return path


async def _take(app: Dashboard, run: RunDir, pictures: Path) -> list[Path]:
    status = read_status(run)
    least = status.iteration if status else 1
    taken = []
    async with app.run_test(size=SIZE) as pilot:
        await _until(pilot, lambda: _shown(app) >= least)
        for page in PAGES:
            await pilot.press(page.key)
            await pilot.pause(SETTLING_S)
            path = pictures / f"{page.id}.svg"
            write_atomic(path, app.export_screenshot(title=f"rlppo: {page.label}").encode())
            taken.append(path)
    return taken


def _shown(app: Dashboard) -> int:
    """The iteration that the page on top knows; 0 before the first."""
    page = app.screen
    known = page.known if isinstance(page, RunScreen) else None
    return known.board.latest.iteration if known and known.board else 0


async def _until(pilot: Pilot[Outcome], true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(f"nothing to see in {PATIENCE_S:.0f} s")
        await pilot.pause(0.1)
