"""How strong the run's versions are: their ratings over its steps, everybody's record, the ladder.

Reads ratings.json and ladder.json in a thread, and runs `rlppo ladder` as a process. Tested by
`tests/tui/screens/test_ratings.py`.
"""

import sys
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import DataTable, Static

from trainer.ratings.ladder_table import Ladder, Round
from trainer.ratings.table import Ratings
from tui.keys import Key, page_bindings
from tui.known import Known
from tui.ladder_rows import cell_words, ladder_columns, ladder_rows, ladder_title
from tui.looking import Looking
from tui.messages import RatingsRead
from tui.rating_files import RatingFiles
from tui.rating_rows import COLUMNS, rating_rows, standing, why_nobody, without_a_row
from tui.screens.child_dialog import ChildDialog
from tui.screens.run_screen import RunScreen
from tui.table_rows import Column
from tui.widgets.keyed_table import KeyedTable
from tui.widgets.rating_chart import RatingChart

RLPPO = (sys.executable, "-m", "export")
"""The program that plays a ladder."""

KEYS = (
    Key("mode", "m", "Mode", "Show the next mode, where there are several."),
    Key("ladder", "l", "Ladder", "Let the versions and anchors play each other; it takes a while."),
)
"""What the page itself obeys."""


class RatingsScreen(RunScreen):
    """Curve, players and ladder of one mode."""

    PAGE = "ratings"
    CSS_PATH = "ratings.tcss"
    HELP = """\
# Ratings

Points on Elo's scale: 400 more are ten times the wins. The faint area and ±2σ are where a rating
lies in 95 of 100 cases. Anchors stay where they are. ▸ is the newest version; a grey row has played
too few games.

The ladder counts points a game of each row against each column: 1 for a win, 0.5 for a draw. Green
is surely more than half, red surely less; a chosen cell says how sure.
"""
    BINDINGS: ClassVar[list[BindingType]] = [*page_bindings("ratings", KEYS)]

    def __init__(self) -> None:
        """Nothing is read yet."""
        super().__init__()
        self._looking, self._files = Looking(), RatingFiles()
        self._looked = False
        self._ratings: Ratings | None = None
        self._ladder: Ladder | None = None
        self._damaged: tuple[str, ...] = ()
        self._mode = ""
        self._drawn: tuple[object, ...] = ()

    def body(self) -> ComposeResult:
        """Modes, curve, and the two tables."""
        yield Static(id="ratings-modes")
        yield RatingChart()
        yield Static(id="ratings-note", markup=False)
        with Horizontal(id="ratings-tables"):
            yield KeyedTable(COLUMNS, id="ratings")
            with Vertical(id="ladder-box"):
                yield Static(id="ladder-title", markup=False)
                table = KeyedTable([Column("player")], id="ladder")
                table.cursor_type = "cell"
                yield table
                yield Static(id="ladder-cell", markup=False)

    def show(self, known: Known) -> None:
        """Look at the files when it is time, and draw what is new in them."""
        if self._looking.begin():
            look = partial(self._files.look, known.run, self.post_message)
            self.run_worker(look, thread=True)
        if not self._looked:
            return
        state = (self._ratings, self._ladder, self.mode)
        if state != self._drawn:
            self._drawn = state
            self._draw()
        note = self._note(known)
        self.set_class(bool(note), "-noted")
        self.query_one("#ratings-note", Static).update(note)
        self.query_one("#ladder-title", Static).update(self._title(known))

    @property
    def modes(self) -> list[str]:
        """Those that have ratings or a ladder."""
        rounds = self._ladder.rounds if self._ladder else ()
        played = [found.mode for found in rounds if found.rungs]
        return list(dict.fromkeys([*(self._ratings.modes if self._ratings else ()), *played]))

    @property
    def mode(self) -> str:
        """The one that is shown; empty when there is none."""
        return self._mode if self._mode in self.modes else next(iter(self.modes), "")

    @property
    def _round(self) -> Round | None:
        rounds = self._ladder.rounds if self._ladder else ()
        return next((found for found in rounds if found.mode == self.mode), None)

    def _draw(self) -> None:
        ratings, played = self._ratings, self._round
        players = ratings.modes.get(self.mode, ()) if ratings else ()
        self.set_class(bool(players), "-rated")
        self.set_class(played is not None, "-laddered")
        self.query_one("#ratings-modes", Static).update(_links(self.modes, self.mode))
        self.set_class(len(self.modes) > 1, "-several")
        chart = self.query_one(RatingChart)
        chart.players = players
        newest = ratings.newest(self.mode) if ratings else None
        said = f": {standing(newest)} at {newest.name} steps" if newest else ""
        chart.border_title = f"Rating in {self.mode}{said}"
        rows = rating_rows(ratings, self.mode) if ratings else []
        self.query_one("#ratings", KeyedTable).show(rows)
        table = self.query_one("#ladder", KeyedTable)
        if played:
            table.head(ladder_columns(played))
        table.show(ladder_rows(played) if played else [])
        self._say_cell()

    def _note(self, known: Known) -> str:
        if "ratings.json" in self._damaged:
            read = self._ratings is not None
            rest = "what is shown was read before" if read else "the next rating mends it"
            return f"ratings.json cannot be read: {rest}."
        if self._ratings is None:
            run, resting = str(known.run.path), known.situation in ("stopped", "died")
            return why_nobody(known.config, known.status, run, resting=resting)
        return without_a_row(self._ratings, self.mode)

    def _title(self, known: Known) -> str:
        if "ladder.json" in self._damaged:
            return "ladder.json cannot be read: L plays another."
        if self._ladder and self._round:
            return ladder_title(self._ladder, known.now)
        where = f" in {self.mode}" if self._ladder else ""
        return f"No ladder{where} yet: L plays one, as does `rlppo ladder {known.run.path}`."

    def on_ratings_read(self, message: RatingsRead) -> None:
        """Show what was found; what was read before stays while a file is damaged."""
        self._looking.end()
        self._looked, self._damaged = True, tuple(message.damaged)
        if "ratings.json" not in self._damaged:
            self._ratings = message.ratings
        if "ladder.json" not in self._damaged:
            self._ladder = message.ladder
        if self.known is not None:
            self.show(self.known)

    @on(DataTable.CellHighlighted, "#ladder")
    def _say_cell(self) -> None:
        """The chosen cell of the ladder in words."""
        table, played = self.query_one("#ladder", KeyedTable), self._round
        words = cell_words(played, *table.cursor_coordinate) if played else ""
        self.query_one("#ladder-cell", Static).update(words)

    # What keys do

    def action_mode(self, mode: str = "") -> None:
        """Show `mode`, or the next."""
        modes = self.modes
        if mode not in modes and len(modes) > 1:
            mode = modes[(modes.index(self.mode) + 1) % len(modes)]
        self._mode = mode or self._mode
        if self.known is not None:
            self.show(self.known)

    def action_ladder(self) -> None:
        """Play one, in view."""
        if self.known is not None:
            command = (*RLPPO, "ladder", str(self.known.run.path))
            self.app.push_screen(ChildDialog("Ladder", command), lambda _: self._looking.soon())


def _links(modes: list[str], shown: str) -> Content:
    """The modes in a line; a click shows one."""
    styles = {True: "bold $primary", False: "$foreground 65%"}
    parts = [
        Content.from_markup(
            f"[@click=screen.mode('{mode}')][{styles[mode == shown]}]$mode[/][/]", mode=mode
        )
        for mode in modes
        if mode.isalnum()
    ]
    return Content("  ").join(parts)
