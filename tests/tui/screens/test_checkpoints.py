import json

import pytest
from textual.widgets import Input

from tests.tui.checkpoints import save
from tests.tui.conftest import commands, record, restate, until
from tests.tui.rated import rate, version
from tests.tui.screens.pages import opened
from tests.tui.test_app import Pitch
from trainer.checkpoint_marks import Mark, read_mark, write_mark
from trainer.run_dir import RunDir
from tui.messages import MatchWanted, RollBackWanted
from tui.screens.child_dialog import ChildDialog
from tui.screens.confirm import Confirm
from tui.screens.mark_dialog import MarkDialog

KEY = "5"


def asked(run: RunDir) -> list[dict[str, object]]:
    lines = [json.loads(line) for line in run.commands.read_text().splitlines()]
    return [{name: line[name] for name in ("command", "name", "pin")} for line in lines]


async def test_checkpoints_are_listed_newest_first(run: RunDir) -> None:
    record(run)
    save(run, 1_003_520, age_s=7200)
    save(run, 2_007_040, age_s=60, mark=Mark("dribbles", pinned=True))
    async with opened(run, KEY) as page:
        await page.has_rows(2)
        assert [row[:3] for row in page.rows] == [
            ["2,007,040", "40", "1m"],
            ["1,003,520", "20", "2h"],
        ]
        assert page.rows[0][5:] == ["dribbles", "pinned", "newest"]


async def test_a_rating_that_comes_is_shown_beside_its_checkpoint(run: RunDir) -> None:
    record(run)
    save(run, 5_000_000)
    async with opened(run, KEY) as page:
        await page.has_rows(1)
        assert page.rows[0][4] == "–"
        rate(run, version(4_000_000, 120.4))
        await until(page.pilot, lambda: page.rows[0][4] == "~120", "it is shown")


async def test_an_empty_run_says_when_the_first_one_comes(run: RunDir) -> None:
    record(run)
    async with opened(run, KEY) as page:
        note = "No checkpoints yet. The first comes at 3,007,040 steps."
        await until(page.pilot, lambda: page.text("#checkpoints-note") == note, "that is said")
        await page.pilot.press("i")
        await page.says("There is no checkpoint here yet.")


async def test_a_checkpoint_that_comes_is_listed(run: RunDir) -> None:
    record(run)
    save(run, 100)
    async with opened(run, KEY) as page:
        await page.has_rows(1)
        save(run, 200)
        await page.has_rows(2)
        assert page.rows[0][0] == "200"


async def test_c_saves_one_with_a_name_and_a_pin(run: RunDir) -> None:
    record(run)
    async with opened(run, KEY) as page:
        await page.pilot.press("c")
        assert isinstance(page.app.screen, MarkDialog)
        await page.pilot.press(*"best", "enter")
        await page.says("saved at the end of this iteration")
    assert asked(run) == [{"command": "save", "name": "best", "pin": True}]


async def test_c_asks_nothing_of_a_run_that_stopped(run: RunDir) -> None:
    record(run)
    restate(run, phase="stopped")
    async with opened(run, KEY) as page:
        await page.pilot.press("c")
        await page.says("Nothing trains")
        assert page.app.screen is page.page
    assert commands(run) == []


async def test_i_pins_the_chosen_one_and_again_unpins_it(run: RunDir) -> None:
    record(run)
    folder, other = save(run, 100), save(run, 200)
    async with opened(run, KEY) as page:
        await page.has_rows(2)
        await page.pilot.press("down", "i")
        await until(page.pilot, lambda: page.rows[1][6] == "pinned", "it is pinned")
        assert (read_mark(folder), read_mark(other)) == (Mark(pinned=True), Mark())
        await page.pilot.press("i")
        await until(page.pilot, lambda: page.rows[1][6] == "", "it is unpinned")
        assert read_mark(folder) == Mark()


