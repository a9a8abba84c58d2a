"""Processes that play: they start together, do as ordered, and end with the trainer.

Each has the columns of its own agents in a rollout that all share. What they decide by is not known
here (`workers.py`, `central.py`). Tested by `tests/trainer/test_workers.py`.
"""

import atexit
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Final

from trainer.config import RunConfig
from trainer.config_sim import SimConfig
from trainer.custom_rewards import RewardError
from trainer.env import EnvError
from trainer.fit_to_play import fit_to_play
from trainer.line_up import Teams
from trainer.meshes import MeshError
from trainer.networks import ActorCritic
from trainer.remote_policy import Gate
from trainer.rollout import rollout_plans
from trainer.second_look import SecondLook
from trainer.self_play import MakeVersions
from trainer.shared_arrays import Plan, SharedArrays
from trainer.shared_weights import WrongWeightsError
from trainer.start_file import StoredStarts
from trainer.worker import (
    Answer,
    Assignment,
    Change,
    Collect,
    Collected,
    Failed,
    MakePolicy,
    Ready,
    Refused,
    Rngs,
    work,
)

TOLD_AS_THEY_ARE: Final = {kind.__name__: kind for kind in (EnvError, MeshError, RewardError)}
"""What can go wrong with a game by the doing of a person, in whichever process it is played."""
POLL_S: Final = 0.05
"""Seconds between two looks at what else happens while workers play."""


class WorkerError(Exception):
    """A process that plays failed or died; the message is one sentence for a person."""


def _nothing() -> None:
    pass


TOLD: Final = (WorkerError, *TOLD_AS_THEY_ARE.values())
"""All that a process that plays can end with."""


