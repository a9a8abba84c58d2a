"""Processes that fill a rollout together, each the columns of its own agents.

One synchronisation an iteration: parameters are written once, every worker plays its columns with
them, and only counts and random states come back. The same number of workers draws the same
numbers. Knows no loss. Tested by `tests/trainer/test_workers.py`.
"""

import atexit
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, Final

import numpy.typing as npt
import torch

from trainer.config import RunConfig
from trainer.custom_rewards import RewardError
from trainer.env import EnvError
from trainer.game import Counts
from trainer.meshes import MeshError
from trainer.networks import ActorCritic, parameter_count, parameter_vector
from trainer.rollout import Rollout, rollout_plans
from trainer.shared_arrays import Plan, SharedArrays
from trainer.start_file import StoredStarts
from trainer.worker import (
    Answer,
    Assignment,
    Change,
    Collect,
    Collected,
    Failed,
    Ready,
    Refused,
    Rngs,
    work,
)

KERNELS: Final = {"AVX2": "Haswell", "AVX512": "SkylakeX"}
"""OpenBLAS's for what PyTorch finds in the CPU. Left alone it takes its slowest ones, a fifth as
fast, on a CPU whose model it does not know, as many virtual machines have."""
TOLD_AS_THEY_ARE: Final = {kind.__name__: kind for kind in (EnvError, MeshError, RewardError)}
"""What can go wrong with a game by the doing of a person, in whichever process it is played."""
POLL_S: Final = 0.05
"""Seconds between two looks at what else happens while workers play."""


class WorkerError(Exception):
    """A process that plays failed or died; the message is one sentence for a person."""


class Workers:
    """K processes and the rollout that they fill; they are `Players`."""

    def __init__(
        self,
        config: RunConfig,
        config_folder: Path,
        model: ActorCritic,
        rngs: Sequence[Rngs],
        steps: int,
        stored: StoredStarts,
    ) -> None:
        """Start all of them and wait until their arenas stand.

        Args:
            config: The run's settings.
            config_folder: Where the user's own rewards are.
            model: Its weights at the start of a rollout play it.
            rngs: The generators of each of K workers; they follow what the workers draw.
            steps: Agent steps of the run so far.
            stored: The user's own start states.

        Raises:
            MeshError, RewardError: As `make_game`.
            WorkerError: When one cannot start for another reason.
        """
        self._model, self._rngs = model, rngs
        context = get_context("spawn")
        obs_width = next(model.parameters()).shape[1]
        *_, last_bias = model.actor.parameters()
        size = (config.rollout_length, config.sim.agents, obs_width, last_bias.numel())
        plans = rollout_plans(*size)
        plans["parameters"] = Plan((parameter_count(model),), "float32")
        plans["abandon"] = Plan((1,), "uint8")
        shared = SharedArrays(plans, context)
        self.rollout = Rollout(shared.__getitem__)
        """What `collect` fills."""
        self.rollout_s = 0.0
        """Seconds that playing it took."""
        self._parameters: npt.NDArray[Any] = shared["parameters"]
        self._abandon = shared["abandon"]
        shapes = [(name, tuple(values.shape)) for name, values in model.named_parameters()]
        self._orders: list[Connection] = []
        self._processes: list[SpawnProcess] = []
        stop = 0
        for rank, own in enumerate(rngs):
            share = self._share(config, rank)
            start, stop = stop, stop + share.sim.agents
            ours, theirs = context.Pipe()
            assignment = Assignment(
                *(share, config_folder, (start, stop), shared, shapes, own, steps, stored)
            )
            process = context.Process(target=work, args=(assignment, theirs), daemon=True)
            with single_threaded():
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
        """Process numbers of the workers."""
        return [process.pid for process in self._processes if process.pid is not None]

    def collect(self, steps: int, meanwhile: Callable[[], None]) -> list[Counts]:
        """Play one rollout with the model's weights of now, calling `meanwhile` every `POLL_S`.

        Raises:
            WorkerError: When a worker failed or died.
        """
        started = time.perf_counter()
        self._parameters[:] = parameter_vector(self._model).cpu().numpy()
        self._tell(lambda rank: Collect(steps))
        try:
            answers = self._answers(meanwhile)
        except WorkerError:
            raise
        except BaseException:
            self._abandon[0] = 1
            with suppress(Exception):  # a worker that failed answers no more: the first is told
                self._answers()
            self._abandon[0] = 0
            raise
        self.rollout_s = time.perf_counter() - started
        found = [answer for answer in answers if isinstance(answer, Collected)]
        for answer, rngs in zip(found, self._rngs, strict=True):
            for name, state in answer.rngs.items():
                rngs[name].bit_generator.state = state
        return [answer.counts for answer in found]

    def change(self, config: RunConfig) -> None:
        """Take what may change while a run trains from `config`; episodes go on.

        Raises:
            RewardError: When it weighs a reward of the user's that was not loaded; nothing changes.
            WorkerError: When a worker failed or died.
        """
        self._tell(lambda rank: Change(self._share(config, rank)))
        for answer in self._answers():
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

    def _share(self, config: RunConfig, rank: int) -> RunConfig:
        """The settings as one worker gets them."""
        sim = config.sim.worker_share(rank, len(self._rngs))
        return config.model_copy(update={"sim": sim})

    def _tell(self, order: Callable[[int], Collect | Change]) -> None:
        for rank, orders in enumerate(self._orders):
            # One that died since it last answered is told of where its answer is missing.
            with suppress(ConnectionError):
                orders.send(order(rank))

    def _answers(self, meanwhile: Callable[[], None] = lambda: None) -> list[Answer]:
        """One answer of each worker, in their order."""
        answers: dict[int, Answer] = {}
        while len(answers) < len(self._orders):
            waiting = {self._orders[rank]: rank for rank in range(len(self._orders))}
            for pipe in wait([pipe for pipe in waiting if waiting[pipe] not in answers], POLL_S):
                assert isinstance(pipe, Connection)
                answers[waiting[pipe]] = self._receive(waiting[pipe])
            meanwhile()
        return [answers[rank] for rank in range(len(self._orders))]

    def _receive(self, rank: int) -> Answer:
        place = f"process {rank + 1} of {len(self._processes)} that play arenas"
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


@contextmanager
def single_threaded() -> Iterator[None]:
    """Processes that start here multiply matrices on one thread, by the kernels of this CPU."""
    before = dict(os.environ)
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    kernels = KERNELS.get(torch.backends.cpu.get_cpu_capability())
    if kernels is not None:
        os.environ.setdefault("OPENBLAS_CORETYPE", kernels)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
