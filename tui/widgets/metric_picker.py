"""The list of all metrics by group, with a line to filter it, from which some are chosen.

Tested by `tests/tui/screens/test_charts.py`.
"""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from tui.widgets.metric_panel import grouped, label


def matching(names: Iterable[str], words: str) -> list[str]:
    """The names that have every one of the `words`, whatever their case, _ being a space."""
    wanted = words.lower().replace("_", " ").split()
    return [name for name in names if all(w in name.lower().replace("_", " ") for w in wanted)]


class Metrics(OptionList):
    """The list itself."""

    HELP = """
## Metrics

Every number that the run has written, by group. **Enter** or **space** draws one, or no longer;
type **/** and a part of its name to find one.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "space",
            "select",
            "Draw",
            show=False,
            tooltip="Draw this metric, or no longer.",
            id="charts.draw",
        )
    ]


class MetricPicker(Vertical):
    """A filter above the list."""

    class Toggled(Message):
        """A metric was chosen, or no longer."""

        def __init__(self, metric: str) -> None:
            """It is `metric`."""
            super().__init__()
            self.metric = metric

    class Filter(Input):
        """Where a part of a name is typed."""

        HELP = "## Filter\n\nA part of a metric's name. **Enter** or **down** goes to the list."
        BINDINGS: ClassVar[list[BindingType]] = [
            Binding(
                "down",
                "app.focus_next",
                "List",
                show=False,
                tooltip="Go to the list.",
                id="charts.list",
            ),
            Binding(
                "escape",
                "clear",
                "All names",
                show=False,
                tooltip="List every metric again.",
                id="charts.unfilter",
            ),
        ]

        def action_clear(self) -> None:
            """Show all again, and go to the list."""
            self.value = ""
            self.screen.focus_next()

    def __init__(self, *, id: str | None = None) -> None:
        """Begin empty."""
        super().__init__(id=id)
        self._names: tuple[str, ...] = ()
        self._colours: Mapping[str, Style] = {}

    def compose(self) -> ComposeResult:
        """The filter, then the list."""
        yield self.Filter(placeholder="/ filter", compact=True)
        yield Metrics()

    def show(self, names: tuple[str, ...], colours: Mapping[str, Style]) -> None:
        """List `names`, those in `colours` being chosen."""
        if (names, colours) != (self._names, self._colours):
            fresh = names != self._names
            self._names, self._colours = names, dict(colours)
            if fresh:
                self._list()
            else:
                self._recolour()

    def focus_filter(self) -> None:
        """Let a person type."""
        self.query_one(Input).focus()

    @on(Input.Changed)
    def _list(self) -> None:
        metrics = self.query_one(Metrics)
        chosen = metrics.highlighted_option.id if metrics.highlighted_option else None
        options = []
        for group, names in grouped(matching(self._names, self.query_one(Input).value)).items():
            options.append(Option(Text(group, "bold"), disabled=True))
            options += [Option(self._words(name), id=name) for name in names]
        metrics.clear_options()
        metrics.add_options(options)
        places = {option.id: index for index, option in enumerate(options) if option.id}
        if places:
            metrics.highlighted = places.get(chosen or "", min(places.values()))

    def _recolour(self) -> None:
        metrics = self.query_one(Metrics)
        for option in metrics.options:
            if option.id:
                metrics.replace_option_prompt(option.id, self._words(option.id))

    def _words(self, name: str) -> Text:
        sign = "●" if name in self._colours else " "
        text = Text(f"{sign} {label(name)}", no_wrap=True, overflow="ellipsis")
        if name in self._colours:
            text.stylize(Style(color=self._colours[name].color))  # on the row's own ground
        return text

    @on(Input.Submitted)
    def _to_list(self) -> None:
        self.query_one(Metrics).focus()

    @on(OptionList.OptionSelected)
    def _toggle(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_id:
            self.post_message(self.Toggled(event.option_id))
