"""Whether somebody watches the pitch, and when the trainer is to be asked for its policy.

A small state machine without a screen or a process. Tested by `tests/tui/test_viewing.py`.
"""

from dataclasses import dataclass

from tui.known import Known

ASK_AGAIN_S = 3.0
"""Seconds between two requests: a trainer misses what is said while it starts."""


@dataclass
class Viewing:
    """The viewer as the person wants it."""

    deterministic: bool
    """Whether it plays the likeliest actions."""
    on: bool = False
    """Whether the pitch is shown."""
    _asked_at: float = 0.0

    def must_ask(self, known: Known) -> bool:
        """Whether the trainer is to be told "viewer_on" at this moment; then counts as told."""
        fed = known.status is not None and known.status.viewer
        waited = known.now - self._asked_at >= ASK_AGAIN_S
        if self.on and known.training and not fed and waited:
            self._asked_at = known.now
            return True
        return False
