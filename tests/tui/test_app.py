import json
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.message import Message
from textual.messages import ExitApp
from textual.widgets import Footer, ProgressBar

from tests.tui.conftest import commands, dashboard, record, restate, shown, until
from trainer.config import RunConfig, ViewerConfig
from trainer.control import EVENT_KINDS, tell
from trainer.run_dir import RunDir
from tui.app import Dashboard
from tui.keys import KEYS
from tui.messages import EventsArrived, MetricsArrived, StatusArrived
from tui.pitch import PitchPanel
from tui.screens.dashboard import CHARTS
from tui.widgets.event_log import EventLog
from tui.widgets.metric_panel import MetricPanel


class Pitch:
    """Notes what is asked of the pitch, in place of a viewer process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[object] = []
        for name in ("start", "stop", "set_deterministic"):
            monkeypatch.setattr(PitchPanel, name, self._note(name))

    def _note(self, name: str) -> Callable[..., None]:
        return lambda panel, *arguments: self.asked.append((name, *arguments))


@pytest.fixture
def pitch(monkeypatch: pytest.MonkeyPatch) -> Pitch:
    return Pitch(monkeypatch)


def panels(app: Dashboard) -> list[MetricPanel]:
    return list(app.screen.query("#metrics MetricPanel").results(MetricPanel))


async def test_what_is_in_the_folder_arrives_as_messages(run: RunDir) -> None:
    record(run)
    arrived: list[Message] = []
    app = dashboard(run)
    async with app.run_test(message_hook=arrived.append) as pilot:
        await shown(pilot)
        tell(run, "warning", "Something odd.", 7)
        await until(pilot, lambda: len(events(arrived)) == 6, "the new event arrives")
    assert [m.board.latest.iteration for m in arrived if isinstance(m, MetricsArrived)] == [48]
    assert [m.situation for m in arrived if isinstance(m, StatusArrived)] == ["running"]
    assert events(arrived)[-1] == "Something odd."


def events(arrived: list[Message]) -> list[str]:
    found = [m for m in arrived if isinstance(m, EventsArrived)]
    return [
        event.text for message in {id(m): m for m in found}.values() for event in message.events
    ]


async def test_every_metric_has_a_row_in_the_panel_of_its_group(run: RunDir) -> None:
    record(run)
    last = json.loads(run.metrics.read_text().splitlines()[-1])
    names = {name for name in last if "/" in name}
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        assert {name for panel in panels(app) for name in panel.rows} == names
        assert [panel.border_title for panel in panels(app)][:3] == ["Collect", "Reward", "GAE"]


async def test_a_metric_that_comes_later_gets_a_row_and_none_loses_its_own(run: RunDir) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        before = sum(len(panel.rows) for panel in panels(app))
        line = {"iteration": 49, "steps": 3_000_000, "time": 0.0, "Mine/new": 1.0}
        with run.metrics.open("a") as file:
            file.write(json.dumps(line) + "\n")
        await shown(pilot, iteration=49)
        assert sum(len(panel.rows) for panel in panels(app)) == before + 1
        assert panels(app)[-1].border_title == "Mine"


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (40, 12), (20, 5), (300, 90)])
async def test_two_hundred_wild_metrics_draw_at_any_size(
    run: RunDir, size: tuple[int, int]
) -> None:
    record(run)
    wild = [None, 1e30, -1e30, 1e308, 5e-324, 0.0, -0.0]
    values = {f"Wild/{number}": wild[number % len(wild)] for number in range(200)}
    values |= {name: wild[index] for index, name in enumerate(CHARTS)}
    with run.metrics.open("a") as file:
        for iteration in range(49, 52):
            line = {"iteration": iteration, "steps": iteration, "time": 0.0, **values}
            file.write(json.dumps(line) + "\n")
        file.write('{"iteration": 52, "steps": NaN, "half a line')
    app = dashboard(run)
    async with app.run_test(size=size) as pilot:
        await shown(pilot, iteration=51)
        assert sum(len(panel.rows) for panel in panels(app)) >= 200


async def test_a_resize_while_it_trains_moves_between_the_layouts(run: RunDir) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test(size=(140, 40)) as pilot:
        await shown(pilot)
        assert app.screen.query_one("#charts").display
        assert not app.screen.query_one("#essentials").display
        await pilot.resize_terminal(40, 10)
        await pilot.pause()
        assert not app.screen.query_one("#charts").display
        assert not app.screen.query_one("#metrics").display
        assert app.screen.query_one("#essentials").display
        assert app.screen.query_one(Footer).compact
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert app.screen.query_one("#charts").display
        assert app.screen.query_one("#metrics").display


async def test_before_the_first_iteration_it_says_what_is_happening(run: RunDir) -> None:
    record(run)
    run.metrics.unlink()
    restate(run, phase="collecting", iteration=0, steps=0)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.situation == "running", "the status is shown")
        assert app.screen.query_one("#waiting").display
        assert "collecting the first rollout" in text(app, "#waiting")
        assert not app.screen.query_one("#charts").display


def text(app: Dashboard, selector: str) -> str:
    return str(app.screen.query_one(selector).visual)  # type: ignore[attr-defined]


async def test_progress_tells_how_far_the_next_save_and_the_end_are(run: RunDir) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        save, end = app.screen.query(ProgressBar)
        # 3,007,040 - 48 · 50,176 = 598,592 of 1,000,000 steps are left; 48 of 100 iterations done.
        assert save.progress == pytest.approx(0.401408)
        assert end.progress == pytest.approx(0.48)
        restate(run, last_iteration=None)
        await until(pilot, lambda: not app.screen.query_one("#to-end").display, "the end is gone")


async def test_s_asks_for_a_save_in_both_cases(run: RunDir) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        await pilot.press("s", "S")
        assert commands(run) == ["save", "save"]
        assert len(app._notifications) == 2


async def test_a_trainer_that_does_not_listen_yet_is_not_asked(run: RunDir) -> None:
    record(run)
    restate(run, phase="starting")
    app = dashboard(run)
    async with app.run_test() as pilot:
        await pilot.press("s")
        assert commands(run) == []
        assert "Nothing trains" in next(iter(app._notifications)).message


async def test_a_folder_that_cannot_be_written_is_told_of(run: RunDir) -> None:
    record(run)
    run.commands.mkdir()
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        await pilot.press("s")
        assert "cannot be asked" in next(iter(app._notifications)).message


async def test_r_shows_the_pitch_and_asks_for_the_policy_and_r_again_hides_it(
    run: RunDir, pitch: Pitch
) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        await pilot.press("r")
        await until(pilot, lambda: commands(run) == ["viewer_on"], "the policy is asked for")
        assert app.screen.query_one(PitchPanel).display
        assert not app.screen.query_one("#charts").display
        await pilot.press("R")
        await pilot.pause()
        assert commands(run) == ["viewer_on", "viewer_off"]
        assert not app.screen.query_one(PitchPanel).display
    assert pitch.asked[:2] == [("start", Path("runs/1v1"), False), ("stop",)]


async def test_d_switches_how_the_viewer_plays(run: RunDir, pitch: Pitch) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        await pilot.press("d", "r", "D")
        await pilot.pause()
    assert pitch.asked[:3] == [
        ("set_deterministic", True),
        ("start", Path("runs/1v1"), True),
        ("set_deterministic", False),
    ]


async def test_the_config_can_open_the_viewer_from_the_first(run: RunDir, pitch: Pitch) -> None:
    record(run)
    config = RunConfig(viewer=ViewerConfig(enabled=True, deterministic=True))
    app = dashboard(run, config)
    async with app.run_test() as pilot:
        await shown(pilot)
        assert pitch.asked[0] == ("start", Path("runs/1v1"), True)
        await until(pilot, lambda: "viewer_on" in commands(run), "the policy is asked for")


async def test_a_dead_trainer_is_shown_with_its_last_lines_and_how_to_go_on(
    run: RunDir, pitch: Pitch
) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        await pilot.press("r")
        restate(run, phase="failed")
        await until(pilot, lambda: app.situation == "died", "the death is seen")
        await pilot.pause()
        assert "rlppo-tui runs/1v1" in text(app, "#resume")
        assert "the loss is not finite" in text(app, "#last-words")
        assert app.screen.query_one("#obituary").display
        assert not app.screen.query_one(PitchPanel).display
        await pilot.press("q")
    assert app.return_value == "died"
    assert ("stop",) in pitch.asked


async def test_a_run_that_ends_by_itself_stays_on_the_screen_until_q(run: RunDir) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        restate(run, phase="stopped")
        await until(pilot, lambda: app.situation == "stopped", "the end is seen")
        assert app.is_running
        await pilot.press("q")
    assert app.return_value == "stopped"


async def test_a_closed_tab_of_a_browser_ends_what_the_trainer_does_for_the_viewer(
    run: RunDir, pitch: Pitch
) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test() as pilot:
        await shown(pilot)
        await pilot.press("r")
        await until(pilot, lambda: commands(run) == ["viewer_on"], "the policy is asked for")
        await app._post_message(ExitApp())  # all that the server says
    assert commands(run) == ["viewer_on", "viewer_off"]


async def test_the_palette_offers_what_the_keys_do(run: RunDir) -> None:
    app = dashboard(run)
    async with app.run_test():
        offered = {command.title: command.help for command in app.get_system_commands(app.screen)}
    for key in KEYS:
        assert offered[key.label] == key.help


async def test_events_wrap_anew_when_the_width_changes(run: RunDir) -> None:
    record(run)
    app = dashboard(run)
    async with app.run_test(size=(140, 40)) as pilot:
        await shown(pilot)
        wide = len(app.screen.query_one(EventLog).lines)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert len(app.screen.query_one(EventLog).lines) > wide


async def test_an_event_of_every_kind_has_its_colour(run: RunDir) -> None:
    for kind in EVENT_KINDS:
        tell(run, kind, f"text of {kind}", 7)
    app = dashboard(run)
    async with app.run_test() as pilot:
        log = app.screen.query_one(EventLog)
        await until(pilot, lambda: len(log.lines) == len(EVENT_KINDS), "all are shown")
        text = [line.text for line in log.lines]
    assert all(f"text of {kind}" in line for kind, line in zip(EVENT_KINDS, text, strict=True))
