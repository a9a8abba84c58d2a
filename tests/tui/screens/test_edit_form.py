from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import HelpPanel, Static

from trainer.config import RunConfig
from trainer.live import edited
from tui.app import Dashboard
from tui.form_fields import fields_of
from tui.look import Look, PersonalApp
from tui.screens.edit_form import RESTING, TRAINED, EditForm

Compare = Callable[..., bool]
CONFIG = edited(RunConfig(), {"rewards.custom": {"mine:spin": 2.0}})
LIVE = [field for field in fields_of(CONFIG, RunConfig()) if field.live]


class Alone(PersonalApp[None]):
    """The form over nothing."""

    CSS_PATH = "../../../tui/app.tcss"
    HORIZONTAL_BREAKPOINTS = Dashboard.HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = Dashboard.VERTICAL_BREAKPOINTS

    def __init__(self, first: str = "ppo.learning_rate", *, trained: bool = True) -> None:
        super().__init__(Look())
        self.form = EditForm(CONFIG, LIVE, first, trained=trained)
        self.given: list[Any] = []

    def on_mount(self) -> None:
        self.push_screen(self.form, self.given.append)

    def said(self, place: str) -> str:
        return str(self.form.query_one(place, Static).visual)


async def test_the_difference_is_shown_before_it_is_given_by_enter() -> None:
    app = Alone()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert app.said("#edit-when") == TRAINED
        assert app.said("#edit-says") == "Nothing is different yet."
        assert "Step size of the optimizer" in app.said(".form-help")
        await pilot.press(*"3e-4")
        await pilot.pause()
        assert app.said("#edit-says") == "ppo.learning_rate 0.001 -> 0.0003"
        assert app.given == []
        await pilot.press("enter")
        await pilot.pause()
        assert app.given == [{"ppo.learning_rate": 3e-4}]


async def test_several_edits_are_given_at_once() -> None:
    app = Alone("ppo.epochs")
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("3", "tab", *"1000")
        await pilot.pause()
        assert "minibatch_size 2,500 is more than" in app.said("#edit-says")
        await pilot.press("tab", *"500", "f9")
        await pilot.pause()
        assert app.given == [{"ppo.epochs": 3, "ppo.batch_size": 1000, "ppo.minibatch_size": 500}]


@pytest.mark.parametrize(
    ("first", "typed", "sentence"),
    [
        ("ppo.epochs", "0", "ppo.epochs = 0 should be greater than 0"),
        ("ppo.learning_rate", "x", "ppo.learning_rate = 'x' should be a valid number"),
        ("rewards.custom", "spin", "rewards.custom: write 'spin' as name = number"),
        ("ppo.minibatch_size", "9999", "ppo.minibatch_size 9,999 is more than"),
    ],
)
async def test_what_cannot_be_is_said_as_it_is_typed_and_not_given(
    first: str, typed: str, sentence: str
) -> None:
    app = Alone(first)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press(*typed, "enter")
        await pilot.pause()
        assert app.said("#edit-says").startswith(sentence)
        assert app.given == []
        assert app.screen is app.form


async def test_nothing_is_given_when_nothing_is_different() -> None:
    app = Alone()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert app.screen is app.form
        await pilot.press("5", "escape")
        await pilot.pause()
        assert app.given == [None]


async def test_the_mouse_sends_and_closes_too() -> None:
    app = Alone(trained=False)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert app.said("#edit-when") == RESTING
        await pilot.press("5")
        await pilot.click("Button.-primary")
        await pilot.pause()
        assert app.given == [{"ppo.learning_rate": 5.0}]


async def test_f1_explains_the_form_and_closes_the_explanation() -> None:
    app = Alone()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("f1")
        await pilot.pause()
        assert app.form.query(HelpPanel)
        await pilot.press("f1")
        await pilot.pause()
        assert not app.form.query(HelpPanel)


async def ready(pilot: Pilot[None]) -> None:
    await pilot.pause()
    await pilot.press(*"3e-4", "tab", "tab", "tab", "tab", "tab", *"1e6")
    await pilot.pause()


@pytest.mark.parametrize("size", [(120, 40), (60, 16)])
def test_edits_that_can_be_sent(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(Alone(), terminal_size=size, run_before=ready)


def test_edits_that_cannot_be(snap_compare: Compare) -> None:
    async def wrong(pilot: Pilot[None]) -> None:
        await pilot.pause()
        await pilot.press("0", "tab", "minus", "1")
        await pilot.pause()

    assert snap_compare(Alone("ppo.epochs"), terminal_size=(120, 40), run_before=wrong)
