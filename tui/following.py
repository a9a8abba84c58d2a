"""An app that follows one run: takes in what the feed finds, and tells the page on top.

Knows no key and asks nothing of the trainer. It can turn to another run, and leaves the one before
as it is. Tested by `tests/tui/test_app.py` and `test_pages.py`.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from textual.screen import Screen

from trainer.config_file import ConfigError, load_config
from trainer.run_dir import RunDir
from tui import feed
from tui.known import KEPT_EVENTS, Known
from tui.look import Look, PersonalApp
from tui.messages import EventsArrived, MetricsArrived, StatusArrived
from tui.page_screens import SCREENS
from tui.pages import PAGES
from tui.run_reader import RunReader, Situation
from tui.screens.dashboard import DashboardScreen
from tui.screens.run_screen import NORMAL_WIDTH, RunScreen
from tui.watched import Watched

_BETWEEN = "between"
"""The mode without a page, while another run is taken up."""

_WIDTHS = [(0, "-narrow"), (NORMAL_WIDTH, "-normal"), (116, "-wide")]
_HEIGHTS = [(0, "-short"), (20, "-medium"), (32, "-tall")]  # least lines, by a name in the styles

Outcome = Literal["stopped", "left", "died"]
"""How the trainer was when the dashboard closed: left means that it goes on."""


class FollowingApp(PersonalApp[Outcome]):
    """One run on some pages."""

    HORIZONTAL_BREAKPOINTS = _WIDTHS
    VERTICAL_BREAKPOINTS = _HEIGHTS

    def __init__(self, watched: Watched, clock: Callable[[], float], look: Look) -> None:
        """Watch `watched`, with `clock` telling seconds since the epoch."""
        super().__init__(look)
        self._clock = clock
        self._turning = asyncio.Lock()
        self._take_up(watched)

    def _take_up(self, watched: Watched) -> None:
        """Begin with a run of which nothing is known."""
        self._watched = watched
        self._known = Known(watched.run, watched.config)
        self._reader = RunReader(watched.run, watched.child, watched.stale)
        self._feed_stop = threading.Event()

    async def on_mount(self) -> None:
        """Begin to follow the run."""
        self.add_mode(_BETWEEN, Screen)
        await self._open()
        self.set_interval(1.0, self._show_state)

    async def _open(self) -> None:
        """Make the pages, show the first, and follow."""
        for page, screen in SCREENS.items():
            self.add_mode(page, screen)
        self._first = DashboardScreen()
        self.add_mode(DashboardScreen.PAGE, lambda: self._first)
        await self.switch_mode(DashboardScreen.PAGE)
        follow = partial(feed.follow, self._reader, self.post_message, self._feed_stop)
        self._following = self.run_worker(follow, thread=True)
        self._show_state()

    async def watch_run(self, watched: Watched) -> None:
        """Leave the present run as it is, and show `watched` from its first page.

        Waits until an earlier call is done: two feeds at once would tell of two runs.
        """
        async with self._turning:
            self._feed_stop.set()
            await self._following.wait()
            done = asyncio.Event()
            # Behind what the old feed said last, which may wait to be handled.
            self.call_later(self._exchange, watched, done)
            await done.wait()

    async def _exchange(self, watched: Watched, done: asyncio.Event) -> None:
        await self.switch_mode(_BETWEEN)
        for page in PAGES:
            await self.remove_mode(page.id)
        self._take_up(watched)
        await self._open()
        done.set()

    def on_unmount(self) -> None:
        """End the thread that follows."""
        self._feed_stop.set()

    @property
    def run_dir(self) -> RunDir:
        """The folder of the watched run."""
        return self._watched.run

    @property
    def situation(self) -> Situation:
        """Whether the watched run trains."""
        return self._known.situation

    async def action_page(self, page: str) -> None:
        """Show another page."""
        if self.current_mode != page and len(self.screen_stack) == 1:
            await self.switch_mode(page)
            self._show_state()

    # What arrived

    def on_metrics_arrived(self, message: MetricsArrived) -> None:
        """Take the newest iteration in."""
        self._learn(board=message.board)

    def on_events_arrived(self, message: EventsArrived) -> None:
        """Add to the story; an edit changed the settings."""
        story = (*self._known.events, *message.events)
        self._learn(events=story[-KEPT_EVENTS:])
        if any(event.kind == "edit" for event in message.events):
            self.on_config_written()

    def on_config_written(self) -> None:
        """The settings are others."""
        with contextlib.suppress(ConfigError, OSError):
            self._learn(config=load_config(self.run_dir.config))

    def on_status_arrived(self, message: StatusArrived) -> None:
        """See what the trainer does."""
        self._learn(
            status=message.status,
            situation=message.situation,
            last_words=tuple(message.last_words),
        )

    def _learn(self, **news: Any) -> None:  # noqa: ANN401 - any field of Known
        self._known = replace(self._known, **news)
        self._show_state()

    def _show_state(self) -> None:
        """Tell the page on top what is known."""
        if not self.is_running or not self.screen_stack:
            return
        self._known = replace(self._known, now=self._clock())
        if isinstance(page := self.screen_stack[0], RunScreen) and page.is_mounted:
            page.tell(self._known)
