"""`textual serve` with the dashboard on a fake trainer, and a headless Chromium that looks on."""

import asyncio
import contextlib
import os
import shlex
import shutil
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from aiohttp import ClientError, ClientSession, ClientWebSocketResponse

from tests.patience import PATIENCE_S
from tests.tui.pseudo_terminal import START, own_environment
from trainer.run_dir import RunDir

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_CHROMIUM_FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0")
# The page keeps its terminal in a variable of its own. This lays hands on it as it is made.
_SHOW_TERMINAL = """
Object.defineProperty(Object.prototype, "fitAddon", {configurable: true, set(value) {
    window.page = this;
    Object.defineProperty(this, "fitAddon", {value, writable: true});
}});
"""
_TEXT = """
(() => {
    if (!window.page) return "";
    const buffer = window.page.terminal.buffer.active;
    const lines = Array.from({length: window.page.terminal.rows}, (_, row) => buffer.getLine(row));
    return lines.map(line => line ? line.translateToString(true) : "").join("\\n");
})()
"""


async def eventually(true: Callable[[], Any], what: str, seconds: float = PATIENCE_S) -> None:
    """Wait until `true()`, which may be a coroutine's function; else say for `what` in vain."""
    end = asyncio.get_running_loop().time() + seconds
    while True:
        found = true()
        if await found if asyncio.iscoroutine(found) else found:
            return
        assert asyncio.get_running_loop().time() < end, f"waited {seconds} s in vain until {what}"
        await asyncio.sleep(0.05)


@contextlib.asynccontextmanager
async def serving(run: RunDir) -> AsyncIterator[str]:
    """`textual serve --command …` as the guide has it; gives the address."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    dashboard = (sys.executable, "-c", START.format("0"), "--run", str(run.path.resolve()))
    textual = str(Path(sys.executable).with_name("textual"))
    words = (textual, "serve", "--port", str(port), "--command", shlex.join(dashboard))
    with (run.path.parent / "server.log").open("wb") as log:
        env = os.environ | own_environment(run)
        server = await asyncio.create_subprocess_exec(*words, stdout=log, stderr=log, env=env)
    try:
        await eventually(lambda: _answers(port), "the server answers")
        yield f"http://localhost:{port}"
    finally:
        with contextlib.suppress(ProcessLookupError):
            server.send_signal(signal.SIGINT)
        await asyncio.wait_for(server.wait(), PATIENCE_S)


async def _answers(port: int) -> bool:
    with contextlib.suppress(OSError):
        _, writer = await asyncio.open_connection("localhost", port)
        writer.close()
        await writer.wait_closed()
        return True
    return False


class Browser:
    """One page of a Chromium, by the Chrome DevTools protocol."""

    def __init__(self, tools: ClientWebSocketResponse) -> None:
        self._tools = tools
        self._asked = 0

    async def ask(self, method: str, **values: object) -> dict[str, Any]:
        """Do `method`, and give its result; events on the way are passed over."""
        self._asked += 1
        await self._tools.send_json({"id": self._asked, "method": method, "params": values})
        while (answer := await self._tools.receive_json(timeout=30)).get("id") != self._asked:
            pass
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    async def open(self, address: str) -> None:
        await self.ask("Page.addScriptToEvaluateOnNewDocument", source=_SHOW_TERMINAL)
        await self.ask("Page.navigate", url=address)

    async def text(self) -> str:
        """What the terminal in the page shows."""
        answer = await self.ask("Runtime.evaluate", expression=_TEXT)
        return str(answer["result"].get("value", answer))

    async def says(self, word: str) -> bool:
        return word in await self.text()

    async def click(self) -> None:
        """Into the head of the page: until then its terminal has not the keyboard."""
        place = {"x": 20, "y": 10, "button": "left", "clickCount": 1}
        await self.ask("Input.dispatchMouseEvent", type="mousePressed", **place)
        await self.ask("Input.dispatchMouseEvent", type="mouseReleased", **place)

    async def press(self, letter: str) -> None:
        """As a person at the keyboard."""
        code = {"key": letter, "code": f"Key{letter.upper()}", "text": letter}
        await self.ask("Input.dispatchKeyEvent", type="keyDown", **code)
        await self.ask("Input.dispatchKeyEvent", type="keyUp", **code)


@contextlib.asynccontextmanager
async def browser(profile: Path) -> AsyncIterator[Browser]:
    """A Chromium of its own, with an empty page."""
    assert CHROMIUM
    words = (CHROMIUM, *_CHROMIUM_FLAGS, f"--user-data-dir={profile}", "about:blank")
    with (profile.parent / "chromium.log").open("wb") as log:
        child = await asyncio.create_subprocess_exec(*words, stdout=log, stderr=log)
    try:
        port_file = profile / "DevToolsActivePort"
        await eventually(port_file.exists, "Chromium has started")
        port = port_file.read_text().splitlines()[0]
        async with ClientSession() as session:
            async with session.get(f"http://localhost:{port}/json/list") as answer:
                pages = [tab for tab in await answer.json() if tab["type"] == "page"]
            address = pages[0]["webSocketDebuggerUrl"]
            async with session.ws_connect(address, max_msg_size=0) as tools:
                opened = Browser(tools)
                await opened.ask("Page.enable")
                yield opened
                with contextlib.suppress(ClientError, TypeError):  # gone before it answers
                    await opened.ask("Browser.close")
    finally:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.terminate()
        await asyncio.wait_for(child.wait(), PATIENCE_S)
