"""The thread that follows the run folder and tells the app what it found.

Touches no widget: it posts messages, and the app changes the screen. Tested through
`tests/tui/test_app.py`; what it reads, by `tests/tui/test_run_reader.py`.
"""

import threading
from collections.abc import Callable

from textual.message import Message

from tui.messages import EventsArrived, MetricsArrived, StatusArrived
from tui.run_reader import Reading, RunReader

POLL_S = 0.25
"""Seconds between two looks at the folder."""
_BREATH_S = 0.002


def follow(reader: RunReader, post: Callable[[Message], object], stop: threading.Event) -> None:
    """Poll `reader` and `post` what changed, until `stop`. Runs in a thread of its own."""
    previous: Reading | None = None
    while not stop.is_set():
        reading = reader.poll()
        for message in news(previous, reading):
            post(message)
        previous = reading
        # While a long run is taken in, a short pause a bite leaves the interpreter to the screen.
        stop.wait(POLL_S if reading.caught_up else _BREATH_S)


def news(previous: Reading | None, reading: Reading) -> list[Message]:
    """The messages that `reading` is worth after `previous`."""
    messages: list[Message] = []
    if reading.board:
        messages.append(MetricsArrived(reading.board))
    if reading.events:
        messages.append(EventsArrived(reading.events))
    if previous is None or _state(previous) != _state(reading):
        messages.append(StatusArrived(reading.status, reading.situation, reading.last_words))
    return messages


def _state(reading: Reading) -> tuple[object, ...]:
    return reading.status, reading.situation, reading.last_words