class Crew:
    """K processes, of which each has its own arenas for as long as it lives."""

    def __init__(
        self,
        config: RunConfig,
        config_folder: Path,
        shared: SharedArrays,
        decides: Sequence[MakePolicy | Gate],
        rngs: Sequence[Rngs],
        steps: int,
        stored: StoredStarts,
        versions: MakeVersions | None = None,
        second: SecondLook | None = None,
    ) -> None:
        """Start all of them and wait until their arenas stand.

        Args:
            config: The run's settings.
            config_folder: Where the user's own rewards are.
            shared: What `share_rollout` made.
            decides: By what each of them decides.
            rngs: The generators of each of them; they follow what the workers draw.
            steps: Agent steps of the run so far.
            stored: The user's own start states.
            versions: What old versions decide by, where they do so there.
            second: What else is to be seen of the games, if anything.

        Raises:
            MeshError, RewardError: As `make_game`.
            WorkerError: When one cannot start for another reason.
        """
        self._rngs, self._abandon, self._rollouts = rngs, shared["abandon"], 0
        self._orders: list[Connection] = []
        self._processes: list[SpawnProcess] = []
        self._arrived: dict[int, Answer] = {}
        context = get_context("spawn")
        columns = agent_columns(config.sim, len(rngs))
        for rank, (agents, own, policy) in enumerate(zip(columns, rngs, decides, strict=True)):
            ours, theirs = context.Pipe()
            share = self._share(config, rank)
            told = (share, config_folder, agents, shared, policy, versions, own)
            assignment = Assignment(*told, steps, stored, second)
            process = context.Process(target=work, args=(assignment, theirs), daemon=True)
            with fit_to_play():
                process.start()
            theirs.close()
            self._orders.append(ours)
            self._processes.append(process)
        # Whatever ends this process, they get to know: they do not listen to signals.
        atexit.register(self.close)
        try:
            answers = self._answers()
        except Exception:
            self.close()
            raise
        found = [answer.warnings for answer in answers if isinstance(answer, Ready)]
        self.warnings: list[str] = found[0] + stored.warnings
        """What a person should know about the files that the arenas use, one sentence each."""

    @property
    def pids(self) -> list[int]:
        """Process numbers."""
        return [process.pid for process in self._processes if process.pid is not None]

    def play(
        self,
        steps: int,
        meanwhile: Callable[[], None],
        decide: Callable[[], None] = _nothing,
        teams: Sequence[Teams] = (),
    ) -> list[Collected]:
        """Let all of them play one rollout; none of them plays any more when that raises.

        Where they decide, the k-th rollout is to be played by the k-th weights published.

        Args:
            steps: Agent steps of the run so far.
            meanwhile: Called every `POLL_S`. What it raises abandons the rollout.
            decide: Called once they play, with the same right. It must `look` now and then.
            teams: Which old versions drive, by process; empty where none does.

        Returns:
            What each of them says, in their order.

        Raises:
            EnvError, RewardError, WorkerError: When one of them failed or died.
            WrongWeightsError: When what one of them played is of another order.
        """
        self._rollouts += 1

        def order(rank: int) -> Collect:
            return Collect(steps, teams[rank] if teams else (), self._rollouts)

        answers = self._done(order, meanwhile, decide)
        found = [answer for answer in answers if isinstance(answer, Collected)]
        for answer, rngs in zip(found, self._rngs, strict=True):
            if answer.number != self._rollouts:
                wrong = f"rollout {self._rollouts} was ordered, but {answer.number} was played"
                raise WrongWeightsError(wrong)
            for name, state in answer.rngs.items():
                rngs[name].bit_generator.state = state
        return found

    def look(self, timeout: float = 0.0) -> None:
        """Take the answers that arrive within so many seconds; return with the first.

        Raises:
            EnvError, RewardError, WorkerError: When one of them failed or died.
        """
        missing = {
            pipe: rank for rank, pipe in enumerate(self._orders) if rank not in self._arrived
        }
        for pipe in wait(list(missing), timeout):
            assert isinstance(pipe, Connection)
            # Whatever comes of it, nothing more is to come from there.
            self._arrived[missing[pipe]] = None
            self._arrived[missing[pipe]] = self._receive(missing[pipe])

    def change(self, config: RunConfig) -> None:
        """Take what may change while a run trains from `config`; episodes go on.

        Raises:
            RewardError: When it weighs a reward of the user's that was not loaded; nothing changes.
            WorkerError: When one of them failed or died.
        """
        for answer in self._done(lambda rank: Change(self._share(config, rank))):
            if isinstance(answer, Refused):
                raise RewardError(answer.reason)

    def close(self) -> None:
        """End all of them, in the middle of a rollout too."""
        self._abandon[0] = 1
        for orders in self._orders:
            orders.close()
        for process in self._processes:
            process.join()
        atexit.unregister(self.close)

    def _done(
        self,
        order: Callable[[int], Collect | Change],
        meanwhile: Callable[[], None] = _nothing,
        decide: Callable[[], None] = _nothing,
    ) -> list[Answer]:
        """What each of them answers to its order, by its number."""
        for rank, orders in enumerate(self._orders):
            # One that died since it last answered is told of where its answer is missing.
            with suppress(ConnectionError):
                orders.send(order(rank))
        try:
            decide()
            return self._answers(meanwhile)
        except BaseException:
            self._call_off()
            raise

    def _call_off(self) -> None:
        """Let those that still play stop, and wait until they have; whatever failed is told of."""
        self._abandon[0] = 1
        while len(self._arrived) < len(self._orders):
            with suppress(*TOLD):
                self.look(POLL_S)
        self._arrived = {}
        self._abandon[0] = 0

    def _share(self, config: RunConfig, rank: int) -> RunConfig:
        """The settings as one of them gets them."""
        sim = config.sim.worker_share(rank, len(self._rngs))
        return config.model_copy(update={"sim": sim})

    def _answers(self, meanwhile: Callable[[], None] = _nothing) -> list[Answer]:
        """One answer of each, in their order."""
        while len(self._arrived) < len(self._orders):
            self.look(POLL_S)
            meanwhile()
        arrived, self._arrived = self._arrived, {}
        return [arrived[rank] for rank in range(len(self._orders))]

    def _receive(self, rank: int) -> Answer:
        place = place_words(rank, len(self._processes))
        try:
            answer: Answer = self._orders[rank].recv()
        except (EOFError, ConnectionError):
            process = self._processes[rank]
            process.join()
            raise WorkerError(f"{place} died with exit code {process.exitcode}") from None
        if isinstance(answer, Failed):
            error = TOLD_AS_THEY_ARE.get(answer.kind)
            details = RuntimeError(answer.details)
            if error is not None:
                told = error(answer.reason)
                told.add_note(f"arenas are counted within {place}")
                raise told from details
            raise WorkerError(f"{answer.kind}: {answer.reason} (in {place})") from details
        return answer


def share_rollout(
    config: RunConfig, model: ActorCritic, others: Callable[[int, int], dict[str, Plan]]
) -> SharedArrays:
    """A rollout in memory that a crew sees, "abandon", and what `others` has for (T, N) rows.

    All is zero, but that all rows are valid.
    """
    *_, last_bias = model.actor.parameters()
    rows = (config.rollout_length, config.sim.agents)
    plans = rollout_plans(*rows, model.obs_width, last_bias.numel())
    plans |= {"abandon": Plan((1,), "uint8")} | others(*rows)
    shared = SharedArrays(plans, get_context("spawn"))
    shared["valid"][:] = True
    return shared


def agent_columns(sim: SimConfig, workers: int) -> list[tuple[int, int]]:
    """The first agent of each worker, and the first after them."""
    columns, stop = list[tuple[int, int]](), 0
    for rank in range(workers):
        start, stop = stop, stop + sim.worker_share(rank, workers).agents
        columns.append((start, stop))
    return columns


def place_words(rank: int, workers: int) -> str:
    """Such as "process 2 of 4 that play arenas"."""
    return f"process {rank + 1} of {workers} that play arenas"
