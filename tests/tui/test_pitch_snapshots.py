"""Pictures of the pitch in the dashboard and of a recorded game, and its keys beside the others."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from benchmarks.pitch import game
from tests.tui.conftest import commands, dashboard, record, shown, until
from trainer.frames import Frame
from trainer.replay import ReplayHeader
from trainer.run_dir import RunDir
from tui.app import Dashboard
from tui.look import Look
from tui.pitch import PitchPanel
from tui.pitch_source import LIVE
from tui.replay_app import ReplayApp
from tui.screens.team_dialog import TeamDialog

Compare = Callable[..., bool]
FPS = 15
FRAMES = [game(number / FPS) for number in range(3 * FPS)]
GOAL = [*FRAMES, replace(FRAMES[-1], blue=2, note="Blue scores")]


class Played:
    """Hands on a made-up game at once, then only listens."""

    orders = LIVE

    def __init__(self, frames: list[Frame], show: Callable[[Frame], None]) -> None:
        self.said: list[str] = []
        self._frames = frames
        self._show = show
        self._stopped = asyncio.Event()

    async def run(self) -> None:
        for frame in self._frames:
            self._show(frame)
        await self._stopped.wait()

    def say(self, line: str) -> None:
        self.said.append(line)

    def stop(self) -> None:
        self._stopped.set()


@pytest.fixture
def sources(monkeypatch: pytest.MonkeyPatch) -> list[Played]:
    """Every game that was opened."""
    opened: list[Played] = []

    def start(panel: PitchPanel, *asked: object) -> None:
        def make(show: Callable[[Frame], None], fail: object) -> Played:
            opened.append(Played(FRAMES, show))
            return opened[-1]

        panel.play(make)

    monkeypatch.setattr(PitchPanel, "start", start)
    return opened


async def watched(pilot: Pilot[object]) -> None:
    """The run is there, and the pitch has the keys."""
    await shown(pilot)
    await pilot.press("r")
    app = pilot.app
    assert isinstance(app, Dashboard)
    await until(pilot, lambda: isinstance(app.focused, PitchPanel), "the pitch has the focus")
    await until(
        pilot, lambda: "0:02" in app.screen.query_one(PitchPanel).render_line(0).text, "it plays"
    )
    await pilot.pause()


@pytest.mark.usefixtures("sources")
@pytest.mark.parametrize("size", [(120, 40), (60, 16)])
def test_watching(snap_compare: Compare, run: RunDir, size: tuple[int, int]) -> None:
    record(run)
    assert snap_compare(dashboard(run), terminal_size=size, run_before=watched)


@pytest.mark.usefixtures("sources")
def test_a_goal(snap_compare: Compare, run: RunDir) -> None:
    record(run)

    async def scored(pilot: Pilot[object]) -> None:
        await watched(pilot)
        pilot.app.screen.query_one(PitchPanel).show(GOAL[-1])
        await pilot.pause()

    assert snap_compare(dashboard(run), terminal_size=(120, 40), run_before=scored)


@pytest.mark.usefixtures("sources")
def test_choosing_who_plays_blue(snap_compare: Compare, run: RunDir) -> None:
    record(run)

    async def asked(pilot: Pilot[object]) -> None:
        await watched(pilot)
        await pilot.press("b")
        await until(pilot, lambda: isinstance(pilot.app.screen, TeamDialog), "it asks")
        await pilot.pause()

    assert snap_compare(dashboard(run), terminal_size=(120, 40), run_before=asked)


def test_a_recorded_game(snap_compare: Compare) -> None:
    header = ReplayHeader(FPS, "1v1", ("newest", "5.0M steps"), (0, 0, 0, 1, 1, 1))
    app = ReplayApp(header, iter(FRAMES), Look())

    async def at_its_end(pilot: Pilot[object]) -> None:
        place = app.query_one("#place")
        await until(pilot, lambda: "rally 1 of 1" in str(place.visual), "it plays")
        await pilot.press("space")
        await pilot.press(*["right"] * 2)
        await until(pilot, lambda: "0:02 / 0:02" in str(place.visual), "it is at its end")
        await pilot.pause()

    assert snap_compare(app, terminal_size=(120, 40), run_before=at_its_end)


async def test_the_pitch_takes_its_keys_and_leaves_the_others_to_the_dashboard(
    run: RunDir, sources: list[Played]
) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test(size=(120, 40)) as pilot:
        await watched(pilot)
        await pilot.press("space", "k")
        assert sources[0].said == ["pause", "kickoff"]
        await pilot.press("s")
        await until(pilot, lambda: "save" in commands(run), "a checkpoint is asked for")
        await pilot.press("r")
        await until(pilot, lambda: not isinstance(app.focused, PitchPanel), "it lets go")
        assert not app.screen.query_one(PitchPanel).running
        await pilot.press("space")
        assert sources[0].said == ["pause", "kickoff"]
