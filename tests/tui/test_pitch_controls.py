"""The keys of the pitch: what they say to a viewer, and what is seen of it."""

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Footer

from tests.patience import PATIENCE_S
from trainer.frames import CarFrame, notice
from trainer.run_dir import RunDir
from tui import pitch_keys
from tui.pitch import PitchPanel
from tui.screens.team_dialog import TeamDialog

FAKE_VIEWER = Path(__file__).with_name("fake_viewer.py")
BEGIN = ["deterministic off", "follow 0"]


class PitchApp(App[None]):
    """A pitch, and a viewer that writes down what is said to it."""

    def __init__(self, heard: Path) -> None:
        super().__init__()
        self._heard = heard

    def compose(self) -> ComposeResult:
        command = [sys.executable, str(FAKE_VIEWER), "play", str(self._heard)]
        yield PitchPanel(lambda run: command)
        yield Footer()

    @property
    def pitch(self) -> PitchPanel:
        return self.query_one(PitchPanel)

    @property
    def shown(self) -> str:
        return "\n".join(self.pitch.render_line(y).text for y in range(self.pitch.size.height))

    @property
    def heard(self) -> list[str]:
        return self._heard.read_text().splitlines() if self._heard.exists() else []


@pytest.fixture
def app(tmp_path: Path) -> PitchApp:
    return PitchApp(tmp_path / "heard.txt")


async def until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not happened():
            await asyncio.sleep(0.01)


async def opened(app: PitchApp, run: Path) -> None:
    app.pitch.start(run, deterministic=False)
    await until(lambda: app.heard == BEGIN and "Blue 1" in app.shown)
    await until(lambda: app.pitch.has_focus)


async def press(app: PitchApp, pilot: Pilot[None], *keys: str) -> list[str]:
    """What was heard after each key was pressed."""
    before = len(app.heard)
    await pilot.press(*keys)
    await until(lambda: len(app.heard) >= before + len(keys))
    return app.heard[before:]


async def test_space_pauses_and_goes_on(app: PitchApp, tmp_path: Path) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(app, tmp_path)
        assert await press(app, pilot, "space") == ["pause"]
        await until(lambda: "0:00 paused" in app.shown)
        assert await press(app, pilot, "space", "space") == ["resume", "pause"]


async def test_comma_and_full_stop_change_the_speed(app: PitchApp, tmp_path: Path) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(app, tmp_path)
        assert await press(app, pilot, "comma", "comma") == ["speed 0.5", "speed 0.25"]
        await until(lambda: "0:00 0.25x" in app.shown)
        faster = await press(app, pilot, *["full_stop"] * 5)
        assert faster == ["speed 0.5", "speed 1", "speed 2", "speed 4", "speed 4"]


async def test_k_asks_for_the_next_kickoff(app: PitchApp, tmp_path: Path) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(app, tmp_path)
        assert await press(app, pilot, "k", "K") == ["kickoff", "kickoff"]


async def test_f_follows_one_car_after_the_other_then_none(app: PitchApp, tmp_path: Path) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(app, tmp_path)
        assert "▸ Blue 1" in app.shown
        heard = await press(app, pilot, "f", "f", "f", "f", "f")
        assert heard == ["follow 1", "follow 2", "follow 3", "follow none", "follow 0"]
        await press(app, pilot, "f", "f")
        await until(lambda: "▸ Orange 1" in app.shown and "value    +0.50" in app.shown)


async def test_v_records_and_stops(app: PitchApp, tmp_path: Path) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(app, tmp_path)
        assert await press(app, pilot, "v") == ["record on"]
        assert "● recording" in app.shown
        assert await press(app, pilot, "v") == ["record off"]
        assert "● recording" not in app.shown


