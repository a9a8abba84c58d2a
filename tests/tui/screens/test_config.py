import json
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import DataTable, Static

from tests.patience import PATIENCE_S
from tests.trainer.tiny import tiny_config
from tests.tui.children import no_child_is_left
from tests.tui.conftest import dashboard, record, restate, shown, until
from trainer.config import RunConfig
from trainer.config_file import load_config, write_config
from trainer.control import send, tell
from trainer.live import edited
from trainer.run_dir import RunDir
from trainer.session import lock_run
from tui.app import Dashboard
from tui.launcher import Launch, start
from tui.screens.config import ConfigScreen
from tui.screens.edit_form import EditForm
from tui.watched import Watched

Compare = Callable[..., bool]
TINY = tiny_config("ppo.steps_per_iteration=1024", "ppo.batch_size=1024", "ppo.minibatch_size=1024")
CONFIG = edited(RunConfig(), {"ppo.learning_rate": 3e-4, "rewards.custom": {"mine:spin": 2.0}})


@pytest.fixture
def trained(run: RunDir) -> RunDir:
    """A run that this process seems to train."""
    record(run)
    write_config(run.config, CONFIG)
    return run


async def open_page(pilot: Pilot[Any]) -> ConfigScreen:
    await shown(pilot)
    await pilot.press("6")
    await pilot.pause()
    page = pilot.app.screen
    assert isinstance(page, ConfigScreen)
    return page


def rows(page: ConfigScreen) -> list[str]:
    table = page.query_one(DataTable)
    return [str(key.value) for key in table.rows]


def said(page: ConfigScreen, place: str) -> str:
    return str(page.query_one(place, Static).visual)


def sent(run: RunDir) -> list[dict[str, Any]]:
    text = run.commands.read_text() if run.commands.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


