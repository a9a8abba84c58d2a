"""The next rollout is played while the last one is learned from, so each is one update old.

Around any other `Players` that play in processes of their own. Rollout k + 1 is played by the
weights that update k starts from, while update k is being made; only the first of a session is
played by the newest. What that changes for the update is in `decoupled.py`, and needs that stored
log-probabilities are those of the weights that played. One thread and one copy of the rollout, no
second set of processes. Knows no loss and no run folder. Tested by `tests/trainer/test_overlap.py`
and `test_overlap_ends.py`.
"""

import atexit
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from threading import Event, Thread

import torch

from trainer.checkpoint import TrainingState
from trainer.collector import Abandoned
from trainer.config import RunConfig
from trainer.crew import POLL_S
from trainer.game import Counts
from trainer.players import Players
from trainer.recorder import new_stream
from trainer.rollout_tensors import RolloutTensors
from trainer.shared_weights import WrongWeightsError


def copy_to_act(state: TrainingState) -> TrainingState:
    """What plays beside `state`: networks and generators of its own, which no update touches."""
    acting = replace(state, model=deepcopy(state.model), rngs=deepcopy(state.rngs))
    acting.model.requires_grad_(False)
    return acting


class Overlapping:
    """Players that go on playing between two calls of `collect`; they are `Players`."""

    def __init__(self, inner: Players, state: TrainingState, acting: TrainingState) -> None:
        """Play nothing yet.

        Args:
            inner: Who plays, with the networks and generators of `acting`. Their `collect` is
                called in another thread, and returns once all of the rollout is there.
            state: What learns.
            acting: From `copy_to_act`.
        """
        self._inner, self._state, self._acting = inner, state, acting
        self._rows = inner.rollout.num_rows
        self.rollout = RolloutTensors(*map(torch.empty_like, inner.rollout))
        """What `collect` fills: a copy, since the next one is played into the other."""
        self.rollout_s = 0.0
        """Seconds that it took, while the one before was learned from."""
        self.iteration = inner.iteration
        """Finished iterations behind the weights that played."""
        self.warnings = inner.warnings
        """What a person should know and was not told yet, one sentence each."""
        self._flight: _Flight | None = None
        self._handed = 0
        device = next(state.model.parameters()).device
        # What the flight asks of a GPU must not queue up behind the update.
        self._stream = new_stream(device) if device.type == "cuda" else None
        # Before that of `inner`, which must not end under somebody who plays.
        atexit.register(self.close)

    @property
    def pids(self) -> list[int]:
        """Process numbers of those who play."""
        return self._inner.pids

    def collect(self, steps: int, meanwhile: Callable[[], None]) -> list[Counts]:
        """Wait for the rollout in flight, calling `meanwhile` every `POLL_S`, and start the next.

        Raises:
            Exception: Whatever went wrong with the rollout in flight, as it was raised there.
            WrongWeightsError: As `require_young`.
        """
        if self._flight is None:
            self._start(steps)
        counts = self._land(meanwhile)
        require_young(self._inner.iteration, self._handed, self._state.counters.iteration)
        self._take_out()
        self._start(steps + self._rows)
        return counts

    def change(self, config: RunConfig) -> None:
        """Take what may change while a run trains from `config`, from the next start on.

        Waits for the rollout in flight, which still is of the settings before.

        Raises:
            RewardError: When it weighs a reward of the user's that was not loaded; nothing changes.
        """
        if self._flight is not None:
            self._flight.join()
        self._inner.change(config)

    def close(self) -> None:
        """Drop the rollout in flight, whatever became of it, and end all processes."""
        if self._flight is not None:
            self._flight.drop()
        self._inner.close()
        atexit.unregister(self.close)

    def _start(self, steps: int) -> None:
        """Let the newest weights play the rollout that begins after `steps` agent steps."""
        self._acting.model.load_state_dict(self._state.model.state_dict())
        self._acting.reward_scale = self._state.reward_scale
        # Says which weights these are, and goes with them.
        self._acting.counters = self._state.counters
        self._handed = self._acting.counters.iteration
        if self._stream is not None:
            # Whatever was copied, out or in, is copied before anybody overwrites or reads it.
            torch.cuda.current_stream(self._stream.device).synchronize()
        self._flight = _Flight(self._inner, steps, self._stream)
        self._flight.start()

    def _land(self, meanwhile: Callable[[], None]) -> list[Counts]:
        flight, self._flight = self._flight, None
        assert flight is not None
        try:
            meanwhile()
            while flight.is_alive():
                flight.join(POLL_S)
                meanwhile()
        except BaseException:
            flight.drop()
            raise
        return flight.result()

    def _take_out(self) -> None:
        """What landed is the learner's from here on, and so are the generators that it left."""
        for mine, landed in zip(self.rollout, self._inner.rollout, strict=True):
            mine.copy_(landed)
        # The critic that played spoke in units of its own time: v' = v · then / now
        then, now = self._acting.reward_scale, self._state.reward_scale
        for values in (self.rollout.values, self.rollout.next_values):
            values.mul_(then / now)
        self.rollout_s, self.iteration = self._inner.rollout_s, self._inner.iteration
        for name, rng in self._acting.rngs.items():
            if name != "update":
                self._state.rngs[name].bit_generator.state = rng.bit_generator.state


def require_young(played: int, handed: int, newest: int) -> None:
    """Make sure that the weights after `handed` updates played, one update before the `newest`.

    Of the same update they may be too: the first rollout of a session.

    Raises:
        WrongWeightsError: When they did not.
    """
    if played != handed or not newest - 1 <= played <= newest:
        raise WrongWeightsError(
            f"a rollout that began with the weights after {handed:,} updates was played by those "
            f"after {played:,}, and is learned from after {newest:,}: it may be one update old"
        )


class _Flight(Thread):
    """A rollout that is being played, and what became of it."""

    def __init__(self, players: Players, steps: int, stream: torch.cuda.Stream | None) -> None:
        # A daemon, so that a program can end: `close` ends it then.
        super().__init__(name="rollout", daemon=True)
        self._players, self._steps, self._stream = players, steps, stream
        self._unwanted = Event()
        self._counts: list[Counts] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._counts = self._play()
        except BaseException as error:
            self._error = error

    def _play(self) -> list[Counts]:
        try:
            with torch.cuda.stream(self._stream):
                return self._players.collect(self._steps, self._look_up)
        finally:
            # Whatever came of it, no copy is under way any more.
            if self._stream is not None:
                self._stream.synchronize()

    def result(self) -> list[Counts]:
        """What happened; raises what went wrong, once it is over."""
        if self._error is not None:
            raise self._error
        return self._counts

    def drop(self) -> None:
        """Make an end of it, and wait for that."""
        self._unwanted.set()
        self.join()

    def _look_up(self) -> None:
        if self._unwanted.is_set():
            raise Abandoned
