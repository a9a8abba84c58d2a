"""A run folder may be damaged in any way: the dashboard shows what is left of it."""

import shutil
from collections.abc import Callable

import pytest

from tests.tui.conftest import dashboard, record, restate, until
from trainer.run_dir import RunDir, read_status
from tui.pages import PAGES

GOOD = b'{"iteration": 49, "steps": 9999999, "time": 1700000150, "Reward/total": 1}\n'


def a_folder_for_metrics(run: RunDir) -> None:
    run.metrics.unlink()
    run.metrics.mkdir()


def a_folder_for_events(run: RunDir) -> None:
    run.events.unlink()
    run.events.mkdir()


def a_phase_of_tomorrow_before_any_metrics(run: RunDir) -> None:
    restate(run, phase="dreaming")
    run.metrics.unlink()


def a_cut_line(run: RunDir) -> None:
    data = run.metrics.read_bytes()
    run.metrics.write_bytes(data[: len(data) // 2 + 7])


def no_folder(run: RunDir) -> None:
    shutil.rmtree(run.path)


def appended(line: bytes) -> Callable[[RunDir], None]:
    def damage(run: RunDir) -> None:
        with run.metrics.open("ab") as file:
            file.write(line)

    return damage


def told(line: bytes) -> Callable[[RunDir], None]:
    def damage(run: RunDir) -> None:
        with run.events.open("ab") as file:
            file.write(line)

    return damage


DAMAGES = [
    a_folder_for_metrics,
    a_folder_for_events,
    a_phase_of_tomorrow_before_any_metrics,
    a_cut_line,
    no_folder,
    *(
        appended(GOOD.replace(before, after))
        for before, after in [
            (b"9999999", b"1" + b"0" * 30),
            (b"9999999", b"1e999"),
            (b"9999999", b"-5"),
            (b"1700000150", b"NaN"),
            (b"1700000150", b"1e300"),
            (b'total": 1', b'[/x]": 1e308, "": 2'),
            (b'total": 1', b'total": 1' + b"0" * 400),
        ]
    ),
    *(
        told(b'{"kind": "save", "text": "[/b] [red", "time": %s, "steps": %s}\n' % (time, steps))
        for time, steps in [(b"1", b"1e999"), (b"1e999", b"1"), (b"NaN", b"1"), (b"1e18", b"1")]
    ),
    told(b"[" * 100_000 + b"\n"),
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
