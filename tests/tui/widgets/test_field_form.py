from collections.abc import Mapping

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Select, Static, Switch

from trainer.config import RunConfig
from tui.form_fields import FormField, fields_of, preset_config
from tui.widgets.field_form import FieldForm, FieldRow

FIELDS = fields_of(RunConfig(), RunConfig())


class Alone(App[None]):
    """The form and nothing else."""

    CSS_PATH = "../../../tui/screens/forms.tcss"

    def __init__(self, first: str = "", fields: tuple[FormField, ...] = FIELDS) -> None:
        super().__init__()
        self.form = FieldForm(fields, first)
        self.told: list[Mapping[str, str]] = []
        self.visited: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.form

    def on_field_form_changed(self, event: FieldForm.Changed) -> None:
        self.told.append(event.typed)

    def on_field_form_visited(self, event: FieldForm.Visited) -> None:
        self.visited.append(event.field.name)


def row(app: Alone, name: str) -> FieldRow:
    return next(row for row in app.query(FieldRow) if row.field.name == name)


def sections(app: Alone) -> list[str]:
    return [str(option.prompt) for option in app.query_one(OptionList).options]


async def turn_to(pilot: Pilot[None], app: Alone, section: str) -> None:
    app.query_one(OptionList).highlighted = [name[2:] for name in sections(app)].index(section)
    await pilot.pause()


async def test_it_begins_at_the_row_that_was_asked_for_with_the_text_chosen() -> None:
    app = Alone("ppo.learning_rate")
    async with app.run_test() as pilot:
        await pilot.pause()
        assert app.visited == ["ppo.learning_rate"]
        await pilot.press("3", "e", "minus", "4")
        assert app.form.typed == {"ppo.learning_rate": "3e-4"}
        assert app.told[-1] == app.form.typed


async def test_every_section_has_its_rows_and_every_kind_its_editor() -> None:
    app = Alone()
    seen = []
    async with app.run_test() as pilot:
        for section in [name[2:] for name in sections(app)]:
            await turn_to(pilot, app, section)
            rows = [*app.query(FieldRow)]
            seen += [shown.field for shown in rows]
            for shown in rows:
                kind = {"bool": Switch, "choice": Select}.get(shown.field.kind, Input)
                assert len(shown.query(kind)) == 1
        assert seen == [*FIELDS]
        assert app.form.typed == {}


async def test_what_was_typed_stays_while_another_section_is_shown() -> None:
    app = Alone("ppo.epochs")
    async with app.run_test() as pilot:
        await pilot.press("7")
        await turn_to(pilot, app, "rewards")
        await turn_to(pilot, app, "ppo")
        assert row(app, "ppo.epochs").query_one(Input).value == "7"
        assert app.form.typed == {"ppo.epochs": "7"}
        assert [name for name in sections(app) if not name.startswith(" ")] == ["• ppo"]


async def test_a_value_that_is_typed_back_is_as_if_nothing_was_typed() -> None:
    app = Alone("ppo.epochs")
    async with app.run_test() as pilot:
        await pilot.press("7", "backspace", "2")
        assert app.form.typed == {}
        assert sections(app)[0] == "  run"
        note = row(app, "ppo.epochs").query_one(".field-note", Static)
        assert str(note.visual) == ""


async def test_switches_and_choices_are_typed_in_too() -> None:
    app = Alone("ppo.overlap")
    async with app.run_test() as pilot:
        await pilot.press("space")
        row(app, "ppo.optimizer").query_one(Select).value = "muon"
        await pilot.pause()
        assert app.form.typed == {"ppo.overlap": "true", "ppo.optimizer": "muon"}
        note = row(app, "ppo.overlap").query_one(".field-note", Static)
        assert str(note.visual) == "true, preset false"


async def test_rows_and_sections_that_are_wrong_are_marked() -> None:
    app = Alone("ppo.epochs")
    async with app.run_test() as pilot:
        app.form.mark(["ppo.epochs", "rewards.touch"])
        await pilot.pause()
        assert row(app, "ppo.epochs").has_class("-wrong")
        assert not row(app, "ppo.gamma").has_class("-wrong")
        assert [name for name in sections(app) if name.startswith("✗")] == ["✗ rewards", "✗ ppo"]
        await turn_to(pilot, app, "rewards")
        assert row(app, "rewards.touch").has_class("-wrong")
        app.form.mark([])
        assert not row(app, "rewards.touch").has_class("-wrong")


async def test_a_program_types_like_a_person() -> None:
    app = Alone("ppo.epochs")
    async with app.run_test() as pilot:
        await app.form.put({"ppo.epochs": "5", "sim.arenas": "64", "seed": "0", "no.such": "1"})
        await pilot.pause()
        assert app.form.typed == {"ppo.epochs": "5", "sim.arenas": "64"}
        assert app.told[-1] == app.form.typed
        assert row(app, "ppo.epochs").query_one(Input).value == "5"


async def test_another_preset_moves_the_values_and_leaves_what_was_typed() -> None:
    app = Alone("ppo.epochs")
    large = preset_config("large")
    async with app.run_test() as pilot:
        await pilot.press("7")
        await app.form.put({"sim.arenas": "512"})
        await app.form.change_fields(fields_of(large, large))
        await pilot.pause()
        assert app.form.typed == {"ppo.epochs": "7"}
        assert row(app, "ppo.learning_rate").query_one(Input).value == "0.0002"
        assert row(app, "ppo.epochs").query_one(Input).value == "7"
