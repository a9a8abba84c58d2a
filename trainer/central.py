"""Processes that only play, while the trainer's own decides for all of them, in batches.

They play in two groups: while one group's row is decided, the other's physics goes on. The rollout
grows where the networks are, row by row, and nothing of it comes back but the actions. Worker k's
numbers are drawn from its own generators, as `Workers` draw them: the same seed and number of
workers is the same run, whoever decides, up to rounding. Tested by `tests/trainer/test_central.py`.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.synchronize import Semaphore
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from trainer.act_step import ActStep
from trainer.blame import agent_words, naming_agents
from trainer.checkpoint import TrainingState
from trainer.config import RunConfig
from trainer.crew import POLL_S, Crew, agent_columns, place_words, share_rollout
from trainer.crew_players import CrewPlayers
from trainer.game import Counts
from trainer.line_up import old_columns, sides_of
from trainer.old_seats import OldSeats, make_old_seats
from trainer.opponents import LineUp, Opponents
from trainer.pinning import pin, unpin
from trainer.policy import PolicyError, no_action_words, not_finite_words
from trainer.recorder import GpuRecorder, Recorder, new_stream
from trainer.remote_policy import Gate
from trainer.rollout import Rollout
from trainer.rollout_tensors import RolloutTensors, tensors_of
from trainer.second_look import SecondLook
from trainer.shared_arrays import Plan
from trainer.start_file import StoredStarts
from trainer.torch_threads import one_torch_thread
from trainer.worker import Rngs

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

GROUPS: Final = 2
"""Of workers, of which one waits for its decisions while the other plays; one worker is one."""
NOT_PINNED: Final = "decisions are slower than they could be: the rollout's memory is not pinned"


class Group(NamedTuple):
    """Workers whose rows are decided at once."""

    gates: Sequence[Gate]
    """One for each of them."""
    step: ActStep
    """Decides for all their agents."""
    shared: RolloutTensors
    """Their columns in the memory that they write into."""
    uniforms: Tensor
    """(T, M) there: what to draw with."""
    kept: RolloutTensors
    """Their columns where the networks are."""
    ranks: Sequence[int]
    """Their numbers."""


class Central(CrewPlayers):
    """K processes, and the rollout that is decided here; they are `Players`."""

    def __init__(
        self,
        config: RunConfig,
        config_folder: Path,
        state: TrainingState,
        rngs: Sequence[Rngs],
        steps: int,
        stored: StoredStarts,
        opponents: Opponents | None = None,
        second: SecondLook | None = None,
    ) -> None:
        """Start all of them and wait until their arenas stand.

        Args:
            config: The run's settings.
            config_folder: Where the user's own rewards are.
            state: Its networks decide, where their parameters are now; they must stay there, see
                `ActStep`.
            rngs: The generators of each of K workers; they follow what the workers draw.
            steps: Agent steps of the run so far.
            stored: The user's own start states.
            opponents: Say which old versions play; None for nobody, ever.
            second: What else is to be seen of the games, if anything.

        Raises:
            MeshError, RewardError: As `make_game`.
            WorkerError: When one cannot start for another reason.
        """
        model = self._model = state.model
        self._sim = config.sim
        device = next(model.parameters()).device
        on_gpu = device.type == "cuda"
        self._stream = new_stream(device) if on_gpu else None
        self._columns = agent_columns(config.sim, len(rngs))
        shares = (config.sim.worker_share(rank, len(rngs)) for rank in range(len(rngs)))
        self._sides = [sides_of(share, config.selfplay.groups) for share in shares]
        shared = share_rollout(config, model, lambda *rows: {"uniforms": Plan(rows, "float32")})
        self._shared = tensors_of(Rollout(shared.__getitem__))
        self.rollout = RolloutTensors(*(torch.zeros_like(f, device=device) for f in self._shared))
        """What `collect` fills, where the networks are."""
        uniforms = torch.from_numpy(shared["uniforms"])
        records = on_gpu and config.ppo.cuda_graphs
        recorder = GpuRecorder(new_stream(device)) if records else None
        self._groups = self._make_groups(uniforms, recorder)
        self._gates = [gate for group in self._groups for gate in group.gates]
        crew = Crew(config, config_folder, shared, self._gates, rngs, steps, stored, second=second)
        super().__init__(crew, state, opponents)
        self._pinned = shared.block if on_gpu and pin(shared.block) else None
        troubles = {group.step.warning: None for group in self._groups if group.step.warning}
        if on_gpu and self._pinned is None:
            troubles[NOT_PINNED] = None
        self.warnings += troubles

    def collect(self, steps: int, meanwhile: Callable[[], None]) -> list[Counts]:
        """Play one rollout with the model's weights of now, calling `meanwhile` at each decision.

        Raises:
            EnvError, RewardError, WorkerError: When a worker failed or died.
            PolicyError: When an agent had no possible action, or a number was not finite.
            WrongWeightsError: When the model's weights are not where a recorded step reads them.
        """
        started = time.perf_counter()
        # An abandoned rollout may have left signals behind.
        for semaphore in {semaphore for gate in self._gates for semaphore in gate}:
            while semaphore.acquire(block=False):
                pass
        self.iteration = self._state.counters.iteration
        for group in self._groups:
            group.step.require_in_place()
        line_up = self._line_up(steps)
        teams = line_up.teams if line_up else ()
        with one_torch_thread(), self._acting(), torch.no_grad():
            seats = [self._old_seats(group, line_up) for group in self._groups]
            found = self._crew.play(steps, meanwhile, lambda: self._decide(seats, meanwhile), teams)
            for name in ("rewards", "terminated", "truncated", "valid"):
                getattr(self.rollout, name).copy_(getattr(self._shared, name), non_blocking=True)
            unvalued = [answer.unvalued for answer in found if answer.unvalued is not None]
            self._bootstrap(unvalued)
            self._require_sound()
        self.rollout_s = time.perf_counter() - started
        return [answer.counts for answer in found]

    def close(self) -> None:
        """End all of them, in the middle of a rollout too."""
        super().close()
        if self._pinned is not None:
            unpin(self._pinned)
            self._pinned = None

    def _make_groups(self, uniforms: Tensor, recorder: Recorder | None) -> list[Group]:
        """Neighbours in one group, as many in each as in any other, give or take one."""
        context = get_context("spawn")
        _, _, obs_width = self.rollout.obs.shape
        _, _, num_actions = self.rollout.masks.shape
        groups = []
        workers = len(self._columns)
        for ranks in np.array_split(np.arange(workers), min(GROUPS, workers)):
            start, stop = self._columns[ranks[0]][0], self._columns[ranks[-1]][1]
            asked = context.Semaphore(0)
            groups.append(
                Group(
                    [Gate(asked, context.Semaphore(0)) for _ in ranks],
                    ActStep(self._model, stop - start, obs_width, num_actions, recorder),
                    self._shared.of_agents(start, stop),
                    uniforms[:, start:stop],
                    self.rollout.of_agents(start, stop),
                    ranks.tolist(),
                )
            )
        return groups

    @contextmanager
    def _acting(self) -> Iterator[None]:
        """After all that the GPU was told to do before, and before all that it is told later."""
        if self._stream is None:
            yield
            return
        others = torch.cuda.current_stream(self._stream.device)
        self._stream.wait_stream(others)
        try:
            with torch.cuda.stream(self._stream):
                yield
        finally:
            others.wait_stream(self._stream)

    def _old_seats(self, group: Group, line_up: LineUp | None) -> OldSeats | None:
        """Who of `group` is driven by old versions; None when nobody is."""
        if line_up is None:
            return None
        first, _ = self._columns[group.ranks[0]]
        driven = [
            [agents + self._columns[rank][0] - first for agents in columns]
            for rank in group.ranks
            for columns in [old_columns(self._sides[rank], line_up.teams[rank])]
        ]
        return make_old_seats(driven, line_up.vectors, self._model)

    def _decide(self, seats: Sequence[OldSeats | None], meanwhile: Callable[[], None]) -> None:
        """All rows of one rollout, one group's after the other's."""
        for t in range(len(self.rollout.obs)):
            meanwhile()
            for group, old in zip(self._groups, seats, strict=True):
                for gate in group.gates:
                    self._wait(gate.asked, meanwhile)
                decide_row(group, t, old)
                for gate in group.gates:
                    gate.answered.release()

    def _wait(self, asked: Semaphore, meanwhile: Callable[[], None]) -> None:
        while not asked.acquire(timeout=POLL_S):
            self._crew.look()
            meanwhile()

    def _bootstrap(self, unvalued: Sequence[Floats]) -> None:
        """Value what nobody decided by, and say what was to be expected after each row."""
        truncated = self._shared.truncated.numpy()
        seen = torch.from_numpy(in_order(unvalued, self._columns, truncated))
        values = self._model.values(seen.to(self.rollout.obs.device))
        num_agents = truncated.shape[1]
        self.rollout.bootstrap(last=values[:num_agents], final=values[num_agents:])

    def _require_sound(self) -> None:
        """Look once for what `TorchPolicy` refuses at each decision."""
        rollout = self.rollout
        possible = rollout.masks.any(-1)
        sound = possible & (rollout.log_probs + rollout.values).isfinite()
        if sound.all():
            return
        t, agent = (~sound).nonzero()[0].tolist()
        with naming_agents(self._whose):
            if not possible[t, agent]:
                raise PolicyError(agent, no_action_words(agent))
            obs = rollout.obs[t, agent]
            logits, _ = self._model(obs[None])
            raise PolicyError(agent, not_finite_words(agent, obs.cpu().numpy(), logits[0]))

    def _whose(self, agent: int) -> str:
        workers = len(self._columns)
        rank = next(rank for rank, (_, stop) in enumerate(self._columns) if agent < stop)
        sim = self._sim.worker_share(rank, workers)
        words = agent_words(agent - self._columns[rank][0], sim.shares)
        return f"{words}; arenas are counted within {place_words(rank, workers)}"


def decide_row(group: Group, t: int, old: OldSeats | None) -> None:
    """Row t of a group: from its workers to the device, and the actions back to them."""
    step, shared, kept = group.step, group.shared, group.kept
    step.obs.copy_(shared.obs[t], non_blocking=True)
    step.masks.copy_(shared.masks[t], non_blocking=True)
    step.uniforms.copy_(group.uniforms[t], non_blocking=True)
    step.run()
    if old is not None:
        old.overrule(step)
    shared.actions[t].copy_(step.acted.actions, non_blocking=True)
    decided = torch.cuda.current_stream().record_event() if step.obs.is_cuda else None
    kept.obs[t], kept.masks[t] = step.obs, step.masks
    kept.actions[t], kept.log_probs[t], kept.values[t] = step.acted
    # Nobody waits for the rows that stay on the device, only for the actions.
    if decided is not None:
        decided.synchronize()


def in_order(
    unvalued: Sequence[Floats], columns: Sequence[tuple[int, int]], truncated: Flags
) -> Floats:
    """What all workers left to be valued, in the order of the rollout that all of them share.

    Args:
        unvalued: Of each worker with n agents, (n + its truncated rows, D): what its agents see
            last, then what they saw before each reset, by decision and agent.
        columns: The first agent of each worker, and the first after them.
        truncated: (T, N) of all of them.

    Returns:
        (N + truncated rows, D) the same of all N agents.
    """
    agents = np.nonzero(truncated)[1]
    final = np.empty((len(agents), unvalued[0].shape[1]), np.float32)
    last = []
    for (start, stop), seen in zip(columns, unvalued, strict=True):
        last.append(seen[: stop - start])
        final[(start <= agents) & (agents < stop)] = seen[stop - start :]
    return np.concatenate([*last, final])
