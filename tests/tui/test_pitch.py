"""The pitch as a widget of an app, fed by a fake viewer process."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.strip import Strip

from benchmarks.pitch import game
from tests.patience import PATIENCE_S
from tests.tui.children import no_child_is_left
from trainer.frames import notice
from tui.pitch import PitchPanel, viewer_command

FAKE_VIEWER = Path(__file__).with_name("fake_viewer.py")


class PitchApp(App[None]):
    """Nothing but a pitch."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self._what = what

    def compose(self) -> ComposeResult:
        yield PitchPanel(self._command)

    def _command(self, run_path: Path) -> list[str]:
        return [sys.executable, str(FAKE_VIEWER), self._what]

    @property
    def pitch(self) -> PitchPanel:
        return self.query_one(PitchPanel)

    @property
    def shown(self) -> str:
        return "\n".join(self.pitch.render_line(y).text for y in range(self.pitch.size.height))


async def until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not happened():
            await asyncio.sleep(0.01)


async def test_the_pitch_shows_the_newest_frame_and_stops_on_request(tmp_path: Path) -> None:
    app = PitchApp("echo")
    async with app.run_test(size=(80, 24)):
        assert not app.pitch.running
        app.pitch.start(tmp_path, deterministic=False)
        assert app.pitch.running
        assert "Starting the viewer" in app.shown
        await until(lambda: "from the fake viewer" in app.shown)
        app.pitch.stop()
        assert not app.pitch.running
        assert "from the fake viewer" not in app.shown
        await until(no_child_is_left)


async def test_a_viewer_that_dies_leaves_its_last_words_on_the_pitch(tmp_path: Path) -> None:
    app = PitchApp("die")
    async with app.run_test(size=(80, 24)):
        app.pitch.start(tmp_path, deterministic=False)
        await until(lambda: "MeshError: no collision meshes" in app.shown)
        assert not app.pitch.running
        app.pitch.set_deterministic(True)


async def test_closing_the_app_ends_a_viewer_that_hangs(tmp_path: Path) -> None:
    app = PitchApp("hang")
    async with app.run_test(size=(80, 24)):
        app.pitch.start(tmp_path, deterministic=False)
        await until(lambda: "from the fake viewer" in app.shown)
    assert no_child_is_left()


async def test_the_pitch_is_drawn_anew_in_another_size() -> None:
    app = PitchApp("echo")
    async with app.run_test(size=(80, 24)) as pilot:
        for width, height in ((120, 40), (40, 10)):
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            lines = app.shown.splitlines()
            assert [len(line) for line in lines] == [width] * height
            assert lines[0].startswith(" Blue 0")


async def test_without_colours_it_is_drawn_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = PitchApp("echo")
    async with app.run_test(size=(80, 24)) as pilot:
        for size in ((40, 10), (15, 4)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert " Blue 0" in app.shown
        await pilot.resize_terminal(120, 40)
        app.pitch.show(game(44 / 15))
        await pilot.pause()
        picture = app.export_screenshot()
        for sign in ("Blue", "▸", "◆", "•", *"⇗⇒⇑↙←"):  # orange's arrows are double
            assert sign in picture


async def test_only_lines_that_differ_are_painted(monkeypatch: pytest.MonkeyPatch) -> None:
    app = PitchApp("echo")
    async with app.run_test(size=(80, 24)) as pilot:
        app.pitch.show(notice("one"))
        await pilot.pause()
        painted: list[int] = []
        draw = PitchPanel.render_line

        def watched(panel: PitchPanel, y: int) -> Strip:
            painted.append(y)
            return draw(panel, y)

        monkeypatch.setattr(PitchPanel, "render_line", watched)
        app.pitch.show(notice("two"))
        await pilot.pause()
        # The note's line is the middle of the 22 rows under the score: (22 - 1) // 2 above it.
        assert painted == [11]


def test_the_viewer_is_the_trainers_in_this_very_python(tmp_path: Path) -> None:
    assert viewer_command(tmp_path) == [sys.executable, "-m", "trainer.viewer", str(tmp_path)]
