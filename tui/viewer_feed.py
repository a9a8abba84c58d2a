"""The viewer as a child process: starts it, hands on its newest frame, ends it.

The child lives as long as its standard input stays open, so it cannot outlive this process. A child
that fails is reported, never raised. Knows no widget. Tested by `tests/tui/test_viewer_feed.py`.
"""

import asyncio
import contextlib
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence

from trainer.frames import Frame, from_line
from tui.pitch_source import LIVE

PATIENCE_S = 2.0
"""How long a child may take to end by itself once it is asked to."""


class ViewerFeed:
    """One child process and what it prints; for one `run`."""

    orders = LIVE

    def __init__(
        self,
        command: Sequence[str],
        deterministic: bool,
        on_frame: Callable[[Frame], None],
        on_failure: Callable[[str], None],
    ) -> None:
        """Nothing starts before `run`.

        Args:
            command: Program and arguments of the viewer.
            deterministic: Whether it plays its likeliest action at first.
            on_frame: Gets the newest frame of whatever arrived together.
            on_failure: Gets one sentence when the child ended though nobody asked it to.
        """
        self._command = command
        self._unsaid: list[str] = []
        self._on_frame = on_frame
        self._on_failure = on_failure
        self._process: Process | None = None
        self._stopping = False
        self.set_deterministic(deterministic)

    async def run(self) -> None:
        """Start the child, read it to its end and reap it."""
        try:
            self._process = process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True
            )
        except OSError as error:
            self._fail(f"The viewer cannot start: {error}")
            return
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            for line in self._unsaid:
                self.say(line)
            if self._stopping:  # somebody did not even wait for the start
                self.stop()
            reading = self._read(process.stdout), _last_line(process.stderr)
            _, last_words = await asyncio.gather(*reading)
            code = await process.wait()
        finally:
            _kill(process)
        self._fail(f"The viewer ended ({code}): {last_words or 'it said nothing'}")

    def set_deterministic(self, deterministic: bool) -> None:
        """Tell the child how to play, now or as soon as it has started."""
        self.say("deterministic on" if deterministic else "deterministic off")

    def say(self, line: str) -> None:
        """Ask the child for something, now or as soon as it has started."""
        if self._process is None:
            self._unsaid.append(line)
        elif self._process.stdin is not None and not self._process.stdin.is_closing():
            self._process.stdin.write(f"{line}\n".encode())

    def stop(self) -> None:
        """Ask the child to end; `run` returns when it has, or when it was killed for not ending."""
        self._stopping = True
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            asyncio.get_running_loop().call_later(PATIENCE_S, _kill, self._process)

    async def _read(self, stream: asyncio.StreamReader) -> None:
        rest = b""
        while data := await stream.read(1 << 16):
            *lines, rest = (rest + data).split(b"\n")
            frames = (from_line(line) for line in reversed(lines))
            newest = next((frame for frame in frames if frame is not None), None)
            if newest is not None and not self._stopping:
                self._on_frame(newest)

    def _fail(self, sentence: str) -> None:
        if not self._stopping:
            self._on_failure(sentence)


async def _last_line(stream: asyncio.StreamReader) -> str:
    """The last line with a word in it, read to the end."""
    tail = b""
    while data := await stream.read(1 << 16):
        tail = (tail + data)[-4096:]
    lines = tail.decode(errors="replace").strip().splitlines()
    return lines[-1].strip() if lines else ""


def _kill(process: Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
