"""Pictures of the pages for checkpoints, runs and the log, in states a user can name."""

import os
import shutil
import sys
from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from tests.tui.checkpoints import save
from tests.tui.conftest import NOW, dashboard, record, restate, until
from tests.tui.rated import rate, version
from tests.tui.screens.pages import Opened, turn_to
from trainer.checkpoint_marks import MARK, Mark
from trainer.run_dir import RunDir
from tui.screens import checkpoints
from tui.widgets.log_pane import LogPane

Compare = Callable[..., bool]
Do = Callable[[Pilot[object]], Awaitable[None]]
SIZES = [(120, 40), (60, 16)]
NOBODY = 2**22 + 1
"""No process has this id."""
EXPORTER = """
print("read runs/1v1/checkpoints/000000001003520")
print("runs/1v1/bundles/1003520")
"""


def picture(key: str, shown: Callable[[Opened], bool], *keys: str) -> Do:
    """Turn to the page of `key`, wait until it has `shown` something, and press `keys`."""

    async def ready(pilot: Pilot[object]) -> None:
        await turn_to(pilot, key)
        page = Opened(pilot, [])
        await until(pilot, lambda: shown(page), "the page is drawn")
        await pilot.press(*keys)
        await pilot.pause()

    return ready


def rows(number: int) -> Callable[[Opened], bool]:
    return lambda page: len(page.rows) == number


def several(run: RunDir) -> None:
    """Checkpoints of all ages, one with a mark that cannot be read."""
    record(run)
    save(run, 501_760, age_s=3 * 86_400, mark=Mark(pinned=True))
    (save(run, 1_003_520, age_s=7200) / MARK).write_text("{")
    save(run, 1_505_280, age_s=1800, mark=Mark("learned to dribble", pinned=True))
    save(run, 2_007_040, age_s=20)
    rate(run, version(1_003_520, 120.0), version(1_900_000, 180.0))


@pytest.mark.parametrize("size", SIZES)
def test_no_checkpoints(snap_compare: Compare, run: RunDir, size: tuple[int, int]) -> None:
    record(run)
    empty = picture("5", lambda page: "No checkpoints" in page.text("#checkpoints-note"))
    assert snap_compare(dashboard(run), terminal_size=size, run_before=empty)


@pytest.mark.parametrize("size", SIZES)
def test_several_checkpoints(snap_compare: Compare, run: RunDir, size: tuple[int, int]) -> None:
    several(run)
    chosen = picture("5", rows(4), "down", "m")
    assert snap_compare(dashboard(run), terminal_size=size, run_before=chosen)


@pytest.mark.parametrize("size", SIZES)
def test_the_question_before_a_roll_back(
    snap_compare: Compare, run: RunDir, size: tuple[int, int]
) -> None:
    several(run)
    asked = picture("5", rows(4), "down", "b")
    assert snap_compare(dashboard(run), terminal_size=size, run_before=asked)


@pytest.mark.parametrize("size", SIZES)
def test_an_export_that_is_done(
    snap_compare: Compare, run: RunDir, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    several(run)
    monkeypatch.setattr(checkpoints, "RLPPO", (sys.executable, "-c", EXPORTER))

    async def ready(pilot: Pilot[object]) -> None:
        await picture("5", rows(4), "e")(pilot)
        page = Opened(pilot, [])
        await until(pilot, lambda: "Done" in page.text("#child-state"), "it is exported")

    assert snap_compare(dashboard(run), terminal_size=size, run_before=ready)


@pytest.mark.parametrize("size", SIZES)
def test_several_runs(snap_compare: Compare, run: RunDir, size: tuple[int, int]) -> None:
    record(run)
    runs = {name: RunDir(run.path.with_name(name)) for name in ("2v2", "1v1-from-1M", "first")}
    for other in runs.values():
        shutil.copytree(run.path, other.path)
    restate(runs["2v2"], phase="paused")
    restate(runs["1v1-from-1M"], phase="stopped", heartbeat=NOW - 600)
    runs["1v1-from-1M"].branch.write_text('{"of": "../1v1", "steps": 1003520}')
    restate(runs["first"], pid=NOBODY, heartbeat=NOW - 5 * 86_400)
    planned = RunDir(run.path.with_name("planned"))
    planned.path.mkdir()
    planned.config.write_text("")
    os.utime(planned.config, (NOW - 7200, NOW - 7200))
    run.path.with_name("notes").mkdir()
    assert snap_compare(dashboard(run), terminal_size=size, run_before=picture("9", rows(5)))


@pytest.mark.parametrize("size", SIZES)
def test_the_log(snap_compare: Compare, run: RunDir, size: tuple[int, int]) -> None:
    record(run)
    with run.log.open("a") as log:
        log.writelines(f"iteration {number}  reward 0.0312\n" for number in range(45, 60))

    def drawn(page: Opened) -> bool:
        return list(page.page.query_one(LogPane).lines)[-1:] == ["iteration 59  reward 0.0312"]

    assert snap_compare(dashboard(run), terminal_size=size, run_before=picture("7", drawn))


def test_a_search_in_the_log(snap_compare: Compare, run: RunDir) -> None:
    record(run)
    run.log.write_text("saved one\nother\nsaved two\n")
    os.utime(run.log, (NOW, NOW))

    def drawn(page: Opened) -> bool:
        return len(page.page.query_one(LogPane).lines) == 3

    search = picture("7", drawn, "/", *"saved", "enter")
    assert snap_compare(dashboard(run), terminal_size=SIZES[0], run_before=search)


def test_an_empty_log(snap_compare: Compare, run: RunDir) -> None:
    record(run)
    run.log.unlink()
    run.events.unlink()

    def drawn(page: Opened) -> bool:
        return "No output here" in str(page.page.query_one(LogPane).border_subtitle)

    assert snap_compare(dashboard(run), terminal_size=SIZES[0], run_before=picture("7", drawn))