async def test_b_and_o_offer_the_newest_and_the_checkpoints(app: PitchApp, tmp_path: Path) -> None:
    for steps in (5_000_000, 12_000_000):
        (RunDir(tmp_path).checkpoints / f"{steps:015d}").mkdir(parents=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(app, tmp_path)
        assert await chosen(app, pilot, "b", "down", "enter") == ["play blue 000000012000000"]
        assert await chosen(app, pilot, "o", "enter") == ["play orange newest"]
        assert await chosen(app, pilot, "O", "down", "down", "enter") == [
            "play orange 000000005000000"
        ]


async def chosen(app: PitchApp, pilot: Pilot[None], key: str, *keys: str) -> list[str]:
    """What was heard after `key` opened the question and `keys` answered it."""
    before = len(app.heard)
    await pilot.press(key)
    await pilot.pause()
    assert isinstance(app.screen, TeamDialog)
    await pilot.press(*keys)
    await until(lambda: len(app.heard) > before)
    assert not isinstance(app.screen, TeamDialog)
    return app.heard[before:]


async def test_escape_leaves_the_players_as_they_are(app: PitchApp, tmp_path: Path) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(app, tmp_path)
        await pilot.press("b")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(app.screen, TeamDialog)
        assert await press(app, pilot, "k") == ["kickoff"]
        assert app.heard == [*BEGIN, "kickoff"]


async def test_keys_are_there_for_what_can_be_asked(app: PitchApp, tmp_path: Path) -> None:
    def offered() -> set[str | None]:
        bindings = app.screen.active_bindings.values()
        return {found.binding.id for found in bindings if found.node is app.pitch}

    async with app.run_test(size=(120, 40)) as pilot:
        app.pitch.focus()
        await pilot.pause()
        assert offered() == set()
        await opened(app, tmp_path)
        known = {f"pitch.{key.id}" for key in pitch_keys.PITCH_KEYS}
        assert offered() == known - {"pitch.back", "pitch.ahead", "pitch.previous"}
        await pilot.press("left", "j")
        assert await press(app, pilot, "k") == ["kickoff"]
        assert app.heard == [*BEGIN, "kickoff"]
        app.pitch.stop()
        assert offered() == set()


async def test_the_column_shows_the_keys(app: PitchApp, tmp_path: Path) -> None:
    async with app.run_test(size=(120, 40)):
        await opened(app, tmp_path)
        assert f"{', .':<9}slower, faster" in app.shown
        assert f"{'B O':<9}who is blue, orange" in app.shown
        assert "previous kickoff" not in app.shown


def test_every_key_is_among_the_hints() -> None:
    for key in pitch_keys.PITCH_KEYS:
        ((signs, _),) = pitch_keys.hints([key.order])
        assert key.sign in signs.split()


def test_every_key_has_words_and_an_action() -> None:
    for key in pitch_keys.PITCH_KEYS:
        assert key.help.endswith(".")
        assert hasattr(PitchPanel, f"action_{key.action.partition('(')[0]}")
    assert len({key.id for key in pitch_keys.PITCH_KEYS}) == len(pitch_keys.PITCH_KEYS)
    assert all(binding.tooltip for binding in pitch_keys.pitch_bindings())


def test_the_guide_names_every_key() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "dashboard.md").read_text(encoding="utf-8")
    for key in pitch_keys.PITCH_KEYS:
        assert f"**{key.sign}**" in guide


def test_the_help_explains_every_sign() -> None:
    for sign in "↑▴▾×◆•◇·":
        assert sign in PitchPanel.HELP


def test_speeds_stay_within_their_ends() -> None:
    assert pitch_keys.next_speed(1.0, faster=True) == 2.0
    assert pitch_keys.next_speed(4.0, faster=True) == 4.0
    assert pitch_keys.next_speed(0.1, faster=False) == 0.1
    assert pitch_keys.next_speed(0.3, faster=False) == 0.25


def test_nobody_is_followed_where_nobody_plays() -> None:
    assert pitch_keys.next_car(notice("")) is None
    car = CarFrame(0, 0.0, 0.0, 17.0, 0.0, 33.0, True, False, False)
    assert pitch_keys.next_car(replace(notice(""), cars=(car,))) == 0
