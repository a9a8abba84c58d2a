"""Processes that only play, while the trainer's own decides for all of them, in batches.

They play in the groups of `deciding.py`. The rollout grows where the networks are, row by row, and
nothing of it comes back but the actions. Worker k's numbers are drawn from its own generators, as
`Workers` draw them: the same seed and number of workers is the same run, whoever decides, up to
rounding. Tested by `tests/trainer/test_central.py`.
"""

import time
from collections.abc import Callable, Sequence
from multiprocessing.synchronize import Semaphore
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from trainer.blame import agent_words, naming_agents
from trainer.checkpoint import TrainingState
from trainer.config import RunConfig
from trainer.crew import POLL_S, Crew, agent_columns, place_words
from trainer.crew_players import CrewPlayers
from trainer.deciding import Deciding, Group, decide_row
from trainer.game import Counts
from trainer.line_up import old_columns, sides_of
from trainer.old_seats import OldSeats, make_old_seats
from trainer.opponents import LineUp, Opponents
from trainer.policy import PolicyError, no_action_words, not_finite_words
from trainer.second_look import SecondLook
from trainer.start_file import StoredStarts
from trainer.torch_threads import one_torch_thread
from trainer.worker import Rngs

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]


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
        self._columns = agent_columns(config.sim, len(rngs))
        shares = (config.sim.worker_share(rank, len(rngs)) for rank in range(len(rngs)))
        self._sides = [sides_of(share, config.selfplay.groups) for share in shares]
        self._deciding = Deciding(config, model, self._columns)
        self.rollout = self._deciding.rollout
        """What `collect` fills, where the networks are."""
        self._gates = [gate for group in self._deciding.groups for gate in group.gates]
        told = (self._deciding.arrays, self._gates, rngs, steps, stored)
        super().__init__(Crew(config, config_folder, *told, second=second), state, opponents)
        self.warnings += self._deciding.pin()

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
        for group in self._deciding.groups:
            group.step.require_in_place()
        line_up = self._line_up(steps)
        teams = line_up.teams if line_up else ()
        with one_torch_thread(), self._deciding.acting(), torch.no_grad():
            seats = [self._old_seats(group, line_up) for group in self._deciding.groups]
            found = self._crew.play(steps, meanwhile, lambda: self._decide(seats, meanwhile), teams)
            for name in ("rewards", "terminated", "truncated", "valid"):
                getattr(self.rollout, name).copy_(
                    getattr(self._deciding.shared, name), non_blocking=True
                )
            unvalued = [answer.unvalued for answer in found if answer.unvalued is not None]
            self._bootstrap(unvalued)
            self._require_sound()
        self.rollout_s = time.perf_counter() - started
        return [answer.counts for answer in found]

    def close(self) -> None:
        """End all of them, in the middle of a rollout too."""
        super().close()
        self._deciding.close()

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
            for group, old in zip(self._deciding.groups, seats, strict=True):
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
        truncated = self._deciding.shared.truncated.numpy()
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
