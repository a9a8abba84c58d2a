"""`rlppo-tui replay FILE` with real files, by its keys and by its command line."""

import asyncio
import gzip
import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S
from tests.tui.games import CARS, game
from trainer.replay import ReplayHeader, read_replay, write_replay
from tui import __main__ as entry
from tui.look import Look
from tui.pitch import PitchPanel
from tui.replay_app import ReplayApp, place_line
from tui.replay_deck import Place

HEADER = ReplayHeader(10, "1v1", ("newest", "5.0M steps"), tuple(car.team for car in CARS))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Three rallies of 20 s each."""
    path = tmp_path / "game.jsonl.gz"
    write_replay(path, HEADER, game((201, 201, 201)))
    return path


def shown(app: ReplayApp) -> str:
    pitch = app.query_one(PitchPanel)
    return "\n".join(pitch.render_line(y).text for y in range(pitch.size.height))


def place(app: ReplayApp) -> str:
    return str(app.query_one("#place").render())


async def until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not happened():
            await asyncio.sleep(0.01)


async def test_keys_play_a_recorded_game(file: Path) -> None:
    app = ReplayApp(*read_replay(file), Look())
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: "rally 1 of 3" in place(app) and "reading" not in place(app))
        await until(lambda: app.query_one(PitchPanel).has_focus)
        await pilot.press("space")
        await until(lambda: "1:40 paused" in shown(app))  # the game began at 100 s
        assert place(app).startswith("0:00 / 1:00")
        await pilot.press("right", "right")
        await until(lambda: "1:50 paused" in shown(app))
        assert place(app).startswith("0:10 / 1:00")
        await pilot.press("left")
        await until(lambda: place(app).startswith("0:05"))
        await pilot.press("k", "k")
        await until(lambda: "rally 3 of 3" in place(app))
        await pilot.press("j")
        await until(lambda: "rally 2 of 3" in place(app))
        assert "▸ Orange" in shown(app)
        await pilot.press("f", "f")
        await until(lambda: "▸ Blue" in shown(app))
        await pilot.press("comma", "space")
        await until(lambda: "0.5x" in shown(app))
        await pilot.press("q")
    assert app.return_code == 0


async def test_keys_of_a_live_game_are_not_there(file: Path) -> None:
    app = ReplayApp(*read_replay(file), Look())
    async with app.run_test(size=(120, 40)):
        await until(lambda: app.query_one(PitchPanel).has_focus and "5 s back" in shown(app))
        for live in ("who plays", "record"):
            assert live not in shown(app)


@pytest.mark.parametrize(
    ("width", "line"),
    [
        # 40 cells: 11 of times, 12 of rally, 4 between; 13 are left, of which a third is lit.
        (40, "0:20 / 1:00  ━━━━─────────  rally 2 of 3"),
        (20, "0:20 / 1:00    rally"),
        (0, ""),
    ],
)
def test_the_place_is_a_bar_between_time_and_rally(width: int, line: str) -> None:
    assert place_line(Place(20.0, 60.0, 2, 3, complete=True), width) == line


def test_a_game_that_is_still_read_says_so() -> None:
    assert place_line(Place(0.0, 0.0, 1, 1, complete=False), 60).endswith("rally 1 of 1, reading…")


def refusal(capsys: pytest.CaptureFixture[str], file: Path) -> str:
    assert entry.run_command(["replay", str(file)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


def test_a_file_that_is_no_replay_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, other = tmp_path / "text", tmp_path / "other.jsonl.gz"
    text.write_text("hello\n")
    other.write_bytes(gzip.compress(b'{"hello": 1}\n'))
    assert "is no replay" in refusal(capsys, text)
    assert "is no replay" in refusal(capsys, other)
    assert "cannot be opened" in refusal(capsys, tmp_path / "missing")


def test_without_a_terminal_a_replay_is_refused(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "no terminal" in refusal(capsys, file)


@pytest.mark.parametrize("end", ["q", "sigterm"])
def test_in_a_real_terminal_it_plays_and_gives_the_terminal_back(file: Path, end: str) -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "tui", "replay", str(file)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=os.environ | {"TERM": "xterm-256color", "PYTHONPATH": str(Path(__file__).parents[2])},
        start_new_session=True,
    )
    os.close(slave)
    output = bytearray()
    playing = threading.Event()

    def read() -> None:
        try:
            while data := os.read(master, 1 << 16):
                output.extend(data)
                if b"rally" in output:
                    playing.set()
        except OSError:
            return

    pump = threading.Thread(target=read)
    pump.start()
    try:
        assert playing.wait(PATIENCE_S), bytes(output[-2000:])
        if end == "q":
            os.write(master, b"q")
        else:
            process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.wait(PATIENCE_S)
        pump.join(PATIENCE_S)
        os.close(master)
    assert output.rfind(b"\x1b[?1049l") > output.rfind(b"\x1b[?1049h") >= 0
