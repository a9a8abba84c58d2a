from pathlib import Path

import pytest

from tests.tui.conftest import until
from trainer.run_dir import RunDir
from tui.launcher import Launch
from tui.look import Look
from tui.new_run_app import NewRunApp
from tui.screens.new_run import NewRun


async def test_it_ends_with_what_the_form_gives() -> None:
    app = NewRunApp(Look(), Path("mine"))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, NewRun), "the form is open")
        await pilot.pause()
        await pilot.press("f9")
        await until(pilot, lambda: app.return_value is not None, "the run is made")
    assert app.return_value == Launch(RunDir(Path("mine/laptop")))
    assert Path("mine/laptop/config.toml").exists()


@pytest.mark.parametrize("key", ["escape", "ctrl+c", "ctrl+q"])
async def test_it_ends_without_a_run(key: str) -> None:
    app = NewRunApp(Look())
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, NewRun), "the form is open")
        await pilot.pause()
        await pilot.press(key)
        await until(pilot, lambda: not app.is_running, "it ends")
    assert app.return_value is None
    assert [path.name for path in Path("runs").iterdir()] == ["1v1"]