async def edit(pilot: Pilot[Any], find: str, typed: str) -> None:
    """Find a setting, type another value of it, and send that."""
    await pilot.press("slash", *find, "enter", "enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, EditForm), "the form is open")
    await pilot.pause()
    await pilot.press(*typed)
    await pilot.press("enter")
    await until(pilot, lambda: not isinstance(pilot.app.screen, EditForm), "it is sent")


async def test_every_setting_is_there_and_a_search_finds_it(trained: RunDir) -> None:
    app = dashboard(trained, CONFIG)
    async with app.run_test(size=(120, 40)) as pilot:
        page = await open_page(pilot)
        assert len(rows(page)) > 80
        await pilot.press("slash", *"value l")
        await pilot.pause()
        found = rows(page)
        assert "ppo.value_clip" in found
        assert len(found) < 40
        await pilot.press(*"xyz")
        await pilot.pause()
        assert rows(page) == []
        assert said(page, "#setting-help") == "No setting has all of these words."
        await pilot.press("escape")
        await pilot.pause()
        assert len(rows(page)) > 80
        assert page.query_one(DataTable).has_focus


async def test_the_line_that_is_sent_says_what_was_typed_and_the_answer_is_shown(
    trained: RunDir,
) -> None:
    app = dashboard(trained, CONFIG)
    async with app.run_test(size=(120, 40)) as pilot:
        page = await open_page(pilot)
        await edit(pilot, "ppo.learning_rate", "1e-4")
        (command,) = sent(trained)
        assert (command["command"], command["values"]) == ("set", {"ppo.learning_rate": 1e-4})
        assert set(command) == {"time", "command", "values", "id"}
        assert said(page, "#answer").startswith("sent: ")
        write_config(trained.config, edited(CONFIG, command["values"]))
        tell(trained, "edit", "set it, from iteration 49 on", 0, command["id"])
        tell(trained, "edit", "set something else", 0, "another id")
        await until(pilot, lambda: "iteration 49" in said(page, "#answer"), "it is answered")
        assert not page.query_one("#answer").has_class("-refused")
        table = page.query_one(DataTable)
        await until(
            pilot,
            lambda: str(table.get_row("ppo.learning_rate")[1]) == "0.0001",
            "the new value is in the table",
        )


async def test_the_trainers_refusal_is_shown_as_one(trained: RunDir) -> None:
    app = dashboard(trained, CONFIG)
    async with app.run_test(size=(120, 40)) as pilot:
        page = await open_page(pilot)
        await edit(pilot, "rewards.touch", "3")
        (command,) = sent(trained)
        tell(trained, "warning", "set: not now; nothing was changed", 0, command["id"])
        await until(pilot, lambda: "not now" in said(page, "#answer"), "it is answered")
        assert page.query_one("#answer").has_class("-refused")


async def test_a_trainer_that_ends_without_an_answer_is_told_of(trained: RunDir) -> None:
    app = dashboard(trained, CONFIG)
    async with app.run_test(size=(120, 40)) as pilot:
        page = await open_page(pilot)
        await edit(pilot, "rewards.touch", "3")
        restate(trained, phase="stopped")
        await until(pilot, lambda: "before it answered" in said(page, "#answer"), "it is told")


async def test_a_setting_that_is_fixed_says_why_and_what_to_do(trained: RunDir) -> None:
    app = dashboard(trained, CONFIG)
    async with app.run_test(size=(120, 40)) as pilot:
        page = await open_page(pilot)
        await pilot.press("slash", *"sim.arenas", "enter", "e")
        await pilot.pause()
        assert app.screen is page
        why = "sim.arenas cannot change while the run trains: stop the run, set it then"
        assert why in said(page, "#setting-help").replace("\n", " ")
        assert sent(trained) == []


async def test_with_nobody_training_the_config_is_written_for_the_resume(trained: RunDir) -> None:
    restate(trained, phase="stopped")
    app = dashboard(trained, CONFIG)
    async with app.run_test(size=(120, 40)) as pilot:
        page = await open_page(pilot)
        await edit(pilot, "sim.arenas", "64")
        await until(pilot, lambda: "nobody trains" in said(page, "#answer"), "it is written")
        assert load_config(trained.config) == edited(CONFIG, {"sim.arenas": 64})
        assert sent(trained) == []
        table = page.query_one(DataTable)
        await until(pilot, lambda: str(table.get_row("sim.arenas")[1]) == "64", "the table says it")


async def test_a_run_that_somebody_holds_is_not_written_over(trained: RunDir) -> None:
    restate(trained, phase="stopped")
    app = dashboard(trained, CONFIG)
    async with app.run_test(size=(120, 40)) as pilot:
        page = await open_page(pilot)
        with lock_run(trained):
            await edit(pilot, "sim.arenas", "64")
            await until(pilot, lambda: "already" in said(page, "#answer"), "it is refused")
        assert page.query_one("#answer").has_class("-refused")
        assert load_config(trained.config) == CONFIG


@pytest.fixture
def child(run: RunDir) -> Iterator[subprocess.Popen[bytes]]:
    """A real trainer of a tiny run, with iterations that leave the dashboard some time."""
    write_config(run.config, TINY)
    trainer = start(Launch(run))
    yield trainer
    trainer.kill()
    trainer.wait(PATIENCE_S)


async def test_a_real_trainer_takes_an_edit_from_the_form_and_its_config_says_it(
    run: RunDir, child: subprocess.Popen[bytes]
) -> None:
    app = Dashboard(Watched(run, TINY, child))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.situation == "running", "it trains")
        await pilot.press("6")
        await pilot.pause()
        page = app.screen
        assert isinstance(page, ConfigScreen)
        await edit(pilot, "ppo.learning_rate", "3e-4")
        words = "set ppo.learning_rate 0.001 -> 0.0003, from iteration "
        await until(pilot, lambda: said(page, "#answer").startswith(words), "it answers")
        assert load_config(run.config) == edited(TINY, {"ppo.learning_rate": 3e-4})
        table = page.query_one(DataTable)
        await until(
            pilot,
            lambda: str(table.get_row("ppo.learning_rate")[1]) == "0.0003",
            "the table says it",
        )
        send(run, "quit")
        await until(pilot, lambda: app.situation == "stopped", "it stops")
    assert child.wait(PATIENCE_S) == 0
    assert no_child_is_left()


@pytest.mark.parametrize("size", [(120, 40), (60, 16)])
def test_all_settings(snap_compare: Compare, trained: RunDir, size: tuple[int, int]) -> None:
    async def opened(pilot: Pilot[Any]) -> None:
        page = await open_page(pilot)
        page.query_one(DataTable).move_cursor(row=3)
        await pilot.pause()

    assert snap_compare(dashboard(trained, CONFIG), terminal_size=size, run_before=opened)


def test_an_answered_edit(snap_compare: Compare, trained: RunDir) -> None:
    async def answered(pilot: Pilot[Any]) -> None:
        page = await open_page(pilot)
        await edit(pilot, "learning rate", "1e-4")
        (command,) = sent(trained)
        words = "set ppo.learning_rate 0.0003 -> 0.0001, from iteration 49 on"
        tell(trained, "edit", words, 2_410_000, command["id"])
        await until(pilot, lambda: said(page, "#answer") == words, "it is answered")
        await pilot.pause()

    assert snap_compare(dashboard(trained, CONFIG), terminal_size=(120, 40), run_before=answered)
