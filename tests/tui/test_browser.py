"""The dashboard in a browser, by the one command that the guide names."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("textual_serve", reason="the extra `web` is not installed")

from aiohttp import ClientSession, WSMsgType

from tests.tui.conftest import commands
from tests.tui.serving import CHROMIUM, browser, eventually, serving
from trainer.run_dir import RunDir, read_status


@pytest.fixture(autouse=True)
def _no_trainer_is_left(run: RunDir) -> Iterator[None]:
    yield
    if (status := read_status(run)) and status.alive:
        os.kill(status.pid, signal.SIGTERM)


def trains(run: RunDir) -> bool:
    status = read_status(run)
    return status is not None and status.alive


async def test_the_server_shows_the_run_takes_keys_and_training_outlives_the_tab(
    run: RunDir,
) -> None:
    seen = bytearray()
    async with serving(run) as address, ClientSession() as session:
        async with session.ws_connect(f"{address}/ws?width=120&height=40") as tab:
            async for message in tab:
                if message.type is WSMsgType.BINARY:
                    seen += message.data
                if b"collecting" in seen and "save" not in commands(run):
                    await tab.send_json(["stdin", "s"])
                if b"A checkpoint is saved" in seen:
                    break
        assert b"1v1" in seen
        assert "save" in commands(run)
        assert trains(run)
    assert trains(run)


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here")
async def test_a_real_browser_shows_the_run_and_a_key_in_it_reaches_the_trainer(
    run: RunDir, tmp_path: Path
) -> None:
    async with serving(run) as address, browser(tmp_path / "profile") as page:
        await page.open(address)
        await eventually(lambda: page.says("collecting"), "the page shows what the trainer does")
        shown = await page.text()
        assert "1v1" in shown
        assert "1 Dashboard" in shown
        await page.click()
        await page.press("s")
        await eventually(lambda: "save" in commands(run), "the key is a command")
        await eventually(lambda: page.says("Saved on demand."), "the trainer's answer is shown")
        assert trains(run)
