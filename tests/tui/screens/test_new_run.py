import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import HelpPanel, Input, RichLog, Select, Static

from tests.trainer.tiny import SETTINGS
from tests.tui.children import no_child_is_left, no_child_stays
from tests.tui.conftest import until
from trainer.config_file import load_config
from trainer.run_dir import RunDir
from tui import launcher
from tui.app import Dashboard
from tui.form_fields import text_of
from tui.launcher import Launch
from tui.look import Look, PersonalApp
from tui.screens.new_run import NewRun
from tui.widgets.field_form import FieldForm

Compare = Callable[..., bool]
MEASURES = """
import sys
print("asked", sys.argv[1], *sys.argv[3::2])
if sys.argv[1] == "check":
    print("iteration     about 1.5 s, 33,000 steps/s")
else:
    print("--set sim.workers=2 --set sim.arenas=64 --set ppo.minibatch_size=1024")
"""
HANGS = "import time; print('begun', flush=True); time.sleep(600)"
REFUSES = "import sys; print('rlppo: no collision meshes here', file=sys.stderr); sys.exit(2)"


class Alone(PersonalApp[None]):
    """The form over nothing."""

    CSS_PATH = "../../../tui/app.tcss"
    HORIZONTAL_BREAKPOINTS = Dashboard.HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = Dashboard.VERTICAL_BREAKPOINTS

    def __init__(self) -> None:
        super().__init__(Look())
        self.form = NewRun()
        self.given: list[Launch | None] = []

    def on_mount(self) -> None:
        self.push_screen(self.form, self.given.append)

    def said(self, place: str) -> str:
        return str(self.form.query_one(place, Static).visual)

    def heard(self) -> list[str]:
        return [line.text.rstrip() for line in self.form.query_one(RichLog).lines]


