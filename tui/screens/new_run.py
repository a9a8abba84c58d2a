"""The form of a new run: name, preset, every setting, what it comes to, and how fast it is here.

Makes the folder and gives the launch; starts no trainer. Measuring and tuning are other programs,
which end with the form. Tested by `tests/tui/screens/test_new_run.py`.
"""

import asyncio
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Button, Footer, Input, RichLog, Select, Static
from textual.worker import Worker

from trainer.config import RunConfig
from trainer.config_file import ConfigError, preset_names
from tui.child_lines import run_child
from tui.derived_words import derived_lines
from tui.form_draft import Draft, draft_of
from tui.form_fields import FormField, fields_of, preset_config
from tui.launcher import Launch
from tui.new_run import (
    Measurement,
    free_name,
    make_run,
    measured_speed,
    measuring_command,
    name_fault,
    tuned_settings,
)
from tui.screens.form_screen import FormScreen
from tui.widgets.field_form import FieldForm

RUNS = Path("runs")
FIRST_PRESET = "laptop"
_DOING: dict[Measurement, str] = {"check": "Measuring", "tune": "Looking for the fastest layout"}


class NewRun(FormScreen[Launch]):
    """Gives what the trainer of a new run is started with, its folder made; or None."""

    CSS_PATH: ClassVar = ["forms.tcss", "new_run.tcss"]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "f9",
            "start",
            "Start",
            tooltip="Make the folder of the run, and train.",
            id="new.start",
        ),
        Binding(
            "f5,m",
            "measure('check')",
            "Measure",
            key_display="f5",
            tooltip="Build it once and measure for some seconds how fast it is here.",
            id="new.measure",
        ),
        Binding(
            "f6,t",
            "measure('tune')",
            "Autotune",
            key_display="f6",
            tooltip="Find the workers, arenas and minibatch that are fastest here; takes a minute.",
            id="new.tune",
        ),
        Binding(
            "escape",
            "leave",
            "Close",
            tooltip="End the measurement that runs, or else close without a run.",
            id="new.leave",
        ),
    ]

    def __init__(self, runs: Path = RUNS, beside: Path = Path()) -> None:
        """Offer a run in the folder `runs`; the user's own rewards and states are in `beside`."""
        super().__init__()
        self._runs, self._beside = runs, beside
        self._suggested = free_name(runs, FIRST_PRESET)
        self._take_preset(FIRST_PRESET)
        self._draft = Draft(self._base, {}, [], [])
        self._measured: tuple[RunConfig, str] | None = None
        self._child: Worker[None] | None = None

    def _take_preset(self, name: str) -> None:
        self._base = preset_config(name)
        rows = fields_of(self._base, self._base)
        self._fields: list[FormField] = [field for field in rows if field.name != "preset"]

    def compose(self) -> ComposeResult:
        """Name and preset, rows, help, what it comes to, what is wrong, keys."""
        with Horizontal(id="new-head"):
            yield Static("New run", id="new-title")
            yield Static("name")
            yield Input(self._suggested, compact=True, id="new-name")
            yield Static("preset", id="new-preset-label")
            presets = [(name, name) for name in preset_names()]
            yield Select(
                presets, value=FIRST_PRESET, allow_blank=False, compact=True, id="new-preset"
            )
        yield FieldForm(self._fields)
        yield Static(classes="form-help")
        with Horizontal(id="new-comes-to"):
            yield Static(id="derived", markup=False)
            yield RichLog(id="told", max_lines=500, wrap=True, min_width=1)
        yield Static(id="new-faults", markup=False)
        with Horizontal(classes="form-buttons"):
            yield Button("Start", variant="primary", compact=True, action="screen.start")
            yield Button("Measure", compact=True, action="screen.measure('check')")
            yield Button("Autotune", compact=True, action="screen.measure('tune')")
            yield Button("Close", compact=True, action="screen.leave")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Say what it comes to."""
        self._judge()

    @property
    def preset(self) -> str:
        """The chosen one."""
        return self._base.preset

    @property
    def _form(self) -> FieldForm:
        return self.query_one(FieldForm)

    @property
    def _run_name(self) -> str:
        return self.query_one("#new-name", Input).value

    @property
    def _faults(self) -> list[str]:
        about_name = name_fault(self._runs, self._run_name)
        faults = [fault.sentence for fault in self._draft.faults]
        return [about_name, *faults] if about_name else faults

    @on(FieldForm.Changed)
    @on(Input.Changed, "#new-name")
    def _judge(self) -> None:
        """Say what the form comes to as it stands, or why it cannot be."""
        self._draft = draft_of(self._base, self._fields, self._form.typed)
        self._form.mark(name for fault in self._draft.faults for name in fault.names)
        self.query_one("#new-faults", Static).update("\n".join(self._faults))
        if self._draft.config:
            measured = self._measured
            speed = measured[1] if measured and measured[0] == self._draft.config else ""
            lines = derived_lines(self._draft.config, speed)
            self.query_one("#derived", Static).update("\n".join(lines))

    @on(Select.Changed, "#new-preset")
    async def _change_preset(self, event: Select.Changed) -> None:
        name = str(event.value)
        if name == self._base.preset:
            return
        self._take_preset(name)
        if self._run_name == self._suggested:
            self._suggested = free_name(self._runs, name)
            self.query_one("#new-name", Input).value = self._suggested
        await self._form.change_fields(self._fields)
        self._judge()

    @on(Input.Submitted)
    def _go_on(self) -> None:
        self.focus_next()

    # Measuring

    def action_measure(self, measurement: Measurement) -> None:
        """Let another program measure the config as it stands; one at a time."""
        if self._draft.config is None:
            self.notify("It cannot be measured: see the sentence below.", severity="error")
            return
        if self._child and self._child.is_running:
            self.notify("It still measures. Esc ends that.", severity="warning")
            return
        follow = self._measure(measurement, self._draft.config)
        self._child = self.run_worker(follow, group="child")

    async def _measure(self, measurement: Measurement, config: RunConfig) -> None:
        log, lines = self.query_one("#told", RichLog), list[str]()
        self.add_class("-told")
        log.clear()
        log.write(f"{_DOING[measurement]}… Esc ends it.")

        def hear(line: str) -> None:
            lines.append(line)
            log.write(line)

        try:
            code = await run_child(measuring_command(measurement, config), hear)
        except asyncio.CancelledError:
            log.write("Ended: nothing was changed.")
            raise
        except OSError as error:
            log.write(f"It cannot be measured: {error}")
            return
        if code:
            self.notify(lines[-1] if lines else "It ended without a word.", severity="error")
        elif measurement == "check":
            self._measured = (config, measured_speed(lines))
            self._judge()
        else:
            await self._form.put(tuned_settings(lines))
            self.notify("The fastest layout is in the form now.")

    # Leaving

    def action_start(self) -> None:
        """Make the run, when all of it can be."""
        if self._draft.config is None or self._faults:
            self.notify("It is not started: see the sentence below.", severity="error")
            return
        making = self._make(self._runs / self._run_name, self._draft.config)
        self.run_worker(making, group="make", exclusive=True)

    async def _make(self, folder: Path, config: RunConfig) -> None:
        try:
            launch = await asyncio.to_thread(make_run, folder, config, self._beside)
        except (ConfigError, OSError) as error:
            self.notify(str(error), severity="error", title="It is not started")
        else:
            self.dismiss(launch)

    def action_leave(self) -> None:
        """End the measurement, or else close the help, or else the form."""
        if self._child and self._child.is_running:
            self._child.cancel()
        else:
            super().action_leave()
