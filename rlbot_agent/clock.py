"""When a bot decides and when its decision acts: arithmetic on frame numbers of 1/120 s.

A decision is due every `tick_skip` frames on a grid that starts at the first frame of play; its
action acts from `action_delay` frames after that grid point until the next decision's does. The
trainer plays the same timetable with `segments`. Knows no packets, no policy and no wall clock.
Tested by `tests/rlbot_agent/test_clock.py`.
"""


def segments(tick_skip: int, action_delay: int) -> tuple[int, int]:
    """Split a decision's ticks at the moment its action takes over.

    Args:
        tick_skip: Ticks from one decision to the next, at least 1.
        action_delay: Ticks from a decision to the first tick its action acts on.

    Returns:
        Ticks the previous action is still held, then ticks the new one acts.

    Raises:
        ValueError: When the delay is negative or no shorter than the decision.
    """
    if not 0 <= action_delay < tick_skip:
        raise ValueError(f"action delay {action_delay} is not within 0 to {tick_skip - 1} ticks")
    return action_delay, tick_skip - action_delay


class Clock:
    """Says for each frame whether to decide, and which action to hold.

    Frames may be skipped: what was due in the gap is due now, and the grid stays where it was.
    Frames may repeat: no decision is made twice. Frames that go backwards start a new grid.
    """

    def __init__(self, tick_skip: int, action_delay: int, input_delay: int = 0) -> None:
        """A clock whose grid starts at the first frame it is shown.

        Args:
            tick_skip: Ticks from one decision to the next.
            action_delay: Ticks from a decision to the first tick its action acts on.
            input_delay: Ticks the game itself takes from an answer to its effect.

        Raises:
            ValueError: As `segments`.
        """
        delay, _ = segments(tick_skip, action_delay)
        self._lead = max(delay - input_delay, 0)
        self._tick_skip = tick_skip
        self.reset()

    def reset(self) -> None:
        """Forget the grid and all actions; the next frame starts anew."""
        self._last_frame: int | None = None
        self._next_decision = 0
        self._held: int | None = None
        self.chosen: int | None = None
        """The action of the newest decision; None before the first."""
        self._chosen_acts_from = 0

    def is_due(self, frame: int) -> bool:
        """Whether `frame` calls for a decision; follow a yes with `choose` on the same frame."""
        if self._last_frame is not None and frame < self._last_frame:
            self.reset()
        if self._last_frame is None:
            self._next_decision = frame
        self._last_frame = frame
        return frame >= self._next_decision

    def choose(self, frame: int, action: int) -> None:
        """Take the action of the decision that is due on `frame`."""
        self._held = self.chosen  # it acts since before this decision, whatever was skipped
        skipped = (frame - self._next_decision) // self._tick_skip
        grid_point = self._next_decision + skipped * self._tick_skip
        self.chosen = action
        self._chosen_acts_from = grid_point + self._lead
        self._next_decision = grid_point + self._tick_skip

    def held(self, frame: int) -> int | None:
        """The action to answer `frame` with; None for neutral controls before the first acts."""
        return self.chosen if frame >= self._chosen_acts_from else self._held
