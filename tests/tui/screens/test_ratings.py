import sys
import time

import pytest

from tests.tui.conftest import NOW, record, restate, until
from tests.tui.rated import SOME, play_ladder, played, rate, version
from tests.tui.screens.pages import Opened, opened
from trainer.config import RunConfig
from trainer.config_file import write_config
from trainer.control import tell
from trainer.live import edited
from trainer.ratings.table import Ratings, write_ratings
from trainer.run_dir import RunDir
from tui import looking
from tui.screens import ratings
from tui.screens.child_dialog import ChildDialog
from tui.widgets.keyed_table import KeyedTable
from tui.widgets.rating_chart import RatingChart

KEY = "0"
LADDER = "print('played 48 games')"


@pytest.fixture(autouse=True)
def _look_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "LOOK_S", 0.05)


def lines(page: Opened, table: str = "#ratings") -> list[list[str]]:
    found = page.page.query_one(table, KeyedTable)
    return [[cell.plain for cell in found.get_row_at(row)] for row in range(found.row_count)]


def curve(page: Opened) -> str:
    chart = page.page.query_one(RatingChart)
    return "\n".join(chart.render_line(y).text for y in range(chart.content_size.height))


async def says(page: Opened, words: str, place: str = "#ratings-note") -> None:
    await until(page.pilot, lambda: words in page.text(place), f"{words!r} is said")


async def has(page: Opened, number: int, table: str = "#ratings") -> None:
    await until(page.pilot, lambda: len(lines(page, table)) == number, f"{number} rows are there")
    await page.pilot.pause()


async def test_the_step_of_the_first_version_is_said_while_nobody_is_rated(run: RunDir) -> None:
    record(run)
    async with opened(run, KEY) as page:
        await says(page, "The first version comes at 5,000,000 steps.")
        assert not page.page.query_one(RatingChart).display
        assert "`rlppo ladder runs/1v1`" in page.text("#ladder-title")


async def test_an_edit_that_ends_the_versions_is_said_too(run: RunDir) -> None:
    record(run)
    async with opened(run, KEY) as page:
        await says(page, "The first version")
        write_config(run.config, edited(RunConfig(), {"versions.every_steps": 0}))
        tell(run, "edit", "set versions.every_steps", 0)
        await says(page, "versions.every_steps is 0")


async def test_versions_and_anchors_stand_in_curve_and_table(run: RunDir) -> None:
    record(run)
    restate(run, steps=21_000_000)
    rate(run, *SOME)
    async with opened(run, KEY) as page:
        await has(page, 6)
        assert [row[0] for row in lines(page)] == [
            "▸ 20,000,000", "  15,000,000", "  10,000,000", "  5,000,000", "  chaser", "  random",
        ]  # fmt: skip
        assert lines(page)[0][1:] == ["455", "180", "12", "6-3-3", "not yet sure"]
        title = str(page.page.query_one(RatingChart).border_title)
        assert title == "Rating in 1v1: 455 ± 180 at 20,000,000 steps"
        drawn = curve(page)
        assert " chaser 400 ─" in drawn
        assert " random 0 ─" in drawn
        assert "20M" in drawn


async def test_ratings_appear_change_and_vanish_while_the_page_is_open(run: RunDir) -> None:
    record(run)
    async with opened(run, KEY) as page:
        await says(page, "Nobody is rated yet.")
        rate(run, SOME[0])
        await has(page, 3)
        assert page.page.query_one(RatingChart).display
        rate(run, *SOME[:2])
        await has(page, 4)
        assert lines(page)[0][0] == "▸ 10,000,000"
        run.ratings.unlink()
        await has(page, 0)
        await says(page, "Nobody is rated yet.")


async def test_a_damaged_file_is_said_and_what_was_read_before_stays(run: RunDir) -> None:
    record(run)
    rate(run, *SOME)
    play_ladder(run)
    async with opened(run, KEY) as page:
        await has(page, 6)
        run.ratings.write_bytes(run.ratings.read_bytes()[:100])
        run.ladder.write_text('{"rounds": [{"mode": 7}]}')
        await says(page, "ratings.json cannot be read: what is shown was read before.")
        await says(page, "ladder.json cannot be read", "#ladder-title")
        assert (len(lines(page)), len(lines(page, "#ladder"))) == (6, 3)
        rate(run, SOME[0])
        await has(page, 3)
        assert page.text("#ratings-note") == ""


