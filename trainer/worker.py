"""A process that plays: its own arenas, its agents' columns of the rollout, and a policy.

That policy decides here or asks the trainer. Loads nothing of the run folder, and PyTorch only
where the policy that it is given needs it. It ends when its orders end: when the trainer closes
them, and when the trainer is gone.
Tested by `tests/trainer/test_workers.py`.
"""

import signal
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from trainer.blame import naming_agents
from trainer.collector import Abandoned, Floats, Policy, collect
from trainer.config import RunConfig
from trainer.custom_rewards import RewardError
from trainer.game import Counts, make_game, take_counts
from trainer.line_up import OldRows, Teams, old_columns, old_rows, sides_of
from trainer.remote_policy import Gate, RemotePolicy
from trainer.rollout import Rollout
from trainer.second_look import Onlooker, SecondLook
from trainer.self_play import MakeVersions, SelfPlay, Today, learned
from trainer.shared_arrays import SharedArrays
from trainer.shared_weights import SharedWeights
from trainer.start_file import StoredStarts
from trainer.stopwatch import Stopwatch

Rngs = Mapping[str, np.random.Generator]
"""The generators of one worker: "env" and "policy"."""
MakePolicy = Callable[[Floats], Today]
"""Given all parameters in a row, which may change between rollouts, makes who decides by them."""


@dataclass(frozen=True)
class Assignment:
    """What a worker is told once."""

    config: RunConfig
    """With this worker's arenas only."""
    config_folder: Path
    """Where the user's own rewards are."""
    agents: tuple[int, int]
    """First agent of the rollout that is this worker's, and the first after."""
    shared: SharedArrays
    """The rollout's arrays, "abandon", which is not 0 when that is asked, and either those of
    `weights_plans` to decide by, or "uniforms" (T, N) to ask with."""
    decides: MakePolicy | Gate
    """What decides here by those parameters, or where to ask the trainer."""
    versions: MakeVersions | None
    """What old versions decide by; None where they do elsewhere, or nowhere."""
    rngs: Rngs
    """What everything is drawn from."""
    steps: int
    """Agent steps of the run so far."""
    stored: StoredStarts
    """The user's own start states."""
    second: SecondLook | None = None
    """What else is to be seen of its game, if anything."""


class Collect(NamedTuple):
    """Order: play one rollout."""

    steps: int
    """Agent steps of the run before it."""
    teams: Teams
    """Which an old version drives, by group; empty where none does."""
    number: int
    """Of this rollout, and of the weights that are to play it."""


class Change(NamedTuple):
    """Order: take what may change while a run trains."""

    config: RunConfig
    """With this worker's arenas only."""


class Ready(NamedTuple):
    """Answer: all arenas stand."""

    warnings: list[str]
    """What a person should know about the simulation."""


class Collected(NamedTuple):
    """Answer: this worker's columns are filled."""

    counts: Counts
    """What happened."""
    number: int
    """Of the rollout that was played, and of the weights that played it."""
    rngs: dict[str, Any]
    """State of each generator now."""
    unvalued: Floats | None
    """(M, D) what its agents see after the last decision, then what they saw before each reset of
    a truncated row, by decision and agent: the trainer's to value, where it decides."""


class Refused(NamedTuple):
    """Answer: the change cannot be taken, and nothing was changed."""

    reason: str


class Failed(NamedTuple):
    """Answer: the worker cannot go on."""

    kind: str
    """Class of the error."""
    reason: str
    """One sentence for a person."""
    details: str
    """The traceback."""


Answer = Ready | Collected | Refused | Failed | None
"""None to what was done as asked, or abandoned as asked."""


def work(assignment: Assignment, orders: Connection) -> None:
    """Do as ordered until the orders end, with one answer to each; the life of the process.

    The first answer is `Ready`, before any order; after `Failed` the process ends.
    """
    # These often reach all processes of a run; the trainer decides what they mean.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    try:
        worker = _Worker(assignment)
        orders.send(Ready(worker.game.warnings))
        while True:
            orders.send(worker.obey(orders.recv()))
    except (EOFError, ConnectionError):
        return
    except Exception as error:
        reason = "; ".join([str(error), *getattr(error, "__notes__", [])])
        with suppress(ConnectionError):  # the trainer heard it from another, and waits no more
            orders.send(Failed(type(error).__name__, reason, traceback.format_exc()))


class _Worker:
    """Everything that a worker keeps between orders."""

    def __init__(self, assignment: Assignment) -> None:
        config, shared = assignment.config, assignment.shared
        self._rngs = assignment.rngs
        self._abandon = shared["abandon"]
        self._trainer = parent_process()
        self._watch = Stopwatch()
        self.game = make_game(
            *(config, assignment.config_folder, assignment.rngs["env"]),
            *(assignment.steps, assignment.stored, self._watch),
        )
        self._rollout = Rollout(shared.__getitem__).of_agents(*assignment.agents)
        self._assignment, decides, second = assignment, assignment.decides, assignment.second
        self._onlooker = Onlooker(second, self.game, assignment.agents) if second else None
        self._sides = sides_of(config.sim, config.selfplay.groups)
        self._own = None if isinstance(decides, Gate) else decides(shared["parameters"])
        self._weights = SharedWeights(shared)

    def obey(self, order: Collect | Change) -> Answer:
        match order:
            case Collect():
                return self._collect(order)
            case Change(config):
                try:
                    self.game.change(config)
                except RewardError as error:
                    return Refused(str(error))
        return None

    def _collect(self, order: Collect) -> Collected | None:
        self._require_weights(order.number, "before the first decision")
        self.game.begin_iteration(order.steps)
        rows = old_rows(old_columns(self._sides, order.teams) if order.teams else [])
        self._rollout.valid[:] = learned(rows, self.game.num_agents)
        policy, rng = self._policy(rows), self._rngs["policy"]
        look = self._onlooker.beside(self._look_up) if self._onlooker else self._look_up
        try:
            with naming_agents(self.game.whose):
                collect(self.game, policy, self._rollout, rng, look, self._watch)
        except Abandoned:
            return None
        self._require_weights(order.number, "after the last decision")
        states = {name: rng.bit_generator.state for name, rng in self._rngs.items()}
        counts = take_counts(self.game, self._watch)
        unvalued = policy.unvalued if isinstance(policy, RemotePolicy) else None
        return Collected(counts, order.number, states, unvalued)

    def _require_weights(self, number: int, when: str) -> None:
        """Make sure that what decides here decides by the weights of that number."""
        if self._own is not None:
            self._weights.require(number, when)
            self._weights.require_read(self._own.parameters)

    def _policy(self, rows: OldRows) -> Policy:
        """Who decides in the next rollout."""
        if self._own is None:
            return self._remote_policy()
        if not len(rows.groups):
            return self._own
        make = self._assignment.versions
        assert make is not None
        vectors = self._assignment.shared["versions"]
        versions = make([vectors[group] for group in rows.groups])
        return SelfPlay(self._own, versions, rows, self.game.num_agents)

    def _remote_policy(self) -> RemotePolicy:
        """Asks for the decisions of the next rollout."""
        gate, shared = self._assignment.decides, self._assignment.shared
        assert isinstance(gate, Gate)
        uniforms = shared["uniforms"][:, slice(*self._assignment.agents)]
        return RemotePolicy(gate, self._rollout, uniforms, self._look_up)

    def _look_up(self) -> None:
        """Between decisions: is the work still wanted?"""
        if self._abandon[0]:
            raise Abandoned
        if self._trainer is not None and not self._trainer.is_alive():
            raise EOFError