def program(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """What stands in for the trainer."""
    monkeypatch.setattr(launcher, "TRAINER", (sys.executable, "-c", code))


async def put(pilot: Pilot[None], **texts: str) -> None:
    """Type settings by their names, `__` being the dot."""
    form = pilot.app.screen.query_one(FieldForm)
    await form.put({name.replace("__", "."): text for name, text in texts.items()})
    await pilot.pause()


async def test_it_starts_what_was_typed_in_a_folder_of_its_own() -> None:
    app = Alone()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press(*"mine")
        await put(pilot, ppo__learning_rate="3e-4", sim__modes="2v2 = 1, 1v1 = 2", seed="7")
        await pilot.press("f9")
        await until(pilot, lambda: bool(app.given), "the run is made")
    folder = Path("runs/mine")
    assert app.given == [Launch(RunDir(folder))]
    config = load_config(folder / "config.toml")
    assert (config.ppo.learning_rate, config.seed, config.preset) == (3e-4, 7, "laptop")
    assert config.sim.modes == {"2v2": 1.0, "1v1": 2.0}
    assert [path.name for path in folder.iterdir()] == ["config.toml"]


async def test_what_it_comes_to_follows_what_is_typed() -> None:
    app = Alone()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await put(pilot, sim__arenas="100", ppo__steps_per_iteration="20_000", ppo__epochs="3")
        # 20,000 steps of 200 agents; 8 batches of 2,500.
        lines = app.said("#derived").splitlines()
        assert lines[0] == "rollout     100 decisions x 200 agents = 20,000"
        assert lines[2] == "update      3 epochs x 8 batches = 24 optimizer steps"


async def test_another_preset_brings_its_settings_and_its_name() -> None:
    app = Alone()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await put(pilot, ppo__epochs="5")
        app.form.query_one("#new-preset", Select).value = "rlgymppo"
        await pilot.pause()
        assert app.form.query_one("#new-name", Input).value == "rlgymppo"
        await pilot.press("f9")
        await until(pilot, lambda: bool(app.given), "the run is made")
    config = load_config(Path("runs/rlgymppo/config.toml"))
    assert (config.preset, config.ppo.epochs, config.ppo.gae_estimator) == (
        "rlgymppo", 5, "termination_time",
    )  # fmt: skip
    assert load_config(None, ["preset=rlgymppo", "ppo.epochs=5"]) == config


@pytest.mark.parametrize(
    ("name", "texts", "sentence"),
    [
        ("1v1", {}, "runs/1v1 exists already: take another name, such as 1v1-2"),
        ("a/b", {}, "name 'a/b': take letters"),
        ("mine", {"ppo__epochs": "0"}, "ppo.epochs = 0 should be greater than 0"),
        ("mine", {"ppo__batch_size": "1e9"}, "ppo.batch_size 1,000,000,000 is more than"),
        ("mine", {"sim__arenas": "1", "ppo__overlap": "true"}, "ppo.overlap plays beside"),
    ],
)
async def test_what_cannot_be_is_said_at_once_and_never_started(
    name: str, texts: dict[str, str], sentence: str
) -> None:
    app = Alone()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        app.form.query_one("#new-name", Input).value = name
        await put(pilot, **texts)
        assert app.said("#new-faults").startswith(sentence)
        await pilot.press("f9")
        await pilot.pause()
        assert app.screen is app.form
    assert not Path("runs/mine").exists()
    assert not Path("runs/1v1/config.toml").exists()


async def test_a_missing_file_of_rewards_is_said_and_nothing_is_made() -> None:
    app = Alone()
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await pilot.pause()
        await put(pilot, rewards__custom="mine:spin = 1")
        await pilot.press("f9")
        await until(pilot, lambda: len(app._notifications) == 1, "it is said")
        (notice,) = app._notifications
        assert "mine.py does not exist" in notice.message
        assert app.screen is app.form
    assert not Path("runs/laptop").exists()


async def test_a_measurement_of_the_form_as_it_stands_counts_until_the_form_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program(monkeypatch, MEASURES)
    app = Alone()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await put(pilot, ppo__epochs="5")
        await pilot.press("f5")
        measured = "speed       about 1.5 s, 33,000 steps/s"
        await until(pilot, lambda: measured in app.said("#derived"), "it is measured")
        assert "asked check preset=laptop ppo.epochs=5" in app.heard()
        await put(pilot, ppo__epochs="6")
        assert measured not in app.said("#derived")
        await put(pilot, ppo__epochs="5")
        assert measured in app.said("#derived")


async def test_autotune_puts_what_is_fastest_into_the_form(monkeypatch: pytest.MonkeyPatch) -> None:
    program(monkeypatch, MEASURES)
    app = Alone()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("f6")
        form = app.form.query_one(FieldForm)
        await until(pilot, lambda: bool(form.typed), "it is in the form")
        assert form.typed == {
            "sim.workers": "2", "sim.arenas": "64", "ppo.minibatch_size": "1024",
        }  # fmt: skip
        assert "x 128 agents" in app.said("#derived")


@pytest.mark.parametrize("key", ["f5", "f6"])
async def test_escape_ends_a_measurement_and_then_the_form(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    program(monkeypatch, HANGS)
    app = Alone()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press(key)
        await until(pilot, lambda: "begun" in app.heard(), "it runs")
        await pilot.press(key)  # one at a time
        await pilot.press("escape")
        await until(pilot, no_child_is_left, "it is gone")
        await until(pilot, lambda: "Ended: nothing was changed." in app.heard(), "it is said")
        assert app.form.query_one(FieldForm).typed == {}
        assert app.screen is app.form
        await pilot.press("escape")
        await until(pilot, lambda: app.given == [None], "the form is closed")


async def test_escape_closes_the_help_and_leaves_what_was_typed() -> None:
    app = Alone()
    async with app.run_test(size=(120, 40)) as pilot:
        await put(pilot, seed="7")
        await pilot.press("f1")
        await until(pilot, lambda: bool(app.form.query(HelpPanel)), "the help is open")
        await pilot.press("escape")
        await until(pilot, lambda: not app.form.query(HelpPanel), "the help is closed")
        assert app.screen is app.form
        assert app.form.query_one(FieldForm).typed == {"seed": "7"}
        await pilot.press("escape")
        await until(pilot, lambda: app.given == [None], "the form is closed")


async def test_no_measurement_outlives_the_dashboard(monkeypatch: pytest.MonkeyPatch) -> None:
    program(monkeypatch, HANGS)
    app = Alone()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("f6")
        await until(pilot, lambda: "begun" in app.heard(), "it runs")
        assert not no_child_is_left()
        app.exit()
    assert await no_child_stays()


async def test_a_measurement_that_is_refused_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    program(monkeypatch, REFUSES)
    app = Alone()
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await pilot.pause()
        await pilot.press("f5")
        await until(pilot, lambda: len(app._notifications) == 1, "it is said")
        (notice,) = app._notifications
        assert notice.message == "rlppo: no collision meshes here"


async def test_the_real_trainer_measures_a_tiny_run() -> None:
    app = Alone()
    tiny = load_config(None, SETTINGS)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        names = [setting.partition("=")[0] for setting in SETTINGS]
        texts = {}
        for name in names:
            value: Any = tiny
            for part in name.split("."):
                value = getattr(value, part)
            texts[name] = text_of(value)
        await app.form.query_one(FieldForm).put(texts)
        await pilot.press("f5")
        await until(pilot, lambda: " steps/s" in app.said("#derived"), "it is measured", 120)
        assert "rollout       8 decisions x 4 agents = 32" in app.heard()
        assert "rollout     8 decisions x 4 agents = 32" in app.said("#derived")
    assert no_child_is_left()


async def typed(pilot: Pilot[Any]) -> None:
    await pilot.pause()
    await pilot.press("tab", "tab")
    await put(pilot, sim__arenas="64", networks__actor="512, 512")
    await pilot.press("down", "enter")
    await pilot.pause()


@pytest.mark.parametrize("size", [(120, 40), (60, 16)])
def test_a_form_that_can_be_started(
    snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    monkeypatch.setattr("trainer.sizes.count_cores", lambda: 2)
    assert snap_compare(Alone(), terminal_size=size, run_before=typed)


def test_a_form_that_was_measured_and_cannot_be_started(
    snap_compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trainer.sizes.count_cores", lambda: 2)
    program(monkeypatch, MEASURES)

    async def wrong(pilot: Pilot[Any]) -> None:
        await typed(pilot)
        app = pilot.app
        assert isinstance(app, Alone)
        await pilot.press("f5")
        await until(pilot, lambda: "33,000" in app.said("#derived"), "it is measured")
        await put(pilot, ppo__epochs="0", rewards__touch="much")

    assert snap_compare(Alone(), terminal_size=(120, 40), run_before=wrong)
