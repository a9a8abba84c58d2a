"""Keys taken one after another: the next one when what the one before it set off is done.

Textual hands every key at once to what has the focus then, while what a binding does comes later,
when the key has climbed from there to the app. Of keys that come in one burst, as they do on a busy
machine, letters overtake Backspace, Tab and the keys that open or close something: "/lr" would
search only after L was pressed on the page (https://github.com/Textualize/textual/issues/6605).
Knows no binding and no page. Tested by `tests/tui/test_key_order.py`.
"""

import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Generic

from textual.app import App, ReturnType
from textual.dom import DOMNode
from textual.events import Event, InputEvent, Key, Paste

PATIENCE_S = 2.0
"""Seconds after which the next key is taken anyway: something that hangs leaves Ctrl-C alive."""


class OrderedApp(App[ReturnType], Generic[ReturnType]):
    """An app that does what is typed, pasted and clicked in the order in which it came."""

    def __init__(self) -> None:
        """Nothing was typed."""
        super().__init__()
        self._held: deque[Event] = deque()
        self._key: Key | None = None
        """The one that is under way."""
        self._since = 0.0

    async def on_event(self, event: Event) -> None:
        """Hold what a person does while a key is under way."""
        if not isinstance(event, InputEvent | Paste) or event.is_forwarded:
            await super().on_event(event)
            return
        self._held.append(event)
        if self._key is None or time.monotonic() - self._since >= PATIENCE_S:
            await self._take_held()

    async def _take_held(self) -> None:
        """Do what is held, up to and with the next key."""
        self._key = None
        while self._held and self._key is None:
            event = self._held.popleft()
            if isinstance(event, Key):
                self._key, self._since = event, time.monotonic()
                way = self._way_up()
                await super().on_event(event)
                self._follow(way, partial(self._follow_again, event))
            else:
                await super().on_event(event)

    async def _follow_again(self, key: Key) -> None:
        """Wait for what the key led to as well, such as `Input.Submitted`."""
        self._follow(self._way_up(), partial(self._finish, key))

    async def _finish(self, key: Key) -> None:
        if key is self._key:  # else it was given up, and another is under way
            await self._take_held()

    def _way_up(self) -> list[DOMNode]:
        """What has the focus, and all that it is in, up to the app."""
        return (self.focused or self.screen).ancestors_with_self

    def _follow(self, way: list[DOMNode], then: Callable[[], object]) -> None:
        """Call `then` when each of `way` in turn has handled all that it was sent so far.

        What is gone by then is passed over; when even the app is, nothing is called.
        """
        for place, node in enumerate(way):
            rest = way[place + 1 :]
            if node.call_later(partial(self._follow, rest, then) if rest else then):
                return
