"""The policy of a process that leaves deciding to another: it asks there, row by row, and waits.

What is asked and answered lies in the shared rollout; only signals pass. Numpy only. Tested by
`tests/trainer/test_remote_policy.py`.
"""

from collections.abc import Callable
from multiprocessing.synchronize import Semaphore
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from trainer.collector import Decision
from trainer.rollout import Rollout

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

LOOK_S: Final = 0.05
"""Seconds between two looks at whether an answer is still to come."""


class Gate(NamedTuple):
    """Signals between a process that plays and the one that decides."""

    asked: Semaphore
    """Released when the next row waits for its decision; others of its group may share it."""
    answered: Semaphore
    """Released when that row's actions are there; its own."""


class RemotePolicy:
    """Asks for the decisions of one rollout, in their order."""

    def __init__(
        self, gate: Gate, rollout: Rollout, uniforms: Floats, look_up: Callable[[], None]
    ) -> None:
        """Ask nothing yet.

        Args:
            gate: Where to signal and to wait.
            rollout: The columns that are played here, in memory that the one who decides sees.
            uniforms: (T, N) likewise: what to draw with.
            look_up: Called again and again while waiting. What it raises ends that.
        """
        self._gate, self._rollout, self._uniforms = gate, rollout, uniforms
        self._look_up = look_up
        self._t = 0
        self.unvalued: Floats | None = None
        """(M, D) the observations whose values somebody wanted, which nobody knows here."""

    def act(self, obs: Floats, masks: Flags, rng: np.random.Generator) -> Decision:
        """The next row's decision, once it is made.

        Args:
            obs: (N, D) the rollout's next row.
            masks: (N, A) likewise.
            rng: Gives N numbers to draw with, as it would to a policy that decides here.

        Returns:
            The actions; log-probabilities and values stay with the one who decides.
        """
        t, rollout = self._t, self._rollout
        self._uniforms[t] = rng.random(len(obs), dtype=np.float32)
        self._gate.asked.release()
        while not self._gate.answered.acquire(timeout=LOOK_S):
            self._look_up()
        self._t += 1
        return Decision(rollout.actions[t], rollout.log_probs[t], rollout.values[t])

    def values(self, obs: Floats) -> Floats:
        """(M,) zeros: (M, D) `obs` become `unvalued`, for who decides to value."""
        self.unvalued = obs
        return np.zeros(len(obs), np.float32)
