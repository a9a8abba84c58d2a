"""A run folder may be damaged in any way: the dashboard shows what is left of it."""

import shutil
from collections.abc import Callable

import pytest

from tests.tui.conftest import dashboard, record, restate, until
from trainer.run_dir import RunDir, read_status
from tui.pages import PAGES

GOOD = b'{"iteration": 49, "steps": 9999999, "time": 1700000150, "Reward/total": 1}\n'


SWAPS = [
    (b"9999999", b"1" + b"0" * 30),
    (b"9999999", b"1e999"),
    (b"9999999", b"-5"),
    (b"1700000150", b"NaN"),
    (b"1700000150", b"1e300"),
    (b'total": 1', b'total": 1' + b"0" * 400),
    (b'total": 1', b'[/x]": 1e308, "": 2'),
]
PLACES = [(b"1", b"1e999"), (b"1e999", b"1"), (b"NaN", b"1"), (b"1e18", b"1")]


def folders_for_files(run: RunDir) -> None:
    for file in (run.metrics, run.events):
        file.unlink()
        file.mkdir()


def a_phase_of_tomorrow_before_any_metrics(run: RunDir) -> None:
    restate(run, phase="dreaming")
    run.metrics.unlink()


def lines_that_nobody_can_draw(run: RunDir) -> None:
    with run.metrics.open("ab") as metrics, run.events.open("ab") as events:
        metrics.writelines(GOOD.replace(before, after) for before, after in SWAPS)
        metrics.write(GOOD[:20])
        told = b'{"kind": "save", "text": "[/b] [red", "time": %s, "steps": %s}\n'
        events.writelines(told % place for place in PLACES)
        events.write(b"[" * 100_000 + b"\n")


def no_folder(run: RunDir) -> None:
    shutil.rmtree(run.path)


DAMAGES = [
    folders_for_files,
    a_phase_of_tomorrow_before_any_metrics,
    lines_that_nobody_can_draw,
    no_folder,
]


@pytest.mark.parametrize("damage", DAMAGES)
async def test_every_page_of_a_damaged_run_opens(
    run: RunDir, damage: Callable[[RunDir], None]
) -> None:
    record(run)
    damage(run)
    app = dashboard(run)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app._known.status == read_status(run), "it was looked at")
        for page in PAGES:
            await app.action_page(page.id)
            await pilot.pause()
            assert app.current_mode == page.id