async def test_m_and_a_click_show_another_mode(run: RunDir) -> None:
    record(run)
    rate(run, *SOME, m2v2=(version(5_000_000, -80.0, None),))
    play_ladder(run, played("1v1"))
    async with opened(run, KEY) as page:
        await has(page, 6)
        assert page.text("#ratings-modes") == "1v1  2v2"
        await page.pilot.press("m")
        await has(page, 3)
        assert lines(page)[0] == ["▸ 5,000,000", "-80", "–", "96", "48-24-24", ""]
        assert "No ladder in 2v2 yet" in page.text("#ladder-title")
        await page.pilot.click("#ratings-modes", offset=(2, 0))
        await has(page, 6)
        await page.pilot.press("M", "M")
        await has(page, 6)
        assert len(lines(page, "#ladder")) == 3


async def test_m_with_one_mode_changes_nothing(run: RunDir) -> None:
    record(run)
    rate(run, *SOME)
    async with opened(run, KEY) as page:
        await has(page, 6)
        await page.pilot.press("m")
        await has(page, 6)


async def test_the_chosen_cell_of_the_ladder_says_how_sure_it_is(run: RunDir) -> None:
    record(run)
    play_ladder(run)
    async with opened(run, KEY) as page:
        await has(page, 3, "#ladder")
        assert page.text("#ladder-title") == ("Ladder, 2h old: games of 60 s, likeliest actions")
        page.page.query_one("#ladder", KeyedTable).focus()
        await page.pilot.press("right", "right", "right")
        await says(page, "15,000,000 v chaser: 0.62 (0.40 to 0.80) points a game", "#ladder-cell")
        await page.pilot.press("down", "left")
        await says(page, "chaser v 15,000,000: 0.38 (0.20 to 0.60) points a game", "#ladder-cell")


async def test_l_plays_a_ladder_in_view(run: RunDir, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "RLPPO", (sys.executable, "-c", LADDER))
    record(run)
    async with opened(run, KEY) as page:
        await says(page, "Nobody")
        await page.pilot.press("l")
        assert isinstance(page.app.screen, ChildDialog)
        assert page.app.screen._command[-2:] == ("ladder", "runs/1v1")
        await says(page, "Done: played 48 games", "#child-state")
        play_ladder(run)
        await page.pilot.press("escape")
        await has(page, 3, "#ladder")


async def test_a_thousand_versions_cost_little_a_frame_also_when_all_of_them_move(
    run: RunDir,
) -> None:
    record(run)
    rate(run, *(version(5_000_000 * n, n / 2) for n in range(1, 1001)))
    async with opened(run, KEY) as page:
        await has(page, 102)
        await says(page, "900 earlier versions are in the curve alone.")
        known, chart = page.page.known, page.page.query_one(RatingChart)
        assert known is not None
        begin = time.process_time()
        for _ in range(20):
            page.page.show(known)
        told = (time.process_time() - begin) / 20
        chart._strips = None
        begin = time.process_time()
        curve(page)
        drawn = time.process_time() - begin
        rate(run, *(version(5_000_000 * n, n / 2 + 10) for n in range(1, 1001)))
        await until(page.pilot, lambda: lines(page)[0][1] == "510", "they moved")
    assert told < 0.016
    assert drawn < 0.016 * 4  # a quarter of it on a quiet core


async def test_a_mode_whose_name_is_no_mode_is_shown_and_never_run(run: RunDir) -> None:
    record(run)
    both = {"1v1": (SOME[0],), "')][b": (SOME[1],)}
    write_ratings(run.ratings, Ratings("elo", 30, NOW, both))
    async with opened(run, KEY) as page:
        await has(page, 1)
        assert page.text("#ratings-modes") == "1v1"