async def test_n_names_it_and_leaves_the_pin(run: RunDir) -> None:
    record(run)
    folder = save(run, 100, mark=Mark("old", pinned=True))
    async with opened(run, KEY) as page:
        await page.has_rows(1)
        await page.pilot.press("n")
        page.app.screen.query_one(Input).value = "new"
        await page.pilot.press("enter")
        await until(page.pilot, lambda: page.rows[0][5] == "new", "the name is shown")
    assert read_mark(folder) == Mark("new", pinned=True)


async def test_x_deletes_only_what_somebody_agreed_to(run: RunDir) -> None:
    record(run)
    folder, newest = save(run, 100), save(run, 200)
    async with opened(run, KEY) as page:
        await page.has_rows(2)
        await page.pilot.press("down", "x")
        assert isinstance(page.app.screen, Confirm)
        assert "the checkpoint of 100 steps" in page.text(".dialog-words")
        await page.pilot.press("n")
        await page.pilot.pause()
        assert folder.exists()
        await page.pilot.press("x", "y")
        await page.has_rows(1)
        await page.says("Removed the checkpoint of 100 steps.")
    assert (folder.exists(), newest.exists()) == (False, True)


async def test_a_refused_delete_is_said_and_nothing_is_gone(run: RunDir) -> None:
    record(run)
    pinned, newest = save(run, 100), save(run, 200)
    async with opened(run, KEY) as page:
        await page.has_rows(2)
        await page.pilot.press("x", "y")
        await page.says("stop the run first")
        write_mark(pinned, Mark(pinned=True))  # somebody else pins it meanwhile
        await page.pilot.press("down", "x", "y")
        await page.says("unpin it first")
    assert pinned.exists()
    assert newest.exists()


async def test_v_checks_the_files_of_one_without_a_bundle(run: RunDir) -> None:
    record(run)
    folder = save(run, 100)
    async with opened(run, KEY) as page:
        await page.has_rows(1)
        await page.pilot.press("v")
        await page.says("Every file of the checkpoint of 100 steps is as it was saved.")
        (folder / "critic.safetensors").write_bytes(b"")
        await page.pilot.press("v")
        await page.says("critic.safetensors is not what was saved")


async def test_a_program_that_refuses_is_quoted_in_its_box(run: RunDir) -> None:
    record(run)
    save(run, 100)
    (run.bundles / "100").mkdir(parents=True)
    async with opened(run, KEY) as page:
        await page.has_rows(1)
        await page.pilot.press("v")
        assert isinstance(page.app.screen, ChildDialog)
        end = "Refused (exit code 1)."
        await until(
            page.pilot, lambda: page.text("#child-state") == end, "the verdict is there", seconds=60
        )
        await page.pilot.press("escape")
        await page.pilot.pause()
        assert page.app.screen is page.page


async def test_b_says_what_a_roll_back_does_and_asks_the_app_for_it(run: RunDir) -> None:
    record(run)
    folder = save(run, 1_003_520)
    async with opened(run, KEY) as page:
        await page.has_rows(1)
        await page.pilot.press("b")
        assert page.text(".dialog-words") == (
            "Stops 1v1 after its iteration (saved), then goes on from 1.00M steps as a new run "
            "1v1-from-1M; 1v1 stays as it is."
        )
        await page.pilot.press("n", "b", "y")
        await page.pilot.pause()
        (wanted,) = page.asked(RollBackWanted)
    assert (wanted.checkpoint, wanted.new_run) == (folder, run.path.with_name("1v1-from-1M"))
    assert commands(run) == []


async def test_m_chooses_blue_then_orange_and_asks_the_app_for_the_match(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    Pitch(monkeypatch)
    record(run)
    older, newer = save(run, 100), save(run, 200)
    async with opened(run, KEY) as page:
        await page.has_rows(2)
        await page.pilot.press("m")
        assert page.rows[0][7] == "plays blue"
        await page.pilot.press("escape")
        assert page.rows[0][7] == "newest"
        await page.pilot.press("m", "down", "m")
        await page.pilot.pause()
        (wanted,) = page.asked(MatchWanted)
    assert (wanted.blue, wanted.orange) == (newer, older)
